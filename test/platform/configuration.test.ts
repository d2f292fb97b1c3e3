import { inspect } from 'node:util';
import { describe, expect, it, vi } from 'vitest';
import { createAdminClient } from '../../src/auth-client/admin/admin.ts';
import { createAuthClient, createMemoryStore } from '../../src/auth-client/index.ts';
import { createFunctionsClient } from '../../src/functions-client/index.ts';
import { createPlatform } from '../../src/platform/browser-platform.ts';
import type { Socket } from '../../src/platform/platform.ts';
import { createBroadcast } from '../../src/realtime-client/broadcast/broadcast.ts';
import { sendBroadcast, sendBroadcasts } from '../../src/realtime-client/broadcast/http-broadcast.ts';
import { createPostgresChanges } from '../../src/realtime-client/changes/postgres-changes.ts';
import { createRealtimeClient } from '../../src/realtime-client/index.ts';
import { createRestClient, embed, expectAffected, maxAffected } from '../../src/rest-client/index.ts';
import { createStorageClient, uploadResumable } from '../../src/storage-client/index.ts';
import { createSupabaseClients } from '../../src/clients/supabase-clients.ts';

const platform = createPlatform({
  fetch: () => Promise.reject(new Error('Nothing is sent')),
});

type Create = (options: never) => unknown;

describe.each<[string, Create, object]>([
  ['REST', createRestClient, { code: 'invalid-options', name: 'RestError' }],
  ['storage', createStorageClient, { code: 'invalid-options', name: 'StorageError' }],
  ['functions', createFunctionsClient, { code: 'invalid-options', name: 'FunctionsError' }],
  ['realtime', createRealtimeClient, { code: 'invalid-options', name: 'RealtimeError' }],
])('the %s client without its configuration', (_name, create, error) => {
  it.each([
    [{ url: '' }, 'Supabase configuration incomplete: url is not set'],
    [{ url: undefined }, 'Supabase configuration incomplete: url is not set'],
    [{ apiKey: '' }, 'Supabase configuration incomplete: apiKey is not set'],
    [
      { url: 'ftp://project.test' },
      'Supabase configuration incomplete: url is not set (it must be an http or https URL)',
    ],
  ])('says what is missing: %j', (missing, message) => {
    const options = { url: 'https://project.test', apiKey: 'key', platform, ...missing } as never;
    expect(() => create(options)).toThrow(expect.objectContaining({ ...error, message }));
  });
});

it('createSupabaseClients names the missing option', () => {
  expect(() => createSupabaseClients({ url: 'https://project.test', apiKey: '', platform })).toThrow(
    expect.objectContaining({
      code: 'invalid-options',
      message: 'Supabase configuration incomplete: apiKey is not set',
    }),
  );
});

describe('a secret with a line break in it, as copied from a wrapped line', () => {
  it('is refused as a key at creation, without being repeated', () => {
    const apiKey = 'sb_secret_first-line\nsecond-line';
    expect(() => createSupabaseClients({ url: 'https://project.test', apiKey, platform })).toThrow(
      expect.objectContaining({
        code: 'invalid-options',
        message:
          'Supabase configuration incomplete: apiKey is not set (it must be one line of ASCII characters)',
      }),
    );
  });

  it('is not repeated by the error of a request that cannot carry it', async () => {
    const rest = createRestClient({
      url: 'https://project.test',
      apiKey: 'sb_publishable_key',
      // Every runtime's fetch creates a Request, too.
      platform: createPlatform({ fetch: async (input, init) => fetch(new Request(input, init)) }),
      getAccessToken: async () => 'first-line\nsecond-line',
      retry: { limit: 0 },
    });
    const problem: unknown = await rest
      .from('notifications')
      .select()
      .then(null, (thrown: unknown) => thrown);
    expect(inspect(problem, { depth: 9 })).not.toContain('second-line');
    expect(problem).toMatchObject({
      code: 'network',
      cause: { message: 'The header authorization has characters that HTTP does not allow' },
    });
  });
});

describe('a numeric option', () => {
  const slow = createPlatform({
    async fetch(input) {
      await new Promise((resolve) => setTimeout(resolve, 20));
      return new Request(input).url.includes('/broadcast')
        ? new Response(null, { status: 202 })
        : Response.json([]);
    },
  });
  const base = { url: 'https://project.test', apiKey: 'key', platform: slow };
  const calls: Readonly<Record<string, (timeoutMs: number) => Promise<unknown>>> = {
    rest: (timeoutMs) =>
      createRestClient({ ...base, timeoutMs, attemptTimeoutMs: timeoutMs })
        .from('t')
        .select()
        .execute(),
    'rest, of the call': (timeoutMs) => createRestClient(base).from('t').select().execute({ timeoutMs }),
    'rest, with a slow token': (timeoutMs) => {
      const getAccessToken = async () => {
        await new Promise((resolve) => setTimeout(resolve, 20));
        return null;
      };
      return createRestClient({ ...base, timeoutMs, getAccessToken })
        .from('t')
        .select()
        .execute();
    },
    storage: (timeoutMs) => createStorageClient({ ...base, timeoutMs }).listBuckets(),
    'storage, of the call': (timeoutMs) => createStorageClient(base).listBuckets({ timeoutMs }),
    functions: (timeoutMs) => createFunctionsClient({ ...base, timeoutMs }).invoke('f'),
    'functions, of the call': (timeoutMs) => createFunctionsClient(base).invoke('f', { timeoutMs }),
    realtime: (timeoutMs) =>
      sendBroadcasts(createRealtimeClient(base), [{ topic: 't', event: 'e', payload: {} }], { timeoutMs }),
    auth: (timeoutMs) =>
      createAuthClient({ ...base, store: createMemoryStore(), timeoutMs })
        .getSettings()
        .catch(ignoreShape),
    admin: (timeoutMs) =>
      createAdminClient({ url: base.url, secretKey: 'sb_secret_x', platform: slow, timeoutMs })
        .listUsers()
        .catch(ignoreShape),
  };
  const ignoreShape = (problem: { readonly code?: string }) => {
    if (problem.code !== 'not-the-service') throw problem;
  };

  it.each(Object.keys(calls))('may be an infinite deadline: %s', async (name) => {
    for (const timeoutMs of [Infinity, 2 ** 31, Number.MAX_VALUE])
      await expect(calls[name]?.(timeoutMs)).resolves.not.toThrow();
  });

  it.each(Object.keys(calls))('is refused as a deadline that is not a time: %s', async (name) => {
    for (const timeoutMs of [Number.NaN, -1, '5' as never])
      await expect((async () => calls[name]?.(timeoutMs))()).rejects.toMatchObject({
        code: 'invalid-options',
        message: expect.stringContaining('timeoutMs must be a number from 0 to Infinity') as string,
      });
  });

  const files = createStorageClient(base).from('b');
  const storage = createStorageClient(base);
  const image = { width: Number.NaN };
  const channel = () => createRealtimeClient(base).channel('room', { private: true });
  const once = { topic: 't', event: 'e', payload: {}, private: true };
  const sent: readonly [string, string, () => unknown][] = [
    [
      'fileSizeLimitBytes',
      'createBucket',
      () => storage.createBucket('b', { fileSizeLimitBytes: Number.NaN }),
    ],
    ['fileSizeLimitBytes', 'updateBucket', () => storage.updateBucket('b', { fileSizeLimitBytes: Infinity })],
    ['limit', 'listBuckets', () => storage.listBuckets({ limit: 0 })],
    ['offset', 'listBuckets', () => storage.listBuckets({ offset: -1 })],
    [
      'noncurrentDays',
      'a lifecycle',
      () => storage.updateBucketLifecycle('b', [{ noncurrentDays: Number.NaN }]),
    ],
    [
      'newerNoncurrentVersions',
      'a lifecycle',
      () => storage.updateBucketLifecycle('b', [{ noncurrentDays: 1, newerNoncurrentVersions: 101 }]),
    ],
    ['limit', 'list', () => files.list('', { limit: Number.NaN })],
    ['offset', 'list', () => files.list('', { offset: Infinity })],
    ['limit', 'pages', () => files.pages('', { limit: Infinity }).next()],
    ['limit', 'listV2', () => files.listV2({ limit: 1.5 })],
    ['cacheControlSeconds', 'upload', () => files.upload('a', 'x', { cacheControlSeconds: Number.NaN })],
    [
      'cacheControlSeconds',
      'upload of a form',
      () => files.upload('a', new FormData(), { cacheControlSeconds: -1 }),
    ],
    [
      'cacheControlSeconds',
      'uploadResumable',
      () => uploadResumable(base, 'b', 'a', new Blob(['x']), { cacheControlSeconds: Infinity }),
    ],
    [
      'stallTimeoutMs',
      'uploadResumable',
      () => uploadResumable(base, 'b', 'a', new Blob(['x']), { stallTimeoutMs: Number.NaN }),
    ],
    ['width', 'download', () => files.download('a', { image })],
    ['width', 'createSignedUrl', () => files.createSignedUrl('a', 60, { image })],
    ['quality', 'getPublicUrl', () => files.getPublicUrl('a', { image: { quality: 101 } })],
    [
      'subscriptionWaitMs',
      'changes',
      () => createPostgresChanges(channel(), { subscriptionWaitMs: Infinity }),
    ],
    ['sinceMs', 'a replay', () => createBroadcast(channel(), { replay: { sinceMs: Number.NaN, limit: 1 } })],
    ['limit', 'a replay', () => createBroadcast(channel(), { replay: { sinceMs: 0, limit: Infinity } })],
    [
      'ttlSeconds',
      'a broadcast',
      () => createBroadcast(channel()).send('e', {}, { persist: { ttlSeconds: Number.NaN } }),
    ],
    [
      'ttlSeconds',
      'a broadcast by HTTP',
      () => sendBroadcast(createRealtimeClient(base), once, { persist: { ttlSeconds: Infinity } }),
    ],
  ];
  it.each(sent)('that is sent is refused outside its range: %s of %s', async (name, _of, call) => {
    await expect((async () => call())()).rejects.toMatchObject({
      code: 'invalid-options',
      message: expect.stringContaining(`${name} must be`) as string,
    });
  });

  it.each<[string, (rows: number) => unknown]>([
    ['limit', (rows) => createRestClient(base).from('t').select().limit(rows)],
    ['range', (rows) => createRestClient(base).from('t').select().range(rows, 9)],
    ['limit of embedded rows', (limit) => embed('id', { limit })],
    ['offset of embedded rows', (offset) => embed('id', { offset })],
    ['maxAffected', maxAffected],
    ['expectAffected', expectAffected],
  ])('that counts rows is refused where it is not a whole number: %s', (_name, build) => {
    for (const rows of [Number.NaN, -1, 1.5, Infinity])
      expect(() => build(rows)).toThrow(expect.objectContaining({ code: 'invalid-query' }));
  });

  it.each([0, -1, 1.5, Number.NaN, Infinity, '60' as never])(
    'of a signed URL is refused outside its range: %j',
    async (seconds) => {
      const files = createStorageClient(base).from('b');
      const refusal = {
        code: 'invalid-options',
        message: expect.stringContaining('expiresInSeconds must be a whole number from 1') as string,
      };
      await expect(files.createSignedUrl('a', seconds)).rejects.toMatchObject(refusal);
      await expect(files.createSignedUrls(['a'], seconds)).rejects.toMatchObject(refusal);
    },
  );

  it.each([
    ['heartbeatMs', 0],
    ['heartbeatMs', Number.NaN],
    ['timeoutMs', -1],
    ['jitter', 2],
    ['reconnectDelaysMs', []],
    ['reconnectDelaysMs', [1000, Number.NaN]],
    ['parallelJoins', 0],
    ['pushBuffer', 1.5],
  ])('of the realtime settings is refused outside its range: %s %j', (name, value) => {
    expect(() => createRealtimeClient({ ...base, settings: { [name]: value } })).toThrow(
      expect.objectContaining({ code: 'invalid-options', message: expect.stringContaining(name) as string }),
    );
  });

  it.each([
    ['maxRows', { maxRows: 0 }],
    ['maxUrlLength', { maxUrlLength: Number.NaN }],
    ['limit', { retry: { limit: -1 } }],
    ['baseDelayMs', { retry: { baseDelayMs: Number.NaN } }],
  ])('of the REST client is refused outside its range: %s', (name, options) => {
    expect(() => createRestClient({ ...base, ...options })).toThrow(
      expect.objectContaining({ code: 'invalid-options', message: expect.stringContaining(name) as string }),
    );
  });

  it('may switch heartbeats off', async () => {
    vi.useFakeTimers();
    const beats: string[] = [];
    const socket: Socket = {
      bufferedAmount: 0,
      onOpen: null,
      onMessage: null,
      onClose: null,
      close() {},
      send(data) {
        if (String(data).includes('heartbeat')) beats.push(String(data));
      },
    };
    const openSocket = () => {
      setTimeout(() => socket.onOpen?.(), 1);
      return socket;
    };
    const client = createRealtimeClient({
      ...base,
      platform: createPlatform({ openSocket }),
      settings: { heartbeatMs: Infinity, timeoutMs: Infinity },
    });
    client.channel('a').join();
    await vi.advanceTimersByTimeAsync(120_000);
    client.close();
    vi.useRealTimers();
    expect(beats).toEqual([]);
  });
});
