import { describe, expect, it } from 'vitest';
import { createLocalSupabase } from 'local-supabase';
import { chooseAudits } from '../src/audits/audits.ts';
import { createLocalTarget } from '../bin/local-target.ts';
import { runAudits } from '../src/runner/runner.ts';
import { needsSettings } from './local-audits.ts';

describe('the audits of realtime', () => {
  it.each([
    ['the server', 'realtime'],
    ['our client', 'realtime-client'],
  ])('pass for %s with the delays of the real server', { timeout: 1_800_000 }, async (_, only) => {
    const supabase = await createLocalSupabase({
      config: false,
      port: 0,
      mailboxPort: 0,
      auth: { bcryptCost: 4 },
      realisticTiming: true,
    });
    try {
      const chosen = chooseAudits({ only });
      const results = await runAudits(chosen, createLocalTarget(supabase), { concurrency: 8 });
      const failed = results.filter((result) => result.outcome.status !== 'passed' && !needsSettings(result));
      expect(failed.map(({ audit, outcome }) => [audit.id, outcome])).toEqual([]);
    } finally {
      await supabase.close();
    }
  });
});
