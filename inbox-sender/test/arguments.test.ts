import { anything, assert, asyncProperty, constantFrom, jsonValue } from 'fast-check';
import {
  createSender,
  SenderError,
  type Kind,
  type Message,
  type Sender,
  type SenderOptions,
} from 'inbox-sender';
import { expect, it, onTestFinished, vi } from 'vitest';

const options = { url: 'https://project.example', secretKey: 'sb_secret_test', retries: 0 };
const recipients = ['ada00000-0000-4000-8000-000000000001'];

/** A sender whose project must not be reached. */
function createOfflineSender() {
  let requests = 0;
  const sender = createSender({
    ...options,
    fetch: () => {
      requests += 1;
      return Promise.reject(new TypeError('fetch failed'));
    },
  });
  return { sender, requestCount: () => requests };
}

const wrong = (fields: object) => ({ recipients, text: 'Hello', ...fields }) as unknown as Message;

it.each<[unknown, string]>([
  [wrong({ text: 'a\0b' }), 'messages[0].text has the character U+0000.'],
  [wrong({ text: 'a\ud800b' }), 'messages[0].text has half of a surrogate pair.'],
  [wrong({ entity: { type: 'order', id: '\udc00' } }), 'messages[0].entity.id has half of a surrogate pair.'],
  [wrong({ idempotencyKey: '\0' }), 'messages[0].idempotencyKey has the character U+0000.'],
  [wrong({ sender: { userId: '\0' } }), 'messages[0].sender.userId has the character U+0000.'],
  [wrong({ fields: { total: Number('1e131071') } }), 'messages[0].fields.total is not a finite number.'],
  [wrong({ fields: { total: Number.NaN } }), 'messages[0].fields.total is not a finite number.'],
  [
    wrong({ fields: { total: 7n } }),
    'messages[0].fields.total is not a text, a number, true, false, null, a list or a plain object.',
  ],
  [
    wrong({ text: new Date() }),
    'messages[0].text is not a text, a number, true, false, null, a list or a plain object.',
  ],
  [wrong({ sendAt: '2027-01-31T09:00:00+25:00' }), 'messages[0].sendAt is not a Date.'],
  [wrong({ sendAt: new Date(Number.NaN) }), 'messages[0].sendAt is not a valid Date.'],
  [wrong({ expiresAt: 1_800_000_000_000 }), 'messages[0].expiresAt is not a Date.'],
  [wrong({ expiresAt: null }), 'messages[0].expiresAt is not a Date.'],
  [wrong({ sendAt: null }), 'messages[0].sendAt is not a Date.'],
  [wrong({ sender: 'me' }), 'messages[0].sender is not an object.'],
  [null, 'messages[0] is not an object.'],
  [undefined, 'messages[0] is not an object.'],
  ['Hello', 'messages[0] is not an object.'],
])('%o is refused with its field before anything is sent', async (message, problem) => {
  const { sender, requestCount } = createOfflineSender();
  await expect(sender.send(message as Message)).rejects.toMatchObject({
    name: 'SenderError',
    code: 'invalid-message',
    message: problem,
  });
  expect(requestCount()).toBe(0);
});

it.each<[string, (sender: Sender) => Promise<unknown>, string]>([
  ['status', (sender) => sender.status('x'), 'id is not a UUID.'],
  [
    'status of a user',
    (sender) => sender.status(recipients[0] ?? '', { userId: 'ada' }),
    'userId is not a UUID.',
  ],
  ['cancel', (sender) => sender.cancel(''), 'id is not a UUID.'],
  ['cancel of an id and more', (sender) => sender.cancel(`${recipients[0]}0`), 'id is not a UUID.'],
  ['deliveries', (sender) => sender.deliveries('x').next(), 'id is not a UUID.'],
  ['registerKind', (sender) => sender.registerKind(undefined as unknown as Kind), 'kind is not an object.'],
  ['removeKind', (sender) => sender.removeKind(undefined as unknown as string), 'name is not a text.'],
  ['removeKind of null', (sender) => sender.removeKind(null as unknown as string), 'name is not a text.'],
  ['sendAll', (sender) => sender.sendAll([]), 'messages is not a list of 1 to 100 messages.'],
])('%s names an argument that is wrong', async (_, call, problem) => {
  const { sender, requestCount } = createOfflineSender();
  await expect(call(sender)).rejects.toMatchObject({ code: 'invalid-message', message: problem });
  expect(requestCount()).toBe(0);
});

it.each<[unknown, string]>([
  [{ ...options, retries: Number.NaN }, 'retries'],
  [{ ...options, retries: -1 }, 'retries'],
  [{ ...options, timeoutMs: -1 }, 'timeoutMs'],
  [{ ...options, url: 7 }, 'url'],
  [{ ...options, url: 'http://project.example' }, 'url is http'],
  [{ ...options, secretKey: '' }, 'secretKey'],
  [{ ...options, secretKey: 'sb_publishable_test' }, 'secretKey is a publishable key'],
  [undefined, 'options'],
  [null, 'options'],
])('createSender(%j) throws invalid-options', (given, named) => {
  const create = () => createSender(given as SenderOptions);
  expect(create).toThrow(SenderError);
  expect(create).toThrow(
    expect.objectContaining({ code: 'invalid-options', message: expect.stringContaining(named) }),
  );
});

it('createSender throws invalid-options with the cause where an option cannot be read', () => {
  const cause = new Error('locked');
  const locked = {
    ...options,
    get secretKey(): string {
      throw cause;
    },
  };
  expect(() => createSender(locked)).toThrow(expect.objectContaining({ code: 'invalid-options', cause }));
});

it('createSender throws invalid-options in a page, whose users could read the key', () => {
  vi.stubGlobal('document', {});
  onTestFinished(() => void vi.unstubAllGlobals());
  expect(() => createSender(options)).toThrow(
    expect.objectContaining({ code: 'invalid-options', message: expect.stringContaining('its users') }),
  );
});

const everyone: Message = { everyone: true, text: 'x' };
const messageId = recipients[0] ?? '';
it.each<[string, (sender: Sender, signal: AbortSignal) => Promise<unknown>]>([
  ['send', (sender, signal) => sender.send(everyone, { signal })],
  ['sendAll', (sender, signal) => sender.sendAll([everyone], { signal })],
  ['dryRun', (sender, signal) => sender.dryRun(everyone, { signal })],
  ['status', (sender, signal) => sender.status(messageId, { signal })],
  ['deliveries', (sender, signal) => sender.deliveries(messageId, { signal }).next()],
  ['cancel', (sender, signal) => sender.cancel(messageId, { signal })],
  ['registerKind', (sender, signal) => sender.registerKind({ name: 'a', labels: { en: 'A' } }, { signal })],
  ['removeKind', (sender, signal) => sender.removeKind('a', { signal })],
])('%s ends at once when it is aborted', async (_, call) => {
  const abort = new AbortController();
  const sender = createSender({
    ...options,
    fetch: (input, init) => {
      const { signal } = new Request(input, init);
      setTimeout(() => abort.abort());
      return new Promise((__, reject) =>
        signal.addEventListener('abort', () => reject(signal.reason as Error)),
      );
    },
    timeoutMs: 5000,
  });
  await expect(call(sender, abort.signal)).rejects.toMatchObject({ name: 'SenderError', code: 'aborted' });
});

it.each([
  ['3', [0, 3000, 6000], 'unavailable'],
  ['61', [0], 'unavailable'],
])('after Retry-After: %s the attempts come at %j ms', async (retryAfter, times, code) => {
  vi.useFakeTimers({ now: 0 });
  const sent: number[] = [];
  const sender = createSender({
    ...options,
    retries: 2,
    fetch: () => {
      sent.push(Date.now());
      return Promise.resolve(
        Response.json({ message: '…' }, { status: 429, headers: { 'retry-after': retryAfter } }),
      );
    },
  });
  const sending = sender.send({ recipients, text: 'x' }).catch((problem: unknown) => problem);
  await vi.advanceTimersByTimeAsync(60_000);
  vi.useRealTimers();
  expect(await sending).toMatchObject({ name: 'SenderError', code });
  expect(sent).toEqual(times);
});

it('after a Retry-After with a date the next attempt comes at that date', async () => {
  vi.useFakeTimers({ now: 5000 });
  const sent: number[] = [];
  const sender = createSender({
    ...options,
    retries: 1,
    fetch: () => {
      sent.push(Date.now());
      return Promise.resolve(
        new Response('', { status: 503, headers: { 'retry-after': 'Thu, 01 Jan 1970 00:00:20 GMT' } }),
      );
    },
  });
  const sending = sender.send({ recipients, text: 'x' }).catch((problem: unknown) => problem);
  await vi.advanceTimersByTimeAsync(60_000);
  vi.useRealTimers();
  expect(await sending).toMatchObject({ code: 'unavailable' });
  expect(sent).toEqual([5000, 20_000]);
});

it.each<[string, () => Response]>([
  [
    'a Retry-After that is no time',
    () => new Response('', { status: 503, headers: { 'retry-after': 'soon' } }),
  ],
  ['a body that never ends', () => new Response(new ReadableStream())],
  ...['40001', '40P01', '57014'].map((code): [string, () => Response] => [
    `the error ${code} of the database`,
    () => Response.json({ code, message: 'could not serialize access' }, { status: 500 }),
  ]),
])('after %s another attempt is made', async (_, respond) => {
  vi.useFakeTimers({ now: 0 });
  let requests = 0;
  const sender = createSender({
    ...options,
    retries: 2,
    fetch: () => {
      requests += 1;
      return Promise.resolve(respond());
    },
  });
  const sending = sender.send({ recipients, text: 'x' }).catch((problem: unknown) => problem);
  await vi.advanceTimersByTimeAsync(60_000);
  vi.useRealTimers();
  expect(await sending).toMatchObject({ name: 'SenderError', code: 'unavailable' });
  expect(requests).toBe(3);
});

it('a call that is aborted while it waits ends at once', async () => {
  vi.useFakeTimers({ now: 0 });
  const abort = new AbortController();
  const sender = createSender({
    ...options,
    retries: 1,
    fetch: () =>
      Promise.resolve(Response.json({ message: '…' }, { status: 429, headers: { 'retry-after': '60' } })),
  });
  let ended: unknown;
  void sender.send({ recipients, text: 'x' }, { signal: abort.signal }).catch((problem: unknown) => {
    ended = problem;
  });
  await vi.advanceTimersByTimeAsync(1000);
  abort.abort();
  await vi.advanceTimersByTimeAsync(1);
  vi.useRealTimers();
  expect(ended).toMatchObject({ name: 'SenderError', code: 'aborted' });
});

it('reads deliveries page by page, each after the last recipient of the one before', async () => {
  const idOf = (index: number) => `ada00000-0000-4000-8000-${String(index).padStart(12, '0')}`;
  const afters: unknown[] = [];
  const sender = createSender({
    ...options,
    fetch: async (input, init) => {
      const { after, page_size: pageSize = 100 } = (await new Request(input, init).json()) as {
        readonly after: string | null;
        readonly page_size?: number;
      };
      afters.push(after);
      const start = after === null ? 0 : Number(after.slice(-12)) + 1;
      const deliveries = Array.from({ length: Math.min(pageSize, 2001 - start) }, (_, index) => ({
        recipient_id: idOf(start + index),
        outcome: 'delivered',
      }));
      return Response.json({ id: idOf(0), send_at: 0, expires_at: null, deliveries });
    },
  });
  const read: string[] = [];
  for await (const { recipientId } of sender.deliveries(idOf(0))) read.push(recipientId);
  expect([read.length, new Set(read).size]).toEqual([2001, 2001]);
  expect(afters).toEqual([null, idOf(999), idOf(1999)]);
});

it.each<[string, string, () => Promise<Response>]>([
  ['previews', 'resolved', () => Promise.resolve(Response.json({ en: {} }))],
  ['nothing', 'unavailable', () => Promise.reject(new TypeError('fetch failed'))],
  ['404', 'not-installed', () => Promise.resolve(Response.json({}, { status: 404 }))],
  ['503', 'unavailable', () => Promise.resolve(Response.json({}, { status: 503 }))],
  ['500', 'server', () => Promise.resolve(Response.json({}, { status: 500 }))],
  [
    'a page',
    'server',
    () => Promise.resolve(new Response('<p>', { headers: { 'content-type': 'text/html' } })),
  ],
])('a dry run without a deadline, whose previews get %s: %s', async (_, outcome, preview) => {
  const wire = { recipient_count: 1, deliveries: [], content: {}, words: {} };
  const sender = createSender({
    ...options,
    timeoutMs: Infinity,
    fetch: async (input, init) =>
      new Request(input, init).url.includes('/functions/') ? preview() : Response.json([wire]),
  });
  const dryRun = sender.dryRun({ recipients, text: 'x' });
  const code = await dryRun.then(
    () => 'resolved',
    (problem: unknown) => (problem instanceof SenderError ? problem.code : problem),
  );
  expect(code).toBe(outcome);
});

it.each([
  ['send_at', 'sendAt'],
  ['send_at.local_time', 'sendAt.localTime'],
  ['expires_at', 'expiresAt'],
  ['idempotency_key', 'idempotencyKey'],
  ['sender.user_id', 'sender.userId'],
])('names the field %s of the database as %s', async (field, own) => {
  const sender = createSender({
    ...options,
    fetch: () =>
      Promise.resolve(
        Response.json(
          {
            code: 'PT400',
            message: 'message_invalid',
            details: `messages[0].${field} is wrong.`,
          },
          { status: 400 },
        ),
      ),
  });
  await expect(sender.send({ recipients, text: 'x' })).rejects.toMatchObject({
    message: `messages[0].${own} is wrong.`,
  });
});

it.each([
  ['sb_secret_test', null],
  ['header.e30.signature', 'Bearer header.e30.signature'],
])('the key %s is sent with authorization %s', async (secretKey, authorization) => {
  const sent: Request[] = [];
  const sender = createSender({
    ...options,
    secretKey,
    fetch: (input, init) => {
      sent.push(new Request(input, init));
      return Promise.resolve(new Response(null, { status: 204 }));
    },
  });
  await sender.registerKind({ name: 'deployed', labels: { en: 'Deployments' } });
  expect(sent.map(({ url, headers }) => [url, headers.get('apikey'), headers.get('authorization')])).toEqual([
    ['https://project.example/rest/v1/rpc/register_kind', secretKey, authorization],
  ]);
});

it('keeps the path of the project’s URL', async () => {
  const urls: string[] = [];
  const sender = createSender({
    ...options,
    url: 'https://example.com/supabase',
    fetch: (input, init) => {
      urls.push(new Request(input, init).url);
      return Promise.resolve(Response.json(true));
    },
  });
  await sender.removeKind('deployed');
  expect(urls).toEqual(['https://example.com/supabase/rest/v1/rpc/remove_kind']);
});

it('throws SenderError only, whatever the arguments and the responses are', async () => {
  const methods = ['send', 'sendAll', 'dryRun', 'status', 'cancel', 'registerKind', 'removeKind'] as const;
  const others: unknown[] = [];
  await assert(
    asyncProperty(
      constantFrom(...methods),
      anything({ withBigInt: true, withDate: true, withNullPrototype: true }),
      anything(),
      jsonValue(),
      async (method, first, second, response) => {
        const sender = createSender({ ...options, fetch: () => Promise.resolve(Response.json(response)) });
        const call = sender[method] as (...args: readonly unknown[]) => Promise<unknown>;
        await call(first, second).catch((problem: unknown) => {
          if (!(problem instanceof SenderError)) others.push(problem);
        });
      },
    ),
    { numRuns: 200 },
  );
  expect(others).toEqual([]);
});
