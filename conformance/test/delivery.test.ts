import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createAuditContext } from '../src/audit/audit-context.ts';
import { audits } from '../src/audits/audits.ts';
import { withDeadlineScale } from '../src/target/deadlines.ts';
import { awaitDelivery } from '../src/audits/rest/notifications.ts';
import { runAudits } from '../src/runner/runner.ts';
import { startQueueingTarget, type QueueingTarget } from './queueing-target.ts';

describe('a project that delivers notifications by a job', () => {
  let queueing: QueueingTarget;

  beforeAll(async () => {
    queueing = await startQueueingTarget();
  }, 60_000);

  afterAll(() => queueing.close());

  const choose = (...ids: readonly string[]) => audits.filter(({ id }) => ids.includes(id));

  it('passes the audits that read sent notifications', async () => {
    const stop = queueing.deliverEvery(300);
    const chosen = choose('REST-108', 'RT-117');
    const results = await runAudits(chosen, queueing.target, { concurrency: chosen.length });
    await stop();
    expect(results.map(({ audit, outcome }) => [audit.id, outcome])).toEqual(
      chosen.map(({ id }) => [id, { status: 'passed' }]),
    );
  });

  it('an undelivered notification fails an audit with the name of the rule', async () => {
    const empty = createAuditContext({
      ...queueing.target,
      fetch: () => Promise.resolve(Response.json([])),
    });
    const user = { id: '', email: '', password: '', accessToken: '', refreshToken: '' };
    const hurried = { record: () => {}, roundTripMs: () => 0, scale: (ms: number) => ms / 50 };
    const delivery = withDeadlineScale(hurried, () => awaitDelivery(empty, user, 1));
    await expect(delivery).rejects.toThrow(
      '1 notifications of the recipient are delivered within 200 ms (protocol/product.md#delivery); came: 0 are delivered',
    );
  });
});
