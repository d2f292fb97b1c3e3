import { describe } from 'vitest';
import { audits } from '../src/audits/audits.ts';
import { testLocalAudits } from './local-audits.ts';

describe('the embedded Supabase', () => {
  testLocalAudits(audits);
});
