import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { createMfa } from '../../src/auth-client/features/mfa.ts';
import { createMemoryStore } from '../../src/auth-client/index.ts';
import { createSupabaseClients, type SupabaseClients } from '../../src/clients/supabase-clients.ts';
import { createClient, type SupabaseClient } from '../../src/compat/index.ts';
import { createFunctionsClient } from '../../src/functions-client/index.ts';
import { createStorage } from '../../src/compat/storage/storage.ts';
import { createPlatform } from '../../src/platform/browser-platform.ts';
import { CallUser, type GetAccessToken } from '../../src/platform/call-user.ts';
import { decodeJwtClaims } from '../../src/platform/jwt.ts';
import { sendBroadcast } from '../../src/realtime-client/broadcast/http-broadcast.ts';
import { createRealtimeClient } from '../../src/realtime-client/index.ts';
import { createRestClient, inChunks, pages } from '../../src/rest-client/index.ts';
import { createStorageClient } from '../../src/storage-client/index.ts';
import { uploadResumable } from '../../src/storage-client/resumable.ts';
import { createFakeWorld } from '../support/fake-platform.ts';
import { deferred, refusal, sessionReply, tokenOf } from '../support/wire/replies.ts';

const url = 'http://project.test';
const part = 6 * 1024 * 1024;
const rows = (...ids: readonly number[]) => Response.json(ids.map((id) => ({ id })));
const expired = Response.json(
  { code: 'PGRST303', message: 'JWT expired', details: null, hint: null },
  { status: 401 },
);
const denied = Response.json(
  { code: '42501', message: 'denied', details: null, hint: null },
  { status: 403 },
);

async function collect(items: AsyncIterable<unknown>): Promise<unknown[]> {
  const all: unknown[] = [];
  for await (const item of items) all.push(item);
  return all;
}

type Options = Parameters<typeof createRestClient>[0];

interface Step {
  /** The response to the first request, after which another user is signed in. */
  readonly first: () => Response;
  readonly later?: () => Response;
  readonly call: (options: Options) => Promise<unknown>;
}

/** Every place where a call sends a request after its first one. */
const steps: Readonly<Record<string, Step>> = {
  'rest: the renewal of an expired token': {
    first: () => expired.clone(),
    call: (options) => createRestClient(options).from('notes').insert({ body: 'x' }).execute(),
  },
  'rest: a refusal with 403': {
    first: () => denied.clone(),
    call: (options) => createRestClient(options).from('notes').insert({ body: 'x' }).execute(),
  },
  'rest: the next chunk': {
    first: () => rows(1),
    call: (options) => {
      const query = createRestClient(options).from('notes').delete().in('id', ['1', '2']).select('id');
      return inChunks(query, { size: 1 });
    },
  },
  'rest: the next page': {
    first: () => rows(1),
    call: (options) =>
      collect(pages(createRestClient(options).from('notes').select('id'), { by: ['id'], size: 1 })),
  },
  'storage: the renewal of an expired token': {
    first: () =>
      Response.json({ statusCode: '403', error: 'Unauthorized', message: 'jwt expired' }, { status: 400 }),
    call: (options) => createStorageClient(options).from('b').remove(['a']),
  },
  'storage: the next page': {
    first: () => Response.json([{ name: 'a' }]),
    call: (options) => collect(createStorageClient(options).from('b').pages('', { limit: 1 })),
  },
  'storage: the next thousand of signed URLs': {
    first: () => Response.json([]),
    call: (options) =>
      createStorageClient(options)
        .from('b')
        .createSignedUrls(
          Array.from({ length: 1001 }, (_, at) => `${at}`),
          60,
        ),
  },
  'storage: the next thousand of a removal': {
    first: () => Response.json([]),
    later: () => Response.json([]),
    call: (options) =>
      createStorageClient(options)
        .from('b')
        .remove(Array.from({ length: 1001 }, (_, at) => `${at}`)),
  },
  'storage: the parts of a resumable upload': {
    first: () =>
      new Response(null, {
        status: 201,
        headers: { location: `${url}/storage/v1/upload/resumable/u1`, 'tus-resumable': '1.0.0' },
      }),
    later: () =>
      new Response(null, { status: 204, headers: { 'upload-offset': `${part}`, 'tus-resumable': '1.0.0' } }),
    call: (options) => uploadResumable(options, 'b', 'a', new Blob([new Uint8Array(part)])),
  },
  'functions: the second of two calls that share a user': {
    first: () => Response.json({}),
    async call(options) {
      const user = new CallUser();
      const functions = createFunctionsClient(options);
      await functions.invoke('one', { user });
      return functions.invoke('two', { user });
    },
  },
  'realtime: a broadcast by HTTP that shares its user with a read': {
    first: () => rows(1),
    later: () => new Response(null, { status: 202 }),
    async call(options) {
      const user = new CallUser();
      await createRestClient(options).from('notes').select('id').execute({ user });
      const message = { topic: 'room', event: 'note', payload: {} };
      return sendBroadcast(createRealtimeClient(options as never), message, { user });
    },
  },
};

async function play(
  { first, later = () => rows(), call }: Step,
  before: string | null,
  after: string | null,
) {
  let token = before;
  const subjects: unknown[] = [];
  const fetch = async (input: RequestInfo | URL, init?: RequestInit) => {
    const request = new Request(input, { ...init, duplex: 'half' } as RequestInit);
    const bearer = request.headers.get('authorization')?.replace('Bearer ', '');
    subjects.push((bearer && decodeJwtClaims(bearer)?.['sub']) ?? null);
    token = after;
    return subjects.length === 1 ? first() : later();
  };
  const platform = createPlatform({ fetch, createXhr: undefined });
  const outcome = await call({
    url,
    apiKey: 'sb_publishable_x',
    platform,
    getAccessToken: async () => token,
  }).then(
    () => 'resolved',
    (problem: { readonly code?: string }) => problem.code,
  );
  return { outcome, subjects };
}

const ada = tokenOf('ada', 1);

const throwCause = ({ cause }: Error): never => {
  throw cause;
};

/** Calls whose body is read before their request is sent. */
const streamed: Readonly<Record<string, (options: Options, body: ReadableStream) => Promise<unknown>>> = {
  'functions: a body that is a stream': (options, body) =>
    createFunctionsClient(options).invoke('f', { body }),
  'compat: an upload of a stream': async (options, body) =>
    createStorage(options).from('b').throwOnError().upload('a', body).catch(throwCause),
  'compat: an update by a stream': async (options, body) =>
    createStorage(options).from('b').throwOnError().update('a', body).catch(throwCause),
  'compat: an upload of a stream by a signed URL': async (options, body) =>
    createStorage(options).from('b').throwOnError().uploadToSignedUrl('a', 'token', body).catch(throwCause),
};

it.each(Object.entries(streamed))('%s belongs to the user at its start', async (_name, call) => {
  const sent: Request[] = [];
  const fetch = async (input: RequestInfo | URL, init?: RequestInit) => {
    sent.push(new Request(input, init));
    return Response.json({});
  };
  const platform = createPlatform({ fetch });
  let token = ada;
  const body = new ReadableStream(
    {
      pull(controller) {
        token = tokenOf('bob', 1);
        controller.enqueue(new TextEncoder().encode('a secret of ada'));
        controller.close();
      },
    },
    { highWaterMark: 0 },
  );
  const options = { url, apiKey: 'sb_publishable_x', platform, getAccessToken: async () => token };
  await expect(call(options, body)).rejects.toMatchObject({ code: 'user-changed' });
  expect(sent).toEqual([]);
});

describe.each(Object.entries(steps))('%s', (name, step) => {
  it.each([
    ['another user has signed in', ada, tokenOf('bob', 1)],
    ['an anonymous caller has signed in', null, ada],
  ])('is not sent after %s', async (_what, before, after) => {
    const { outcome, subjects } = await play(step, before, after);
    expect(subjects).toEqual([before === null ? null : 'ada']);
    // A refused request without a token ends with its refusal.
    const isRefusal = before === null && /renewal|403/.test(name);
    expect(outcome === 'user-changed').toBe(!isRefusal);
    expect(outcome).not.toBe('resolved');
  });

  it('is not sent after a sign-out', async () => {
    const { outcome, subjects } = await play(step, ada, null);
    expect(subjects).toEqual(['ada']);
    expect(outcome).not.toBe('resolved');
  });

  it('is sent with a renewed token of the same user', async () => {
    const { subjects } = await play(step, ada, tokenOf('ada', 2));
    expect(subjects.length).toBeGreaterThan(1);
    expect(new Set(subjects)).toEqual(new Set(['ada']));
  });
});

const codeOf = (call: Promise<unknown>) =>
  call.then(
    () => 'resolved',
    (problem: { readonly code?: string }) => problem.code,
  );

/** One request of each service, whose token a function of the application returns. */
const requests: Readonly<Record<string, (options: Options, user?: CallUser) => Promise<unknown>>> = {
  rest: (options, user) => createRestClient(options).from('notes').select('id').execute({ user }),
  storage: (options, user) => createStorageClient(options).from('b').list('', { user }),
  functions: (options, user) => createFunctionsClient(options).invoke('one', { user }),
  realtime: (options, user) => {
    const message = { topic: 'room', event: 'note', payload: {} };
    return sendBroadcast(createRealtimeClient(options as never), message, { user });
  },
};

describe.each(Object.entries(requests))('%s with a getAccessToken of the application', (_name, send) => {
  async function sendWith(getAccessToken: GetAccessToken, user?: CallUser) {
    const sent: unknown[] = [];
    const fetch = async (input: RequestInfo | URL) => {
      sent.push(input);
      return Response.json([]);
    };
    const platform = createPlatform({ fetch });
    const options = { url, apiKey: 'sb_publishable_x', platform, getAccessToken };
    return { outcome: await codeOf(send(options, user)), sent };
  }

  it.each([tokenOf('bob', 1), null])(
    'that ignores the user of the call is refused by the claims of its token %j',
    async (token) => {
      const sending = sendWith(async () => token, new CallUser('ada'));
      expect(await sending).toEqual({ outcome: 'user-changed', sent: [] });
    },
  );

  it('that binds the user before it waits ends with the user', async () => {
    const sending = sendWith(async ({ user } = {}) => {
      user?.admit(ada);
      await Promise.resolve();
      user?.admit(tokenOf('bob', 1));
      return tokenOf('bob', 1);
    });
    expect(await sending).toEqual({ outcome: 'user-changed', sent: [] });
  });
});

const factorId = 'f0000000-0000-4000-8000-000000000001';
type Clients = SupabaseClients & { readonly compat: SupabaseClient };
/** The vendor's errors have no code for a change of the user. */
const errorOf = async (call: PromiseLike<{ readonly error: unknown }>) => {
  const text = inspect((await call).error);
  return /Another user signed in|session_not_found/.test(text) ? 'user-changed' : text;
};

/** A call of every client, native and compat, whose token has to be renewed first. */
const firstCalls: Readonly<Record<string, (clients: Clients) => Promise<string | undefined>>> = {
  'auth: a change of the user': ({ auth }) => codeOf(auth.updateUser({ password: 'another one' })),
  'auth: a second factor': ({ auth }) =>
    codeOf(createMfa(auth).verify({ factorId, challengeId: 'c', code: '123456' })),
  'rest: a read': ({ rest }) => codeOf(rest.from('notes').select('id').execute()),
  'rest: pages': ({ rest }) =>
    codeOf(collect(pages(rest.from('notes').select('id'), { by: ['id'], size: 1 }))),
  'storage: a list': ({ connection }) => codeOf(createStorageClient(connection).from('b').list()),
  'storage: a resumable upload': ({ connection }) =>
    codeOf(uploadResumable(connection, 'b', 'a', new Blob(['text']))),
  'functions: a call': ({ connection }) => codeOf(createFunctionsClient(connection).invoke('one')),
  'realtime: a broadcast by HTTP': ({ realtime }) =>
    codeOf(sendBroadcast(realtime, { topic: 'room', event: 'note', payload: {} })),
  'realtime: a push that waits for its channel': ({ realtime }) => {
    const channel = realtime.channel('room');
    channel.join();
    return codeOf(channel.push('note', {}));
  },
  'compat: a change of the user': ({ compat }) => errorOf(compat.auth.updateUser({ password: 'another' })),
  'compat: a read': ({ compat }) => errorOf(compat.from('notes').select()),
  'compat: a list of files': ({ compat }) => errorOf(compat.storage.from('b').list()),
  'compat: a call of a function': ({ compat }) => errorOf(compat.functions.invoke('one')),
};

describe.each(Object.entries(firstCalls))('%s that waits for its first token', (_name, call) => {
  async function openExpired() {
    const world = createFakeWorld();
    const store = createMemoryStore();
    const sent: string[] = [];
    const refresh = deferred<Response>();
    const fetch = async (input: RequestInfo | URL, init?: RequestInit) => {
      const { pathname, searchParams } = new URL(new Request(input, init).url);
      if (searchParams.get('grant_type') === 'password') return Response.json(sessionReply('ada', 1));
      if (searchParams.get('grant_type') === 'refresh_token') return refresh.promise;
      // Ignore the requests without credentials: the revocation at the end, and the one that explains a refused websocket.
      if (!/\/(logout|api\/broadcast)$/.test(pathname)) sent.push(pathname);
      return Response.json([]);
    };
    const open = () => {
      const platform = world.openTab({ fetch });
      return createSupabaseClients({ url, apiKey: 'sb_publishable_x', platform, store });
    };
    const [clients, otherTab] = [open(), open()];
    await clients.auth.signInWithPassword({ email: 'ada@example.com', password: 'x' });
    await otherTab.auth.start();
    world.clock.sleep(2 * 3_600_000);
    const compat = createClient(url, 'sb_publishable_x', {
      auth: { storage: { getItem: store.get, setItem: store.set, removeItem: store.remove } },
      global: { fetch },
    });
    return { world, clients: { ...clients, compat }, otherTab, refresh, sent };
  }

  it.each(['is refused', 'ends by a sign-out in another tab'])('ends where its session %s', async (how) => {
    const { world, clients, otherTab, refresh, sent } = await openExpired();
    const outcome = call(clients);
    await world.settle();
    if (how !== 'is refused') void otherTab.auth.signOut({ scope: 'local' });
    await world.settle();
    refresh.resolve(refusal(400, 'session_not_found'));
    await world.clock.advance(60_000);
    await expect(outcome).resolves.toBe('user-changed');
    expect(sent).toEqual([]);
  });
});
