import { expect, it } from 'vitest';
import { audits } from '../src/audits/audits.ts';
import { isUnexpected, runAudits } from '../src/runner/runner.ts';
import { needsSettings } from './local-audits.ts';
import { startQueueingTarget } from './queueing-target.ts';

const areas = new Set(['rest', 'rest-client', 'realtime', 'realtime-client']);

it(
  'a project that delivers notifications once a second passes the audits of REST and realtime',
  { timeout: 900_000 },
  async () => {
    const queueing = await startQueueingTarget();
    const stop = queueing.deliverEvery(1000);
    try {
      const chosen = audits.filter(({ area }) => areas.has(area));
      const results = await runAudits(chosen, queueing.target);
      expect(results.filter(isUnexpected).map(({ audit, outcome }) => [audit.id, outcome])).toEqual([]);
      const notRun = results.filter(
        (result) => result.outcome.status === 'not-run' && !needsSettings(result),
      );
      expect(notRun).toEqual([]);
    } finally {
      await stop();
      await queueing.close();
    }
  },
);
