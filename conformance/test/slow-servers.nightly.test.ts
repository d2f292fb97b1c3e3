import { Worker } from 'node:worker_threads';
import type { LocalSupabase } from 'local-supabase';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createLocalTarget, startLocalSupabase } from '../bin/local-target.ts';
import { audits } from '../src/audits/audits.ts';
import { runAudits } from '../src/runner/runner.ts';
import type { ConformanceTarget } from '../src/target/target.ts';
import { auditsWithoutPasskeys } from './local-audits.ts';
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
  const failuresOn = async (slow: ConformanceTarget, concurrency: number, every: number) => {
    const chosen = audits.filter(
      ({ id }, index) => index % every === 0 && !auditsWithoutPasskeys.includes(id),
    );
    const results = await runAudits(chosen, slow, { concurrency });
    return results.flatMap(({ audit, outcome }) =>
      outcome.status === 'passed' ? [] : [[audit.id, outcome] as const],
    );
  };

  it('a round trip of 300 ms fails no audit', { timeout: 900_000 }, async () => {
    const { port, hostname } = new URL(supabase.url);
    const path = await openSlowPath(Number(port), 150);
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
      expect(await failuresOn(slow, 16, 3)).toEqual([]);
    } finally {
      await path.close();
    }
  });

  it('a busy processor fails no audit', { timeout: 900_000 }, async () => {
    const burners = Array.from({ length: 4 }, () => new Worker('for (;;) Math.random();', { eval: true }));
    try {
      expect(await failuresOn(target, 8, 8)).toEqual([]);
    } finally {
      await Promise.all(burners.map((burner) => burner.terminate()));
    }
  });
});
