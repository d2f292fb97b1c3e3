import { describe } from 'vitest';
import { audits } from '../src/audits/audits.ts';
import { testLocalAudits } from './local-audits.ts';

describe('the embedded Supabase', () => {
  // Every thirtieth audit; the nightly run has all, as `npm run conformance` does.
  testLocalAudits(audits.filter((_, index) => index % 30 === 0));
});
