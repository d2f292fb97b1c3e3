import { setTimeout } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import { MailTransportError } from '../../supabase/functions/_shared/mail/mail-transport.ts';
import { sendDueMails } from '../../supabase/functions/_shared/mail/send-due-mails.ts';
import type { PushOutcome } from '../../supabase/functions/_shared/push/push-transport.ts';
import { sendDuePushMessages } from '../../supabase/functions/_shared/push/send-due-push-messages.ts';
import { sendDueWebhooks } from '../../supabase/functions/_shared/webhooks/send-due-webhooks.ts';
import type { WebhookOutcome } from '../../supabase/functions/_shared/webhooks/webhook-transport.ts';
import {
  createWorkerQueue,
  queuedMail,
  queuedPushMessage,
  queuedWebhook,
  times,
  type WorkerQueue,
} from '../support/worker-queue.ts';

const settings = { appUrl: 'http://app', unsubscribeUrl: 'http://u', from: 'a@b.test', domain: 'b.test' };
const nowMs = Date.parse('2032-01-16T10:00:00Z');
const calledAt = '2032-01-16T10:00:00.000Z';
const noLimit = { now: () => nowMs, stopAtMs: Number.POSITIVE_INFINITY };

interface RunOptions {
  readonly now?: () => number;
  readonly stopAtMs?: number;
  readonly dueBeforeMs?: number;
}
const runMails = (
  queue: WorkerQueue,
  send: (mail: {
    readonly id: string;
    readonly text: string;
    readonly html: string;
  }) => Promise<unknown> = () => Promise.resolve(),
  options: RunOptions = {},
) =>
  sendDueMails({
    ...queue.options,
    ...noLimit,
    ...options,
    settings,
    transport: { send: async (mail) => void (await send(mail)), close: () => undefined },
  });
const runPush = (
  queue: WorkerQueue,
  send: () => Promise<PushOutcome> = () => Promise.resolve({ outcome: 'sent' }),
  options: RunOptions = {},
) => sendDuePushMessages({ ...queue.options, ...noLimit, ...options, transport: { send } });
const runWebhooks = (
  queue: WorkerQueue,
  send: () => Promise<WebhookOutcome> = () => Promise.resolve({ outcome: 'sent' }),
  options: RunOptions = {},
) => sendDueWebhooks({ ...queue.options, ...noLimit, ...options, transport: { send } });

const refuseMail = () => Promise.reject(new MailTransportError('no', 'temporary'));
const fail = () => Promise.resolve({ outcome: 'failed', reason: 'no', retrySeconds: null } as const);
const workers = [
  ['mails', runMails, queuedMail, 50, 5, refuseMail],
  ['push messages', runPush, queuedPushMessage, 100, 10, fail],
  ['webhooks', runWebhooks, queuedWebhook, 50, 10, fail],
] as const;

it.each([
  ['mails', runMails, queuedMail],
  ['push messages', runPush, queuedPushMessage],
] as const)('the worker of %s sends in every language that preferences can have', async (_, run, create) => {
  const languages = ['en', 'de-AT', 'yue', 'zh-Hant-HK'];
  const queue = createWorkerQueue(languages.map((language) => ({ ...create(language), language })));
  expect(await run(queue)).toEqual({ sent: languages.length, failed: 0, skipped: 0 });
});

describe.each(workers)('the worker of %s', (_, run, create, batchSize, sentAtOnce, failOne) => {
  it('claims batches for 150 seconds, 500 items in a run at most, and starts the next run', async () => {
    const queue = createWorkerQueue(times(700, create));
    expect(await run(queue)).toEqual({ sent: 500, failed: 0, skipped: 0 });
    expect(queue.claims).toHaveLength(500 / batchSize);
    for (const args of queue.claims)
      expect(args).toMatchObject({ batch_size: batchSize, lease_seconds: 150, called_at: calledAt });
    expect(queue.started()).toBe(1);
  });

  it('acknowledges with the lease and its own time', async () => {
    const queue = createWorkerQueue([create('one')]);
    await run(queue);
    expect(queue.finished.get('one')).toMatchObject({
      lease: 'lease of one',
      outcome: 'sent',
      reason: null,
      called_at: calledAt,
    });
    expect([queue.callsFor('one'), queue.started(), queue.lines()]).toEqual([1, 0, []]);
  });

  it('acknowledges with the time after the sending, and claims with the time of the claim', async () => {
    let clockMs = nowMs;
    const queue = createWorkerQueue(times(batchSize, create));
    const sendSlowly = async () => {
      clockMs = nowMs + 7000;
      return { outcome: 'sent' } as const;
    };
    await run(queue, sendSlowly, { now: () => clockMs });
    const later = '2032-01-16T10:00:07.000Z';
    expect(queue.finished.get('item-0')).toMatchObject({ called_at: later });
    expect(queue.claims.map((args) => args['called_at'])).toEqual([calledAt, later]);
  });

  it('reports the failures of all batches', async () => {
    let attempts = 0;
    const failEachSecond = async () => {
      attempts += 1;
      return attempts % 2 === 0 ? failOne() : ({ outcome: 'sent' } as const);
    };
    const report = await run(createWorkerQueue(times(2 * batchSize, create)), failEachSecond);
    expect(report).toEqual({ sent: batchSize, failed: batchSize, skipped: 0 });
  });

  it('sends several items at once, and no more', async () => {
    let inFlight = 0;
    let most = 0;
    const sendSlowly = async () => {
      inFlight += 1;
      most = Math.max(most, inFlight);
      await setTimeout(1);
      inFlight -= 1;
      return { outcome: 'sent' } as const;
    };
    await run(createWorkerQueue(times(30, create)), sendSlowly);
    expect(most).toBe(sentAtOnce);
  });

  it('reports what the database skipped, and continues while a batch is full', async () => {
    const queue = createWorkerQueue(times(batchSize, create), undefined, 5);
    const report = await run(queue, undefined, {});
    expect(report).toEqual({ sent: batchSize, failed: 0, skipped: 10 });
    expect(queue.claims).toHaveLength(2);
  });

  it('claims nothing when its time is over, and starts the next run', async () => {
    const queue = createWorkerQueue([create('one')]);
    expect(await run(queue, undefined, { stopAtMs: performance.now() - 1 })).toEqual({
      sent: 0,
      failed: 0,
      skipped: 0,
    });
    expect([queue.claims, queue.started()]).toEqual([[], 1]);
  });

  it.each([400, 403, 404, 409])(
    'does not retry an acknowledgment that gets %i, and claims nothing more',
    async (status) => {
      const queue = createWorkerQueue(times(200, create), () => new Response('{}', { status }));
      expect(await run(queue)).toEqual({ sent: 0, failed: batchSize, skipped: 0 });
      expect([queue.callsFor('item-0'), queue.waits, queue.claims.length, queue.started()]).toEqual([
        1,
        [],
        1,
        0,
      ]);
    },
  );

  it.each([408, 429, 500, 503])(
    'retries an acknowledgment four times that gets %i, with backoff',
    async (status) => {
      const random = vi.spyOn(Math, 'random').mockReturnValue(0.5);
      const queue = createWorkerQueue([create('one')], () => new Response('{}', { status }));
      await run(queue).finally(() => random.mockRestore());
      expect([queue.callsFor('one'), queue.waits]).toEqual([5, [200, 400, 800, 1600]]);
    },
  );

  it('counts an item as sent when the fifth acknowledgment succeeds', async () => {
    const queue = createWorkerQueue([create('one')], (__, call) => {
      if (call === 1) throw new TypeError('fetch failed');
      return call < 5 ? new Response('{}', { status: 503 }) : Response.json(true);
    });
    expect(await run(queue)).toEqual({ sent: 1, failed: 0, skipped: 0 });
  });
});

describe('a mail', () => {
  it.each([
    ['held', 'held', 7],
    ['temporary', 'failed', 7],
    ['refused', 'refused', 7],
    ['unknown-address', 'rejected', 7],
  ] as const)('that is %s is acknowledged as %s', async (refusal, outcome, seconds) => {
    const queue = createWorkerQueue([queuedMail('one')]);
    await runMails(queue, () =>
      Promise.reject(new MailTransportError('no', refusal, { retryAfterMs: seconds * 1000 })),
    );
    expect(queue.finished.get('one')).toMatchObject({
      outcome,
      reason: 'no',
      lease: 'lease of one',
      retry_after_seconds: seconds,
    });
    expect(queue.lines()).toMatchObject([{ event: 'mail_failed', mail_id: 'one', outcome, reason: 'no' }]);
  });

  it.each([[{ name: null }], [{ name: '' }], [{}]])(
    'about a passkey with %j calls it Passkey',
    async (detail) => {
      const event = { kind: 'passkey_added', detail, created_at: calledAt };
      const mail = { ...queuedMail('one'), topic: 'security:passkey_added', security_event: event };
      const texts: string[] = [];
      const report = await runMails(createWorkerQueue([mail]), async ({ text }) => texts.push(text));
      expect([report.sent, texts]).toEqual([1, [expect.stringContaining('The passkey “Passkey” was added')]]);
    },
  );

  it.each([
    ['en', 'invitation:1', 'Invitations are emailed even if', 'Change email settings'],
    ['de', 'invitation:1', 'Einladungen kommen auch dann per E-Mail', 'E-Mail-Einstellungen ändern'],
    ['en', 'kind:invite', 'because you chose “instant”', 'Unsubscribe from'],
    ['de', 'kind:invite', 'weil du „sofort“ gewählt hast', 'abbestellen'],
  ])('in %s about %s says why it was sent and how to unsubscribe', async (language, topic, reason, link) => {
    const content = { metadata: { actor_name: 'Grace Hopper' }, data: { entity_name: 'Notes' } };
    const item = { id: 'n', kind: 'invite', content, created_at: calledAt, is_in_inbox: true };
    const mail = {
      ...queuedMail('one'),
      language,
      topic,
      frequency: 'instant',
      items: [item],
      item_count: 1,
    };
    const texts: string[] = [];
    await runMails(createWorkerQueue([mail]), async ({ text }) => texts.push(text));
    expect(texts).toEqual([expect.stringContaining(reason)]);
    expect(texts[0]).toContain(link);
  });

  it('has no attribute of HTML that a path of a notification contains', async () => {
    const content = { data: { url: '/x" style="color:red' } };
    const item = { id: 'n', kind: 'mention', content, created_at: calledAt, is_in_inbox: false };
    const mail = { ...queuedMail('one'), topic: 'kind:mention', items: [item], item_count: 1 };
    const pages: string[] = [];
    await runMails(createWorkerQueue([mail]), async ({ html }) => pages.push(html));
    expect(pages).toEqual([expect.stringContaining('/x&quot; style=&quot;color:red"')]);
  });

  it('is well-formed HTML, whose last links are separated by dots', async () => {
    const item = { id: 'n', kind: 'mention', content: null, created_at: calledAt, is_in_inbox: true };
    const mail = { ...queuedMail('one'), topic: 'kind:mention', items: [item], item_count: 1 };
    const pages: string[] = [];
    await runMails(createWorkerQueue([mail]), async ({ html }) => pages.push(html));
    const words = pages[0]?.replaceAll(/<[^>]*>/g, '').replaceAll(/\s+/g, ' ');
    // Each attribute ends where it should.
    expect(pages[0]?.match(/<[^>]*>/g)?.filter((tag) => tag.split('"').length % 2 === 0)).toEqual([]);
    expect(words).toMatch(/[^·] Change email settings · Unsubscribe from mentions · Unsubscribe from all $/);
  });

  it('is due until the time of the call, or until a time that the call names', async () => {
    const queue = createWorkerQueue([]);
    await runMails(queue);
    await runMails(queue, undefined, { dueBeforeMs: nowMs + 3_600_000 });
    expect(queue.claims.map((args) => args['due_before'])).toEqual([null, '2032-01-16T11:00:00.000Z']);
  });

  it.each([
    [0, 1000],
    [7000, 7000],
  ])('waits for the provider in the run (%i: %i ms), and is sent then', async (retryAfterMs, waitMs) => {
    const queue = createWorkerQueue(times(2, queuedMail));
    let attempts = 0;
    const report = await runMails(
      queue,
      () => {
        attempts += 1;
        return attempts === 1
          ? Promise.reject(new MailTransportError('busy', 'unavailable', { retryAfterMs }))
          : Promise.resolve();
      },
      { stopAtMs: performance.now() + 30_000 },
    );
    expect([report.sent, queue.waits]).toEqual([2, [waitMs]]);
    expect(queue.lines()).toMatchObject([
      { event: 'provider_unavailable', mail_id: 'item-0', reason: 'busy' },
    ]);
  });

  it('is given back with the longest wait that the provider names, where the run would end before', async () => {
    const queue = createWorkerQueue(times(20, queuedMail));
    const report = await runMails(
      queue,
      ({ id }) =>
        Promise.reject(
          new MailTransportError(`down for ${id}`, 'unavailable', {
            retryAfterMs: id === 'item-0' ? 900_000 : 60_000,
          }),
        ),
      { stopAtMs: performance.now() + 30_000 },
    );
    expect(report).toEqual({ sent: 0, failed: 20, skipped: 0 });
    expect(queue.outcomes()).toEqual(Array.from({ length: 20 }, () => 'delayed'));
    expect(queue.finished.get('item-19')).toMatchObject({ retry_after_seconds: 900 });
    expect(queue.waits).toEqual([]);
    expect(queue.started()).toBe(0);
  });

  it('waits a minute after ten mails that were held, or as long as the last one says', async () => {
    const retryAfterOf = async (retryAfterMs: number) => {
      const queue = createWorkerQueue(times(50, queuedMail));
      const options = { stopAtMs: performance.now() + 30_000 };
      await runMails(
        queue,
        () => Promise.reject(new MailTransportError('no', 'held', { retryAfterMs })),
        options,
      );
      return queue.finished.get('item-49')?.['retry_after_seconds'];
    };
    expect([await retryAfterOf(0), await retryAfterOf(90_000)]).toEqual([60, 90]);
  });

  it('that is refused resets the count of held mails', async () => {
    const queue = createWorkerQueue(times(48, queuedMail));
    const refusalOf = (id: string) => (Number(id.split('-')[1]) % 4 === 0 ? 'refused' : 'held');
    await runMails(queue, ({ id }) => Promise.reject(new MailTransportError('no', refusalOf(id))), {
      stopAtMs: performance.now() + 30_000,
    });
    expect(queue.outcomes()).not.toContain('delayed');
  });

  it('that finds no provider leaves the count of held mails', async () => {
    const queue = createWorkerQueue(times(48, queuedMail));
    const tried = new Set<string>();
    const refusalOf = (id: string) => {
      const isFirst = Number(id.split('-')[1]) % 4 === 0 && !tried.has(id);
      tried.add(id);
      return isFirst ? 'unavailable' : 'held';
    };
    await runMails(queue, ({ id }) => Promise.reject(new MailTransportError('no', refusalOf(id))), {
      stopAtMs: performance.now() + 30_000,
    });
    expect(queue.outcomes()).toContain('delayed');
  });
});

describe('an acknowledgment of a failure', () => {
  const failure = { outcome: 'failed', reason: 'The response was 503', retrySeconds: 7 } as const;

  it.each([
    ['push messages', runPush, queuedPushMessage, 'push_failed'],
    ['webhooks', runWebhooks, queuedWebhook, 'webhook_failed'],
  ] as const)('of %s has the reason and the wait', async (_, run, create, event) => {
    const queue = createWorkerQueue([create('one')]);
    expect(await run(queue, () => Promise.resolve(failure))).toEqual({ sent: 0, failed: 1, skipped: 0 });
    expect(queue.finished.get('one')).toMatchObject({
      outcome: 'failed',
      reason: failure.reason,
      retry_seconds: 7,
      called_at: calledAt,
    });
    expect(queue.lines()).toMatchObject([{ event, reason: failure.reason }]);
  });
});
