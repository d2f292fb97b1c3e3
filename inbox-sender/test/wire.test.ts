import { runInNewContext } from 'node:vm';
import { createSender, SenderError, type Message, type Sender } from 'inbox-sender';
import { expect, it } from 'vitest';

const id = 'ada00000-0000-4000-8000-000000000001';
const wireStatus = {
  id,
  idempotency_key: null,
  state: 'queued',
  send_at: '2032-01-16T09:00:00+00:00',
  local_time: '2032-01-16T10:00',
  expires_at: '2032-02-16T10:00:00Z',
  counts: { delivered: 1, suppressed: 0, failed: 0, unknown: 0 },
  deliveries: [
    {
      recipient_id: id,
      outcome: 'delivered',
      reason: 'muted',
      notification_id: 'n',
      channels: ['push'],
      quiet_until: '2032-01-16T18:00:00Z',
      mail_state: 'sent',
      created_at: '2032-01-16T09:00:00Z',
    },
    { recipient_id: id, outcome: 'unknown' },
  ],
};

/** A sender whose project responds by `respond`, and the requests that it got. */
function createRecordedSender(respond: (path: string) => unknown) {
  const requests: { readonly path: string; readonly body: unknown; readonly redirect: string }[] = [];
  const sender = createSender({
    url: 'https://project.example',
    secretKey: 'sb_secret_test',
    retries: 0,
    fetch: async (input, init) => {
      const request = new Request(input, init);
      const path = new URL(request.url).pathname;
      requests.push({ path, body: await request.json(), redirect: request.redirect });
      return Response.json(respond(path));
    },
  });
  return { sender, requests };
}

it.each<[string, Message, object]>([
  [
    'all fields',
    {
      recipients: [id],
      kind: 'mention',
      text: 'Hello',
      url: '/orders/7',
      sender: { userId: id },
      important: true,
      sendAt: new Date('2032-01-16T10:00:00+01:00'),
      expiresAt: new Date('2032-02-16T10:00:00Z'),
      idempotencyKey: 'key',
    },
    {
      recipients: [id],
      kind: 'mention',
      text: 'Hello',
      url: '/orders/7',
      sender: { user_id: id },
      important: true,
      send_at: '2032-01-16T09:00:00.000Z',
      expires_at: '2032-02-16T10:00:00.000Z',
      idempotency_key: 'key',
    },
  ],
  [
    'a local time and a name as the sender',
    { everyone: true, sendAt: { localTime: '2032-01-16T10:00' }, sender: { name: 'CI' }, idempotencyKey: '' },
    {
      everyone: true,
      send_at: { local_time: '2032-01-16T10:00' },
      sender: { name: 'CI' },
      idempotency_key: '',
    },
  ],
  [
    'fields that the type does not know, and none for undefined',
    {
      audience: 'staff',
      sendAt: { localTime: 'x', zone: 'UTC' },
      subject: null,
      url: undefined,
      idempotencyKey: 'k',
    } as unknown as Message,
    { audience: 'staff', send_at: { local_time: 'x', zone: 'UTC' }, subject: null, idempotency_key: 'k' },
  ],
])('a message with %s is sent in the form of the database', async (_, message, wire) => {
  const { sender, requests } = createRecordedSender(() => [wireStatus]);
  await sender.send(message);
  expect(requests).toEqual([
    { path: '/rest/v1/rpc/send_notifications', body: { messages: [wire] }, redirect: 'manual' },
  ]);
});

it('each message without an idempotency key is sent with a new one', async () => {
  const { sender, requests } = createRecordedSender(() => [wireStatus, wireStatus]);
  await sender.sendAll([{ everyone: true }, { everyone: true }]);
  const body = requests[0]?.body as { readonly messages: readonly { idempotency_key: string }[] } | undefined;
  const keys = body?.messages.map(({ idempotency_key: key }) => key);
  expect(keys).toEqual([expect.stringMatching(/^[0-9a-f-]{36}$/), expect.stringMatching(/^[0-9a-f-]{36}$/)]);
  expect(new Set(keys).size).toBe(2);
});

it('the status of a message has the names and types of the sender, in the order of the response', async () => {
  const plain = { ...wireStatus, idempotency_key: 'key', local_time: null, expires_at: null, deliveries: [] };
  const { sender } = createRecordedSender(() => [wireStatus, plain]);
  const [status, second] = await sender.sendAll([{ everyone: true }, { everyone: true }]);
  expect(status).toEqual({
    id,
    idempotencyKey: null,
    state: 'queued',
    sendAt: new Date('2032-01-16T09:00:00Z'),
    localTime: '2032-01-16T10:00',
    expiresAt: new Date('2032-02-16T10:00:00Z'),
    counts: wireStatus.counts,
    deliveries: [
      {
        recipientId: id,
        outcome: 'delivered',
        reason: 'muted',
        notificationId: 'n',
        channels: ['push'],
        quietUntil: new Date('2032-01-16T18:00:00Z'),
        mailState: 'sent',
      },
      { recipientId: id, outcome: 'unknown' },
    ],
  });
  expect(second).toMatchObject({ idempotencyKey: 'key', localTime: null, expiresAt: null, deliveries: [] });
});

it.each<[string, (sender: Sender) => Promise<unknown>, object]>([
  ['message_status', (sender) => sender.status(id), { message_id: id }],
  [
    'message_status',
    (sender) => sender.status(id, { userId: id.toUpperCase() }),
    { message_id: id, user_id: id.toUpperCase() },
  ],
  [
    'message_status',
    (sender) => sender.deliveries(id).next(),
    { message_id: id, after: null, page_size: 1000 },
  ],
  ['cancel_message', (sender) => sender.cancel(id), { message_id: id }],
  ['remove_kind', (sender) => sender.removeKind(' Deployed'), { name: ' Deployed' }],
])('calls %s', async (name, call, body) => {
  const { sender, requests } = createRecordedSender(() => wireStatus);
  await call(sender);
  expect(requests).toMatchObject([{ path: `/rest/v1/rpc/${name}`, body }]);
});

it('a dry run passes the preview of the database to the function for mails', async () => {
  const { sender, requests } = createRecordedSender((path) =>
    path.startsWith('/functions/')
      ? { en: {} }
      : [{ recipient_count: null, deliveries: wireStatus.deliveries, content: { a: 1 }, words: null }],
  );
  const { recipientCount, deliveries, previews } = await sender.dryRun({
    everyone: true,
    idempotencyKey: 'k',
  });
  expect([recipientCount, deliveries[0]?.recipientId, previews]).toEqual([null, id, { en: {} }]);
  expect(requests).toMatchObject([
    { body: { messages: [{ everyone: true, idempotency_key: 'k' }], dry_run: true } },
    { path: '/functions/v1/notification-mails', body: { preview: { content: { a: 1 }, words: null } } },
  ]);
});

it('a response without the message is an error of the server', async () => {
  const { sender } = createRecordedSender(() => []);
  await expect(sender.send({ everyone: true })).rejects.toMatchObject({ code: 'server' });
});

it('accepts 100 messages in a call, and refuses more', async () => {
  const { sender, requests } = createRecordedSender(() => []);
  const messages = (length: number) => Array.from({ length }, (): Message => ({ everyone: true }));
  await sender.sendAll(messages(100));
  await expect(sender.sendAll(messages(101))).rejects.toMatchObject({ code: 'invalid-message' });
  expect(requests).toHaveLength(1);
});

it.each<[string, unknown, string | null]>([
  ['an object of another realm', runInNewContext('({ type: "order", id: "7" })'), null],
  ['an object without a prototype', Object.assign(Object.create(null) as object, { type: 'order' }), null],
  ['a Map', new Map(), ' is not a text, a number, true, false, null, a list or a plain object.'],
  [
    'a list with undefined',
    ['a', undefined],
    '[1] is not a text, a number, true, false, null, a list or a plain object.',
  ],
  ['six lists in each other', [[[[[['a']]]]]], '[0][0][0][0][0] is nested too deeply.'],
  ['five lists in each other', [[[[['a']]]]], null],
])('checks %s as a field', async (_, value, problem) => {
  const { sender } = createRecordedSender(() => [wireStatus]);
  const refusal = await sender.send({ everyone: true, entity: value } as Message).then(
    () => null,
    (error: unknown) => (error instanceof SenderError ? error.message : String(error)),
  );
  expect(refusal).toBe(problem && `messages[0].entity${problem}`);
});

it.each<[object, string]>([
  [{ sendAt: {} }, 'messages[0].sendAt needs a localTime such as 2027-01-05T09:00.'],
  [{ sendAt: { localTime: 9 } }, 'messages[0].sendAt needs a localTime such as 2027-01-05T09:00.'],
  [{ sendAt: [] }, 'messages[0].sendAt is not a Date.'],
  [{ sender: [] }, 'messages[0].sender is not an object.'],
  [{ expiresAt: new Date(Number.NaN) }, 'messages[0].expiresAt is not a valid Date.'],
])('refuses %j', async (fields, problem) => {
  const { sender, requests } = createRecordedSender(() => [wireStatus]);
  await expect(sender.send({ everyone: true, ...fields })).rejects.toMatchObject({ message: problem });
  expect(requests).toEqual([]);
});
