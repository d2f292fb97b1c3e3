import { expect, it, vi } from 'vitest';
import { MailTransportError } from '../../supabase/functions/_shared/mail/mail-transport.ts';
import type { MailRefusal, OutgoingMail } from '../../supabase/functions/_shared/mail/mail-transport.ts';
import { renderMail } from '../../supabase/functions/_shared/mail/render-mail.ts';
import { sendDueMails } from '../../supabase/functions/_shared/mail/send-due-mails.ts';
import { sendDuePushMessages } from '../../supabase/functions/_shared/push/send-due-push-messages.ts';
import {
  createWorkerQueue,
  queuedMail,
  queuedPushMessage,
  times,
  traceId,
  type WorkerQueue,
} from '../support/worker-queue.ts';

const refuse = (status: number) => Response.json({}, { status });
const settings = { appUrl: 'http://app', unsubscribeUrl: 'http://u', from: 'a@b.test', domain: 'b.test' };
const mails = (count: number) => times(count, queuedMail);

async function sendMails(
  queue: WorkerQueue,
  send: (mail: OutgoingMail) => Promise<void>,
  stopAtMs = Number.POSITIVE_INFINITY,
) {
  const transport = { send, close: () => undefined };
  return sendDueMails({ ...queue.options, transport, settings, now: () => 0, stopAtMs });
}

it('an acknowledgment that gets 503 is retried, and every mail is sent once', async () => {
  const queue = createWorkerQueue(mails(60), (_, call) => (call === 1 ? refuse(503) : Response.json(true)));
  const sent: string[] = [];
  const report = await sendMails(queue, async ({ id }) => void sent.push(id));
  expect(report).toEqual({ sent: 60, failed: 0, skipped: 0 });
  expect(sent).toHaveLength(60);
  expect(queue.finished.size).toBe(60);
  expect(queue.lines()).toEqual([]);
});

it('an acknowledgment is retried after its wait', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'Date'] });
  try {
    const callsAtMs: number[] = [];
    const queue = createWorkerQueue(mails(1), (_, call) => {
      callsAtMs.push(Date.now());
      return call < 3 ? refuse(503) : Response.json(true);
    });
    const wait = (durationMs: number) => new Promise<void>((resolve) => void setTimeout(resolve, durationMs));
    const transport = { send: async () => undefined, close: () => undefined };
    const options = {
      ...queue.options,
      wait,
      transport,
      settings,
      now: () => 0,
      stopAtMs: Number.POSITIVE_INFINITY,
    };
    const run = sendDueMails(options);
    await vi.waitFor(() => expect(callsAtMs).toHaveLength(3), 60_000);
    expect(await run).toEqual({ sent: 1, failed: 0, skipped: 0 });
    const [first = 0, second = 0, third = 0] = callsAtMs;
    expect([second - first >= 100, third - second >= 200]).toEqual([true, true]);
  } finally {
    vi.useRealTimers();
  }
});

it('an acknowledgment that keeps failing touches no other mail of the batch, and no further batch is claimed', async () => {
  const queue = createWorkerQueue(mails(60), (id) => (id === 'item-3' ? refuse(503) : Response.json(true)));
  const report = await sendMails(queue, async () => undefined);
  expect(report).toEqual({ sent: 49, failed: 1, skipped: 0 });
  expect(queue.finished.size).toBe(49);
  expect(queue.claims).toHaveLength(1);
  expect(queue.lines()).toMatchObject([
    { event: 'acknowledgment_failed', mail_id: 'item-3', outcome: 'sent' },
  ]);
});

it('a mail that cannot be read or handed over fails by itself, with one line in the log that names it and the trace', async () => {
  const queue = createWorkerQueue([{ id: 'poison', lease: 'l', topic: 7 }, ...mails(4)]);
  const report = await sendMails(queue, async ({ id }) => {
    if (id === 'item-1') throw new MailTransportError('No such mailbox', 'unknown-address');
  });
  expect(report).toEqual({ sent: 3, failed: 2, skipped: 0 });
  expect(queue.outcomeOf('poison')).toBe('failed');
  expect(queue.outcomeOf('item-1')).toBe('rejected');
  expect(queue.lines()).toHaveLength(2);
  expect(queue.lines()).toContainEqual({
    level: 'error',
    function: 'worker',
    event: 'mail_failed',
    mail_id: 'item-1',
    outcome: 'rejected',
    reason: 'No such mailbox',
    traceparent: expect.stringMatching(new RegExp(`^00-${traceId}-[0-9a-f]{16}-01$`)),
  });
});

it('a run that has no time left gives its mails back, without a counted attempt', async () => {
  const queue = createWorkerQueue(mails(20));
  let sent = 0;
  let elapsedMs = 0;
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => elapsedMs);
  const send = async () => {
    sent += 1;
    elapsedMs += 10;
  };
  const report = await sendMails(queue, send, 40).finally(() => clock.mockRestore());
  expect(sent).toBe(report.sent);
  expect(report.sent).toBeLessThan(20);
  expect(queue.outcomes().filter((outcome) => outcome === 'delayed')).toHaveLength(20 - sent);
});

it('a push message that cannot be read fails by itself, and the others are sent', async () => {
  const queue = createWorkerQueue(
    [{ ...queuedPushMessage('poison'), newest: null }, queuedPushMessage('one'), queuedPushMessage('two')],
    (id, call) => (id === 'one' && call < 3 ? refuse(503) : Response.json(true)),
  );
  const report = await sendDuePushMessages({
    ...queue.options,
    transport: { send: () => Promise.resolve({ outcome: 'sent' }) },
    now: () => 0,
    stopAtMs: Number.POSITIVE_INFINITY,
  });
  expect(report).toEqual({ sent: 2, failed: 1, skipped: 0 });
  expect(['poison', 'one', 'two'].map(queue.outcomeOf)).toEqual(['failed', 'sent', 'sent']);
  expect(queue.lines()).toMatchObject([{ event: 'push_failed', message_id: 'poison' }]);
});

const refuseWith = (refusal: MailRefusal) => () => Promise.reject(new MailTransportError('no', refusal));

it('ten mails in a row that are held make the others wait, because a wrong setting would hold each of them', async () => {
  const queue = createWorkerQueue(mails(50));
  let tried = 0;
  const report = await sendMails(
    queue,
    () => {
      tried += 1;
      return refuseWith('held')();
    },
    performance.now() + 30_000,
  );
  expect(report).toEqual({ sent: 0, failed: 50, skipped: 0 });
  expect(queue.started()).toBe(0);
  // Five are in flight when the tenth is held.
  expect(tried).toBeGreaterThanOrEqual(10);
  expect(tried).toBeLessThan(15);
  const outcomes = queue.outcomes();
  expect(outcomes.filter((outcome) => outcome === 'held')).toHaveLength(tried);
  expect(outcomes.filter((outcome) => outcome === 'delayed')).toHaveLength(50 - tried);
});

it('a few mails that are held stop no other mail', async () => {
  const queue = createWorkerQueue(mails(60));
  const report = await sendMails(
    queue,
    ({ id }) => (Number(id.split('-')[1]) % 4 === 0 ? refuseWith('held')() : Promise.resolve()),
    performance.now() + 30_000,
  );
  expect(report).toEqual({ sent: 45, failed: 15, skipped: 0 });
  expect(queue.outcomes().filter((outcome) => outcome === 'delayed')).toEqual([]);
});

it.each([
  ['kind:mention', 'instant:mention::btestmails', 'Please look', 'Please look'],
  ['kind:mention', 'instant:mention::btestmails', `${'x'.repeat(139)}😀😀`, 'x'.repeat(139)],
  ['digest', 'digest:daily::btestmails', 'Please look', 'Grace Hopper mentioned you in Notes'],
])(
  'a mail about %s has its category for Gmail, and a preview text that does not repeat the subject',
  (topic, id, text, shown) => {
    const content = {
      metadata: { actor_name: 'Grace Hopper' },
      data: { entity_name: 'Notes', text },
    };
    const item = {
      id: 'n',
      kind: 'mention',
      content,
      created_at: '2032-01-01T00:00:00Z',
      count: 1,
      is_in_inbox: true,
    };
    const rendered = renderMail({ ...queuedMail('one'), topic, items: [item], item_count: 1 }, settings);
    expect(rendered.headers['Feedback-ID']).toBe(id);
    const [, preheader] = /<body[^>]*>\s*<div style="display: none[^>]*>([^<]*)</.exec(rendered.html) ?? [];
    expect(preheader).toBe(shown);
    expect(rendered.subject).not.toBe(preheader);
  },
);
