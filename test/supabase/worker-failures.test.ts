import { beforeEach, expect, it, vi } from 'vitest';
import { MailTransportError } from '../../supabase/functions/_shared/mail/mail-transport.ts';
import type { MailRefusal, OutgoingMail } from '../../supabase/functions/_shared/mail/mail-transport.ts';
import { renderMail } from '../../supabase/functions/_shared/mail/render-mail.ts';
import { sendDueMails } from '../../supabase/functions/_shared/mail/send-due-mails.ts';
import { createDatabaseCaller } from '../../supabase/functions/_shared/runtime/database-functions.ts';
import { createFailureLog } from '../../supabase/functions/_shared/runtime/failure-log.ts';
import { sendDuePushMessages } from '../../supabase/functions/_shared/push/send-due-push-messages.ts';

const traceId = '0af7651916cd43dd8448eb211c80319c';
let written: string[] = [];

beforeEach(() => {
  written = [];
});

const lines = () => written.map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>);

/**
 * A queue whose data service responds to acknowledgments by `answer`, which gets the item's id and the number of its calls.
 */
function createQueue(items: readonly object[], answer: (id: string, call: number) => Response) {
  const waiting = [...items];
  const calls = new Map<string, number>();
  const finished = new Map<string, string>();
  let claims = 0;
  const fetchFake = async (input: string | URL | Request, init?: RequestInit): Promise<Response> => {
    const request = new Request(input, init);
    const args = (await request.json()) as Readonly<Record<string, string>>;
    const name = new URL(request.url).pathname.split('/').at(-1) ?? '';
    if (name.startsWith('claim_')) {
      claims += 1;
      const batch = waiting.splice(0, Number(args['batch_size']));
      return Response.json({ claimed: batch.length, mails: batch, messages: batch });
    }
    const id = args['mail_id'] ?? args['message_id'] ?? '';
    calls.set(id, (calls.get(id) ?? 0) + 1);
    const response = answer(id, calls.get(id) ?? 0);
    if (response.ok) finished.set(id, `${args['outcome']}`);
    return response;
  };
  const log = createFailureLog(
    new Request('http://localhost', { headers: { traceparent: `00-${traceId}-b7ad6b7169203331-01` } }),
    'worker',
    (line) => void written.push(line),
  );
  const env = { SUPABASE_URL: 'http://localhost', SUPABASE_SERVICE_ROLE_KEY: 'key' };
  const callDatabase = createDatabaseCaller({ env, fetch: fetchFake, now: () => 0 }, log.traceparent);
  let started = 0;
  return {
    callDatabase,
    log,
    finished,
    claims: () => claims,
    wait: () => Promise.resolve(),
    startNext: async () => void (started += 1),
    /** How many next runs were started. */
    started: () => started,
  };
}

const accept = () => Response.json(true);
const refuse = (status: number) => Response.json({}, { status });
const settings = { appUrl: 'http://app', unsubscribeUrl: 'http://u', from: 'a@b.test', domain: 'b.test' };
const mail = (id: string) => ({
  id,
  lease: `lease of ${id}`,
  topic: 'test',
  thread_id: 't',
  due_at: '2032-01-01T00:00:00Z',
  address: `${id}@example.com`,
  name: 'Ada',
  language: 'en',
  time_zone: 'UTC',
  frequency: 'daily',
  items: [],
  item_count: 0,
  security_event: null,
  unsubscribe_token: 'token',
});
const mails = (count: number) => Array.from({ length: count }, (_, index) => mail(`mail-${index}`));

async function sendMails(
  queue: ReturnType<typeof createQueue>,
  send: (mail: OutgoingMail) => Promise<void>,
  stopAtMs = Number.POSITIVE_INFINITY,
) {
  const transport = { send, close: () => undefined };
  return sendDueMails({ ...queue, transport, settings, now: () => 0, stopAtMs });
}

it('an acknowledgment that gets 503 is retried, and every mail is sent once', async () => {
  const queue = createQueue(mails(60), (_, call) => (call === 1 ? refuse(503) : accept()));
  const sent: string[] = [];
  const report = await sendMails(queue, async ({ id }) => void sent.push(id));
  expect(report).toEqual({ sent: 60, failed: 0, skipped: 0 });
  expect(sent).toHaveLength(60);
  expect(queue.finished.size).toBe(60);
  expect(lines()).toEqual([]);
});

it('an acknowledgment that keeps failing touches no other mail of the batch, and no further batch is claimed', async () => {
  const queue = createQueue(mails(60), (id) => (id === 'mail-3' ? refuse(503) : accept()));
  const report = await sendMails(queue, async () => undefined);
  expect(report).toEqual({ sent: 49, failed: 1, skipped: 0 });
  expect(queue.finished.size).toBe(49);
  expect(queue.claims()).toBe(1);
  expect(lines()).toMatchObject([{ event: 'acknowledgment_failed', mail_id: 'mail-3', outcome: 'sent' }]);
});

it('a mail that cannot be read or handed over fails by itself, with one line in the log that names it and the trace', async () => {
  const queue = createQueue([{ id: 'poison', lease: 'l', topic: 7 }, ...mails(4)], accept);
  const report = await sendMails(queue, async ({ id }) => {
    if (id === 'mail-1') throw new MailTransportError('No such mailbox', 'unknown-address');
  });
  expect(report).toEqual({ sent: 3, failed: 2, skipped: 0 });
  expect(queue.finished.get('poison')).toBe('failed');
  expect(queue.finished.get('mail-1')).toBe('rejected');
  expect(lines()).toHaveLength(2);
  expect(lines()).toContainEqual({
    level: 'error',
    function: 'worker',
    event: 'mail_failed',
    mail_id: 'mail-1',
    outcome: 'rejected',
    reason: 'No such mailbox',
    traceparent: expect.stringMatching(new RegExp(`^00-${traceId}-[0-9a-f]{16}-01$`)),
  });
});

it('a run that has no time left gives its mails back, without a counted attempt', async () => {
  const queue = createQueue(mails(20), accept);
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
  expect([...queue.finished.values()].filter((outcome) => outcome === 'delayed')).toHaveLength(20 - sent);
});

it('a run sends 500 mails at most, which takes less processor time than the platform allows', async () => {
  const queue = createQueue(mails(700), accept);
  expect(await sendMails(queue, async () => undefined)).toEqual({ sent: 500, failed: 0, skipped: 0 });
  expect(queue.claims()).toBe(10);
  expect(queue.started()).toBe(1);
});

it('a run that has sent all that is due starts no next one', async () => {
  const queue = createQueue(mails(60), accept);
  await sendMails(queue, async () => undefined);
  expect(queue.started()).toBe(0);
});

it('a push message that cannot be read fails by itself, and the others are sent', async () => {
  const message = (id: string) => ({
    id,
    lease: 'l',
    endpoint: 'https://push.example.com/x',
    p256dh: 'key',
    auth: 'secret',
    language: 'en',
    newest: {
      id: 'n',
      kind: 'mention',
      content: null,
      created_at: '2032-01-01T00:00:00Z',
      is_in_inbox: true,
    },
    item_count: 1,
    unread_count: 1,
  });
  const queue = createQueue(
    [{ ...message('poison'), newest: null }, message('one'), message('two')],
    (id, call) => (id === 'one' && call < 3 ? refuse(503) : accept()),
  );
  const report = await sendDuePushMessages({
    ...queue,
    transport: { send: () => Promise.resolve({ outcome: 'sent' }) },
    now: () => 0,
    stopAtMs: Number.POSITIVE_INFINITY,
  });
  expect(report).toEqual({ sent: 2, failed: 1, skipped: 0 });
  expect(Object.fromEntries(queue.finished)).toEqual({ poison: 'failed', one: 'sent', two: 'sent' });
  expect(lines()).toMatchObject([{ event: 'push_failed', message_id: 'poison' }]);
});

const refuseWith = (refusal: MailRefusal) => () => Promise.reject(new MailTransportError('no', refusal));

it('ten mails in a row that are held make the others wait: a wrong setting is no reason to try them all', async () => {
  const queue = createQueue(mails(50), accept);
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
  const outcomes = [...queue.finished.values()];
  expect(outcomes.filter((outcome) => outcome === 'held')).toHaveLength(tried);
  expect(outcomes.filter((outcome) => outcome === 'delayed')).toHaveLength(50 - tried);
});

it('a few mails that are held stop no other mail', async () => {
  const queue = createQueue(mails(60), accept);
  const report = await sendMails(
    queue,
    ({ id }) => (Number(id.split('-')[1]) % 4 === 0 ? refuseWith('held')() : Promise.resolve()),
    performance.now() + 30_000,
  );
  expect(report).toEqual({ sent: 45, failed: 15, skipped: 0 });
  expect([...queue.finished.values()].filter((outcome) => outcome === 'delayed')).toEqual([]);
});

it.each([
  ['kind:mention', 'instant:mention::btestmails', 'Please look'],
  ['digest', 'digest:daily::btestmails', 'Grace Hopper mentioned you in Notes'],
])(
  'a mail about %s says its sort to Gmail, and to lists of mails what its subject does not',
  (topic, id, text) => {
    const content = {
      metadata: { actor_name: 'Grace Hopper' },
      data: { entity_name: 'Notes', text: 'Please look' },
    };
    const item = {
      id: 'n',
      kind: 'mention',
      content,
      created_at: '2032-01-01T00:00:00Z',
      count: 1,
      is_in_inbox: true,
    };
    const rendered = renderMail({ ...mail('one'), topic, items: [item], item_count: 1 }, settings);
    expect(rendered.headers['Feedback-ID']).toBe(id);
    const [, preheader] = /<body[^>]*>\s*<div style="display: none[^>]*>([^<]*)</.exec(rendered.html) ?? [];
    expect(preheader).toBe(text);
    expect(rendered.subject).not.toBe(preheader);
  },
);
