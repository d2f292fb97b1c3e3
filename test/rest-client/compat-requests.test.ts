import { PostgrestClient } from '@supabase/postgrest-js';
import { expect, test, vi } from 'vitest';
import { createClient, type SupabaseClientOptions } from '../../src/compat/index.ts';
import type { Untyped } from '../../src/compat/untyped.ts';
import { json } from '../support/wire/replies.ts';

const connect = (fetch: typeof globalThis.fetch, db: SupabaseClientOptions['db'] = {}) =>
  createClient('https://project.test', 'anon-key', { global: { fetch }, db });

test('a response of a program’s tests may have only some members', async () => {
  const responses: object[] = [
    { ok: true, status: 200, json: async () => [{ id: 1 }] },
    { ok: false, status: 409, text: async () => '{"code":"23505","message":"duplicate"}' },
    { ok: true, status: 204, headers: {} },
    { ok: false, json: async () => ({ message: 'failed' }) },
  ];
  const client = connect(async () => responses.shift() as Response);
  expect((await client.from('notes').select()).data).toEqual([{ id: 1 }]);
  expect((await client.from('notes').insert({ id: 1 })).error?.code).toBe('23505');
  expect((await client.from('notes').delete().eq('id', 1)).status).toBe(204);
  expect(await client.from('notes').insert({ id: 1 })).toMatchObject({
    status: 500,
    error: { message: 'failed' },
  });
});

test('a response that is not JSON is the message of the error, with its status', async () => {
  const statuses = [200, 502];
  const client = connect(
    async () => new Response('<html>Bad Gateway</html>', { status: statuses.shift() ?? 0 }),
  );
  for (const status of [200, 502])
    expect(await client.from('notes').select().retry(false)).toMatchObject({
      status,
      error: { message: '<html>Bad Gateway</html>', code: '' },
    });
});

test('a function with an object among its arguments is called by POST for its count', async () => {
  const sent: Request[] = [];
  const client = connect(async (input, init) => {
    sent.push(new Request(input, init));
    return new Response(null, { status: 200 });
  });
  await client.rpc('f', { filter: { done: true } }, { head: true });
  await client.rpc('f', { done: true }, { head: true });
  expect(sent.map(({ method, headers }) => [method, headers.get('prefer')])).toEqual([
    ['POST', 'return=minimal'],
    ['HEAD', null],
  ]);
  expect(await sent[0]?.json()).toEqual({ filter: { done: true } });
});

test('a long URL is sent, and named in the hint of a request that was aborted', async () => {
  const urls: number[] = [];
  const client = connect(async (input) => {
    urls.push(new Request(input).url.length);
    throw Object.assign(new Error('The operation was aborted'), { name: 'AbortError' });
  });
  const columns = Array.from({ length: 1000 }, (_, index) => `column_${index}`).join();
  const { error } = await client.from('notes').select(columns).retry(false);
  expect(error?.hint).toContain(`Your request URL is ${urls[0]} characters`);
  const short = await client.from('notes').select('id').retry(false);
  expect([short.error?.message, short.error?.hint]).toEqual([
    'AbortError: The operation was aborted',
    'Request was aborted (timeout or manual cancellation)',
  ]);
});

test('a query that cannot be built is the error of the call', async () => {
  const client = connect(async () => json([]));
  const rows = [{ id: 1 }, { id: 2 }];
  const { data, error } = await client.from('notes').insert(rows).select().maybeSingle();
  expect([data, error?.message]).toEqual([null, 'maybeSingle() of several rows']);
});

test('a deadline of 0 or less counts as none, as in the vendor’s client', async () => {
  const client = connect(async () => json([{ id: 1 }]), { timeout: -100 });
  expect((await client.from('notes').select()).data).toEqual([{ id: 1 }]);
  expect(
    (
      await connect(async () => json([]), { timeout: 0 })
        .from('notes')
        .select()
    ).error,
  ).toBeNull();
});

test('a read that the program’s own fetch aborts is not repeated', async () => {
  const aborts = [{ name: 'AbortError' }, { code: 'ABORT_ERR' }, new DOMException('', 'AbortError')];
  for (const abort of aborts) {
    let attempts = 0;
    const client = connect(() => Promise.reject(((attempts += 1), abort)));
    expect((await client.from('notes').select()).status).toBe(0);
    expect(attempts).toBe(1);
  }
});

test('a program’s fetch receives Headers, and a plain object for the auth service', async () => {
  const received = new Map<string, unknown>();
  const client = connect(async (input, init) => {
    const headers = init?.headers;
    const service = new URL(new Request(input).url).pathname.split('/')[1] ?? '';
    received.set(service, headers instanceof Headers ? headers.get('apikey') : headers);
    return service === 'realtime' ? new Response(null, { status: 202 }) : json([]);
  });
  await client.from('notes').select();
  await client.storage.listBuckets();
  await client.functions.invoke('report');
  await client.realtime.channel('room').httpSend('cursor', {});
  await client.auth.signInAnonymously();
  expect([...received].filter(([service]) => service !== 'auth')).toEqual([
    ['rest', 'anon-key'],
    ['storage', 'anon-key'],
    ['functions', 'anon-key'],
    ['realtime', 'anon-key'],
  ]);
  expect(received.get('auth')).toMatchObject({ apikey: 'anon-key' });
});

test('the queries of one from() have their own fetch, retries and limit of the URL', async () => {
  const sent: string[] = [];
  const sendBy = (name: string, status: number) => async (input: RequestInfo | URL, init?: RequestInit) => {
    const { headers, url } = new Request(input, init);
    sent.push(`${name} ${headers.get('apikey')} ${headers.get('accept-profile')} ${new URL(url).pathname}`);
    return json([], { status });
  };
  const client = connect(sendBy('client', 200));
  const options = { fetch: sendBy('own', 503), retry: false, urlLengthLimit: 1 };
  expect((await client.from('notes', options).select()).status).toBe(503);
  expect((await client.schema('other').from('notes', options).select()).status).toBe(503);
  await client.from('notes').select();
  expect(sent).toEqual([
    'own anon-key null /rest/v1/notes',
    'own anon-key other /rest/v1/notes',
    'client anon-key null /rest/v1/notes',
  ]);
  const failing = () => Promise.reject(Object.assign(new Error('aborted'), { name: 'AbortError' }));
  const { error } = await client.from('notes', { fetch: failing, urlLengthLimit: 1 }).select();
  expect(error?.hint).toContain('Your request URL is');
});

test('adds a hint to a failure of oversized headers, also from another realm', async () => {
  const cause = { name: 'HeadersOverflowError', message: 'Headers Overflow Error' };
  const client = connect(() => Promise.reject({ name: 'TypeError', message: 'fetch failed', cause }));
  const { error } = await client.from('notes').select().retry(false);
  expect([error?.message, error?.hint]).toEqual([
    'TypeError: fetch failed',
    'HTTP headers exceeded server limits',
  ]);
});

test('a query retries its failed read if the client retries none', async () => {
  vi.useFakeTimers();
  try {
    let attempts = 0;
    const client = connect(async () => json([], { status: (attempts += 1) > 1 ? 200 : 503 }), {
      retry: false,
    });
    expect((await client.from('notes').select()).status).toBe(503);
    attempts = 0;
    const repeated = client
      .from('notes')
      .select()
      .retry(true)
      .then((response) => response);
    await vi.advanceTimersByTimeAsync(5_000);
    expect((await repeated).status).toBe(200);
  } finally {
    vi.useRealTimers();
  }
});

test('a request without a deadline of the program is awaited for minutes, as a long function or upload needs', async () => {
  vi.useFakeTimers();
  try {
    const client = connect(async () => {
      await new Promise((resolve) => setTimeout(resolve, 400_000));
      return json({ done: true, Key: 'photos/a.txt' });
    });
    const calls = Promise.all([
      client.rpc('report'),
      client.storage.from('photos').upload('a.txt', 'text'),
      client.functions.invoke('report'),
    ]);
    await vi.advanceTimersByTimeAsync(400_000);
    expect((await calls).map(({ error }) => error)).toEqual([null, null, null]);
  } finally {
    vi.useRealTimers();
  }
});

/** The parameters of the same call of both clients, in one order. */
async function sentBy(build: (client: Untyped) => PromiseLike<unknown>) {
  const queries: string[] = [];
  const fetch: typeof globalThis.fetch = async (input) => {
    const { searchParams } = new URL(new Request(input).url);
    searchParams.sort();
    queries.push(Array.from(searchParams, (parameter) => parameter.join('=')).join('&'));
    return json([]);
  };
  await build(connect(fetch));
  await build(new PostgrestClient('https://project.test/rest/v1', { fetch }));
  return queries;
}

test.each<readonly [string, (t: Untyped) => PromiseLike<unknown>]>([
  ['contains', (t) => t.select().contains('tags', ['a', 'b c', 'ä', "it's", '(d)', 1, true])],
  ['containedBy with items quoted by the program', (t) => t.select().containedBy('tags', ['"a,b"'])],
  ['overlaps', (t) => t.select().overlaps('tags', ['a-b', 'c:d', '*'])],
  ['likeAnyOf', (t) => t.select().likeAnyOf('name', ['a%', '%b%'])],
  ['in', (t) => t.select().in('name', ['a', 'b,c', '(d)', 5])],
  ['not with a text', (t) => t.select().not('name', 'in', '(a,b)')],
  ['filter', (t) => t.select().filter('name', 'in', '("a","b")')],
  ['onConflict with a quoted column', (t) => t.upsert({ id: 1 }, { onConflict: '"A b",id' })],
  ['rows of different columns', (t) => t.insert([{ a: 1 }, { b: 2, c: undefined }])],
])('%s is sent as by the vendor’s client', async (_name, call) => {
  const [ours, theirs] = await sentBy((client) => call(client.from('notes')));
  expect(ours).toBe(theirs);
});

test.each<readonly [string, (t: Untyped) => PromiseLike<unknown>, string]>([
  ['a comma', (t) => t.contains('tags', ['a,b']), 'tags=cs.{"a,b"}'],
  ['quotes and a backslash', (t) => t.containedBy('tags', ['a"b\\']), String.raw`tags=cd.{"a\"b\\"}`],
  ['braces', (t) => t.overlaps('tags', ['{', '}']), 'tags=ov.{"{","}"}'],
  ['the text NULL, and null', (t) => t.contains('tags', ['NULL', null]), 'tags=cs.{"NULL",NULL}'],
  ['an empty text and white space', (t) => t.contains('tags', ['', ' a']), 'tags=cs.{""," a"}'],
  ['a pattern with a comma', (t) => t.likeAnyOf('name', ['a,%']), 'name=like(any).{"a,%"}'],
  ['an array of not in', (t) => t.not('name', 'in', ['a', 'b,c']), 'name=not.in.(a,"b,c")'],
  ['an array of a filter', (t) => t.filter('id', 'not.in', [1, 2]), 'id=not.in.(1,2)'],
  ['a first item with a space', (t) => t.in('name', [' a', 'b']), 'name=in.(" a",b)'],
])('%s finds the rows that hold it', async (_name, call, query) => {
  const [sent] = await sentBy((client) => call(client.from('notes').select()));
  expect(sent?.split('&')).toEqual(expect.arrayContaining([query]));
});

test.each<readonly [string, (t: Untyped) => PromiseLike<unknown>]>([
  ['in', (t) => t.select().in('id', [1, () => 2])],
  ['notIn', (t) => t.select().notIn('id', [Symbol('id')])],
  ['not in', (t) => t.select().not('id', 'in', [() => 2])],
  ['contains', (t) => t.select().contains('tags', ['a', () => 'b'])],
  ['likeAnyOf', (t) => t.select().likeAnyOf('name', [() => 'a%'])],
  ['eq', (t) => t.select().eq('id', () => 2)],
])('%s refuses a function or a symbol, which no column equals', async (_name, call) => {
  const sent: unknown[] = [];
  const client = connect(async (input) => {
    sent.push(input);
    return new Response('[]');
  });
  await expect(async () => call(client.from('notes'))).rejects.toThrow(/function|symbol/);
  expect(sent).toEqual([]);
});
