import { Worker } from 'node:worker_threads';
import type { LocalSupabase } from 'local-supabase';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createLocalTarget, startLocalSupabase } from '../bin/local-target.ts';
import type { Audit } from '../src/audit/audit.ts';
import { audits } from '../src/audits/audits.ts';
import { runAudits } from '../src/runner/runner.ts';
import type { ConformanceTarget } from '../src/target/target.ts';
import { needsSettings } from './local-audits.ts';
import { openSlowPath } from './slow-path.ts';

describe('a slow server', () => {
  let supabase: LocalSupabase;
  let target: ConformanceTarget;

  beforeAll(async () => {
    supabase = await startLocalSupabase();
    target = createLocalTarget(supabase);
  });

  afterAll(() => supabase.close());

  /** Some audits of each set, because all of them take half an hour on such a server. */
  const everyOf = (every: number) => audits.filter((_, index) => index % every === 0);
  const failuresOn = async (slow: ConformanceTarget, concurrency: number, chosen: readonly Audit[]) => {
    const results = await runAudits(chosen, slow, { concurrency });
    return results.flatMap((result) => {
      const { audit, outcome } = result;
      return outcome.status === 'passed' || needsSettings(result) ? [] : [[audit.id, outcome] as const];
    });
  };

  it.each([
    { roundTripMs: 300, chosen: everyOf(3) },
    // These audits give a client deadlines that are shorter than this round trip.
    { roundTripMs: 1_200, chosen: audits.filter(({ id }) => /^CLIENT-RT-30[12]$/.test(id)) },
  ])(
    'a round trip of $roundTripMs ms fails no audit',
    { timeout: 1_800_000 },
    async ({ roundTripMs, chosen }) => {
      const { port, hostname } = new URL(supabase.url);
      const path = await openSlowPath(Number(port), roundTripMs / 2);
      const moved = (url: string | null) =>
        url?.replace(`${hostname}:${port}`, `127.0.0.1:${path.port}`) ?? null;
      try {
        const slow = {
          ...target,
          authUrl: moved(target.authUrl) ?? '',
          restUrl: moved(target.restUrl),
          storageUrl: moved(target.storageUrl),
          realtimeUrl: moved(target.realtimeUrl),
        };
        expect(await failuresOn(slow, 16, chosen)).toEqual([]);
      } finally {
        await path.close();
      }
    },
  );

  it('a busy processor fails no audit', { timeout: 1_800_000 }, async () => {
    const burners = Array.from({ length: 4 }, () => new Worker('for (;;) Math.random();', { eval: true }));
    try {
      expect(await failuresOn(target, 8, everyOf(8))).toEqual([]);
    } finally {
      await Promise.all(burners.map((burner) => burner.terminate()));
    }
  });
});
