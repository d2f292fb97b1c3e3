import { setImmediate } from 'node:timers/promises';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import * as z from 'zod/mini';
import { type MailItem, readMailItem } from '../../supabase/functions/_shared/mail/mail-item.ts';
import {
  createDatabaseCaller,
  DatabaseFunctionError,
} from '../../supabase/functions/_shared/runtime/database-functions.ts';
import { createFailureLog, messageOf } from '../../supabase/functions/_shared/runtime/failure-log.ts';
import { InvalidRequestError, parseRequest } from '../../supabase/functions/_shared/runtime/parse.ts';
import { readRetryAfterMs } from '../../supabase/functions/_shared/runtime/response-rules.ts';
import type { Environment } from '../../supabase/functions/_shared/runtime/runtime.ts';
import { serveFunction } from '../../supabase/functions/_shared/runtime/runtime.ts';
import { readServiceKeys } from '../../supabase/functions/_shared/runtime/service-keys.ts';
import { serveWorker, workerCallSchema } from '../../supabase/functions/_shared/runtime/serve-worker.ts';

const legacyKey = 'header.payload.signature';
const nowMs = Date.parse('2032-01-16T10:00:00Z');

function createCaller(env: Environment, respond: () => Response, traceparent?: string) {
  const requests: Request[] = [];
  const signals: (AbortSignal | null | undefined)[] = [];
  const fetchFake: typeof fetch = async (input, init) => {
    requests.push(new Request(input, init));
    signals.push(init?.signal);
    return respond();
  };
  const callDatabase = createDatabaseCaller(
    { env: { SUPABASE_URL: 'http://project', ...env }, fetch: fetchFake, now: () => nowMs },
    traceparent,
  );
  return { callDatabase, requests, signals };
}

describe('a call of the database', () => {
  it.each([
    [{ SUPABASE_SECRET_KEYS: '{"other":"sb_secret_o","default":"sb_secret_d"}' }, 'sb_secret_d', null],
    [{ SUPABASE_SERVICE_ROLE_KEY: legacyKey }, legacyKey, `Bearer ${legacyKey}`],
    [
      { SUPABASE_SECRET_KEYS: '{"a":"sb_secret_a"}', SUPABASE_SERVICE_ROLE_KEY: legacyKey },
      'sb_secret_a',
      null,
    ],
  ])('has the key of %j', async (env, apiKey, authorization) => {
    const { callDatabase, requests, signals } = createCaller(env, () => Response.json(true), '00-a-b-01');
    expect(await callDatabase('finish', { reason: 'a\0b \ud83d', n: 1 }, z.boolean())).toBe(true);
    const [request] = requests;
    expect([request?.method, request?.url, request?.redirect]).toEqual([
      'POST',
      'http://project/rest/v1/rpc/finish',
      'error',
    ]);
    expect(
      ['apikey', 'authorization', 'content-type', 'traceparent'].map((name) => request?.headers.get(name)),
    ).toEqual([apiKey, authorization, 'application/json', '00-a-b-01']);
    expect(await request?.json()).toEqual({ reason: 'a\ufffdb \ufffd', n: 1 });
    expect(signals).toEqual([expect.any(AbortSignal)]);
  });

  it('takes an empty response as null, and rejects with the status and the text of an error', async () => {
    const env = { SUPABASE_SERVICE_ROLE_KEY: legacyKey };
    const { callDatabase, requests } = createCaller(env, () => new Response(null, { status: 204 }));
    expect(await callDatabase('f', {}, z.null())).toBeNull();
    expect(requests[0]?.headers.has('traceparent')).toBe(false);
    const failing = createCaller(env, () => new Response('broken', { status: 503 })).callDatabase(
      'f',
      {},
      z.null(),
    );
    await expect(failing).rejects.toThrow(new DatabaseFunctionError('f responded with 503: broken', 503));
    await expect(failing).rejects.toMatchObject({ status: 503 });
  });
});

it('the keys of a service are the default one, the others and the legacy one', () => {
  const env = {
    SUPABASE_SECRET_KEYS: '{"a":"sb_secret_a","empty":"","default":"sb_secret_d"}',
    SUPABASE_SERVICE_ROLE_KEY: legacyKey,
  };
  expect(readServiceKeys(env)).toEqual(['sb_secret_d', 'sb_secret_a', legacyKey]);
  expect(() => readServiceKeys({ SUPABASE_SECRET_KEYS: '' })).toThrow('SUPABASE_SECRET_KEYS');
});

const traceId = '0af7651916cd43dd8448eb211c80319c';

describe('the log of failures', () => {
  it.each([
    [`00-${traceId}-b7ad6b7169203331-00`, new RegExp(`^00-${traceId}-[0-9a-f]{16}-00$`)],
    [`00-${traceId}-b7ad6b7169203331-01 `, new RegExp(`^00-${traceId}-[0-9a-f]{16}-01$`)],
    ['ff-broken', /^00-(?!0af)[0-9a-f]{32}-[0-9a-f]{16}-01$/],
    [null, /^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/],
  ])('continues the trace %s with a new span', (given, expected) => {
    const request = new Request('http://x', given === null ? {} : { headers: { traceparent: given } });
    const written: string[] = [];
    const { traceparent, report } = createFailureLog(request, 'worker', (line) => void written.push(line));
    expect(traceparent).toMatch(expected);
    expect(traceparent).not.toContain('b7ad6b7169203331');
    report('failed', { id: 7 });
    expect(written.map((line) => JSON.parse(line) as unknown)).toEqual([
      { level: 'error', function: 'worker', event: 'failed', id: 7, traceparent },
    ]);
  });

  it.each([
    ['url (https://user:pass@push.example.com:8443/secret?token=1#x)', 'url (https://push.example.com:8443)'],
    ['HTTP://a.example/x and https://b.example?y', 'HTTP://a.example and https://b.example'],
    ['no address', 'no address'],
  ])('reduces the addresses of "%s" to their origins', (message, reduced) => {
    expect(messageOf(new Error(message))).toBe(reduced);
    expect(messageOf(message)).toBe(reduced);
  });
});

it.each([
  ['7', 7000],
  ['0', 0],
  ['-7', 0],
  ['soon', 0],
  ['', 0],
  ['86401', 86_400_000],
  [new Date(nowMs + 5000).toUTCString(), 5000],
  [new Date(nowMs - 5000).toUTCString(), 0],
  [new Date(nowMs + 9e8).toUTCString(), 86_400_000],
])('Retry-After: %s is a wait of %i ms', (value, waitMs) => {
  expect(readRetryAfterMs(new Headers({ 'retry-after': value }), nowMs)).toBe(waitMs);
});

it('a request with a NUL in a nested text is refused', () => {
  const schema = z.object({ list: z.array(z.object({ text: z.nullable(z.string()) })) });
  expect(parseRequest(schema, { list: [{ text: 'a' }, { text: null }] })).toEqual({
    list: [{ text: 'a' }, { text: null }],
  });
  expect(() => parseRequest(schema, { list: [{ text: 'a\0' }] })).toThrow(InvalidRequestError);
});

describe('a function', () => {
  const runtime = { env: {}, fetch, now: () => nowMs };

  it('responds to a preflight request with its CORS headers, if it has any', async () => {
    const handler = () => Promise.resolve(new Response('handled'));
    const headers = { 'access-control-allow-origin': '*' };
    const preflight = () => new Request('http://f', { method: 'OPTIONS' });
    const open = await serveFunction({ methods: ['POST'], headers }, handler)(preflight(), runtime);
    expect([open.status, await open.text(), open.headers.get('access-control-allow-origin')]).toEqual([
      200,
      'ok',
      '*',
    ]);
    expect((await serveFunction({ methods: ['POST'] }, handler)(preflight(), runtime)).status).toBe(405);
  });

  it('has its headers on refusals, too, without which a page cannot read them', async () => {
    const refuse = () => Promise.reject(new InvalidRequestError('The body is not JSON'));
    const headers = { 'access-control-allow-origin': '*' };
    const open = serveFunction({ methods: ['POST'], headers }, refuse);
    for (const [method, status] of [
      ['POST', 400],
      ['DELETE', 405],
    ] as const) {
      const response = await open(new Request('http://f', { method }), runtime);
      expect([response.status, response.headers.get('access-control-allow-origin')]).toEqual([status, '*']);
    }
  });

  it('is served by Deno, with the settings and the clock of the process', async () => {
    const served: ((request: Request) => Promise<Response>)[] = [];
    vi.stubGlobal('Deno', { serve: (handle: (typeof served)[number]) => served.push(handle) });
    vi.stubEnv('APP_URL', 'https://app.test');
    onTestFinished(() => {
      vi.unstubAllGlobals();
      vi.unstubAllEnvs();
    });
    serveFunction({ methods: ['POST'], headers: { 'x-own': '1' } }, async (_, { env, fetch: own, now }) =>
      Response.json([env['APP_URL'], own === fetch, now() - Date.now() < 1000]),
    );
    const [handle] = served;
    const response = await handle?.(new Request('http://f', { method: 'POST' }));
    expect([await response?.json(), response?.headers.get('x-own')]).toEqual([
      ['https://app.test', true, true],
      '1',
    ]);
    expect((await handle?.(new Request('http://f')))?.status).toBe(405);
  });

  it('rejects with an unexpected error', async () => {
    const broken = serveFunction({ methods: ['GET'] }, () => Promise.reject(new Error('broken')));
    await expect(broken(new Request('http://f'), runtime)).rejects.toThrow('broken');
  });
});

describe('a call of a worker', () => {
  const env = {
    SUPABASE_URL: 'http://project',
    SUPABASE_SERVICE_ROLE_KEY: legacyKey,
    WORKER_SECRET: 'secret',
  };
  const callWorker = async (body: string, respond = () => Response.json(true)) => {
    const requests: Request[] = [];
    let responses = 0;
    const worker = serveWorker('notification-mails', workerCallSchema, async (options, _, call) => {
      const before = performance.now();
      await options.startNext();
      expect(await Promise.race([options.wait(500).then(() => 'waited'), setImmediate('waits')])).toBe(
        'waits',
      );
      return { call, remainingMs: options.stopAtMs - before, responses };
    });
    const request = new Request('http://f', {
      method: 'POST',
      body,
      headers: { 'x-worker-secret': 'secret', traceparent: `00-${traceId}-b7ad6b7169203331-01` },
    });
    const response = await worker(request, {
      env,
      now: () => nowMs,
      fetch: async (input, init) => {
        requests.push(new Request(input, init));
        await setImmediate();
        responses += 1;
        return respond();
      },
    });
    return { status: response.status, body: (await response.json()) as { remainingMs: number }, requests };
  };

  it('makes the database start the next run before it responds, if the timer sent it', async () => {
    const { body, requests } = await callWorker('{"worker":3}');
    expect(body).toMatchObject({ call: { worker: 3 }, responses: 1 });
    expect(body.remainingMs).toBeGreaterThan(45_000);
    expect(body.remainingMs).toBeLessThanOrEqual(50_000);
    expect(requests.map(({ url }) => url)).toEqual(['http://project/rest/v1/rpc/continue_worker']);
    expect(requests[0]?.headers.get('traceparent')).toMatch(new RegExp(`^00-${traceId}-[0-9a-f]{16}-01$`));
    expect(await requests[0]?.json()).toEqual({ function_name: 'notification-mails', worker: 3 });
    expect(await callWorker('')).toMatchObject({ status: 200, requests: [] });
  });

  it.each(['{"worker":0}', '{"worker":-1}', '{"worker":1.5}', '{"worker":"1"}'])(
    'is refused with %s',
    async (body) => {
      expect((await callWorker(body)).status).toBe(400);
    },
  );

  it('succeeds when the next run cannot be started, and logs the failure', async () => {
    const log = vi.spyOn(console, 'error').mockReturnValue(undefined);
    onTestFinished(() => log.mockRestore());
    const { status } = await callWorker('{"worker":1}', () => new Response('', { status: 500 }));
    expect(status).toBe(200);
    expect(log.mock.calls.flat().join('')).toContain('next_run_not_started');
  });
});

describe('an item of a mail', () => {
  const read = (content: unknown, more: object = {}) =>
    readMailItem(
      { id: 'a b', kind: 'comment', content, created_at: '2032-01-16T10:00:00Z', is_in_inbox: true, ...more },
      'https://app.test',
    );

  it('reads its content, from the data before the metadata', () => {
    expect(
      read(
        {
          entity_type: 'document',
          data: { text: 'Of data', actor: 'Ada' },
          metadata: { text: 'Of metadata', actor_name: 'Grace', entity_title: 'Notes' },
        },
        { count: 3 },
      ),
    ).toEqual({
      kind: 'comment',
      registered: null,
      title: null,
      actor: 'Grace',
      entity: 'Notes',
      entityType: 'document',
      text: 'Of data',
      answer: null,
      createdAtMs: nowMs,
      earlierCount: 2,
      url: 'https://app.test/home?open=a%20b',
    });
  });

  it.each([null, 'text', [], { data: 7, metadata: [] }])(
    'has no words where the content is %j',
    (content) => {
      expect(read(content, { kind: 'unknown' })).toMatchObject({
        kind: 'other',
        actor: null,
        entity: null,
        text: null,
        earlierCount: 0,
      });
    },
  );

  it.each([
    ['a\u202eb\u2066c', 'abc'],
    [' two\n\tlines\u0000 ', 'two lines'],
    ['\u200e \n', null],
    [7, null],
    ['😀'.repeat(280), '😀'.repeat(280)],
    ['😀'.repeat(281), `${'😀'.repeat(279)}…`],
  ])('has the text %j as %j', (text, expected) => {
    expect(read({ data: { text } }).text).toBe(expected);
  });

  it.each<[keyof MailItem, readonly string[]]>([
    ['text', ['excerpt', 'snippet', 'message', 'body', 'text', 'comment']],
    ['actor', ['actor_name', 'actor', 'inviter_name']],
    ['entity', ['entity_name', 'entity_title', 'name']],
    ['title', ['title', 'subject']],
    ['url', ['url', 'href', 'link', 'path']],
  ])('reads its %s from the first of %j, in the data or the metadata', (field, names) => {
    const more = { words: { label: 'Kind', title: null, text: null }, is_in_inbox: false };
    for (const [place, name] of names.entries()) {
      const left = Object.fromEntries(names.slice(place).map((each) => [each, `/${each}`]));
      const expected = field === 'url' ? `https://app.test/${name}` : `/${name}`;
      const own = field === 'text' ? { title: 'T' } : {};
      for (const content of [{ data: { ...left, ...own } }, { metadata: { ...left, ...own } }])
        expect(read(content, more)[field]).toBe(expected);
    }
  });

  it('limits titles to 150 characters', () => {
    const words = { label: 'Kind', title: null, text: null };
    const titleOf = (length: number) =>
      read({ data: { title: 'a'.repeat(length) } }, { words }).title?.length;
    expect([titleOf(150), titleOf(151)]).toEqual([150, 150]);
    expect(read({ data: { title: 'a'.repeat(151) } }, { words }).title).toMatch(/^a{149}…$/);
  });

  it('limits names to 100 characters', () => {
    const { actor, entity } = read({ data: { actor_name: 'a'.repeat(101), entity_name: 'b'.repeat(100) } });
    expect([actor, entity]).toEqual([`${'a'.repeat(99)}…`, 'b'.repeat(100)]);
  });

  it.each([
    ['invite', 'accepted', 'accepted'],
    ['invite', 'declined', 'declined'],
    ['invite', 'pending', null],
    ['comment', 'accepted', null],
  ])('of %s with the status %s has the answer %s', (kind, status, answer) => {
    expect(read({ data: { status } }, { kind }).answer).toBe(answer);
    expect(read({ metadata: { status } }, { kind }).answer).toBe(answer);
  });

  it.each([
    ['/orders/7', 'https://app.test/orders/7'],
    ['//evil.test', 'https://app.test/home'],
    ['/\\evil.test', 'https://app.test/home'],
    ['https://evil.test', 'https://app.test/home'],
    [undefined, 'https://app.test/home'],
  ])('that the inbox does not list leads with %s to %s', (url, expected) => {
    expect(read({ data: { url } }, { is_in_inbox: false }).url).toBe(expected);
  });

  it.each([
    [{ title: 'T', text: 'X' }, 'T', 'X'],
    [{ title: null, text: null }, 'Own title', 'Own text'],
    [{ title: null, text: 'X' }, 'Own title', 'X'],
    [{ title: '\u200e', text: '\u200e' }, 'Own title', 'Own text'],
  ])('of a registered kind with the words %j', (words, title, text) => {
    const item = read(
      { data: { title: 'Own title', text: 'Own text' } },
      { kind: 'deployed', words: { label: 'Deployments', ...words } },
    );
    expect(item).toMatchObject({
      kind: 'other',
      registered: { name: 'deployed', label: 'Deployments' },
      title,
      text,
    });
  });

  it('of a registered kind without a title has its text, or its label, as the title', () => {
    const words = { label: 'Deployments', title: null, text: null };
    expect(read({ data: { text: 'Own' } }, { words })).toMatchObject({ title: 'Own', text: null });
    expect(read({}, { words })).toMatchObject({ title: 'Deployments', text: null });
  });
});
