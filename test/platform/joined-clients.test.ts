import { describe, expect, it } from 'vitest';
import { createMemoryStore } from '../../src/auth-client/index.ts';
import { createFunctionsClient } from '../../src/functions-client/index.ts';
import { createLazyClients } from '../../src/clients/lazy-clients.ts';
import { createPlatform } from '../../src/platform/index.ts';
import * as realtimeModule from '../../src/realtime-client/index.ts';
import * as restModule from '../../src/rest-client/index.ts';
import { createRequestCookies, createServerClients, parseCookieHeader } from '../../src/clients/server.ts';
import { createStorageClient } from '../../src/storage-client/index.ts';
import { createSupabaseClients, type SupabaseClientsOptions } from '../../src/clients/supabase-clients.ts';
import { createRecordedWire } from '../../src/testing/index.ts';
import { cookiesToSet } from '../../src/auth-client/server/cookies-to-set.ts';
import { createFakeWorld } from '../support/fake-platform.ts';
import { sessionReply, userOf } from '../support/wire/replies.ts';

const password = { email: 'ada@example.com', password: 'wrong' };

function openProject(options: Partial<SupabaseClientsOptions> = {}) {
  const wire = createRecordedWire();
  const refused = () => Response.json({ code: 'invalid_credentials', message: 'No' }, { status: 400 });
  wire.on('POST /auth/v1/token', refused());
  wire.on('HEAD /rest/v1/notes', new Response(null, { headers: { 'content-range': '*/0' } }));
  wire.on('GET /storage/v1/bucket', Response.json([]));
  wire.on('POST /functions/v1/hello', Response.json({}));
  const platform = createPlatform({ fetch: wire.fetch });
  const project = { url: 'https://project.test', apiKey: 'sb_publishable_1', platform };
  return { wire, options: { ...project, store: createMemoryStore(), ...options } };
}

/** An object of whose functions, at any depth, each call fails. */
function uncallable<T extends object>(part: T): T {
  return new Proxy(part, {
    get(target, name): unknown {
      const value: unknown = Reflect.get(target, name);
      if (typeof value === 'function')
        return () => {
          throw new Error(`${String(name)}() was called`);
        };
      return typeof value === 'object' && value !== null ? uncallable(value) : value;
    },
  });
}

describe('all clients of a project', () => {
  it('use neither platform nor store when they are created', () => {
    const platform = uncallable(createPlatform());
    const store = uncallable(createMemoryStore());
    const createAll = () => {
      const { connection } = createSupabaseClients({ ...openProject().options, platform, store });
      createStorageClient(connection);
      createFunctionsClient(connection);
    };
    expect(createAll).not.toThrow();
  });

  it('open a channel to other clients only where these can have the same store', async () => {
    const opened: string[] = [];
    const openTabChannel = (name: string) => {
      opened.push(name);
      return { post() {}, subscribe: () => () => {}, close() {} };
    };
    const platform = createPlatform({ openTabChannel });
    const { store, ...options } = openProject({ platform }).options;
    await createSupabaseClients(options).auth.getSession();
    expect(opened).toEqual([]);
    await createSupabaseClients({ ...options, store }).auth.getSession();
    expect(opened).toEqual(['sb-project-auth-token']);
  });
});

describe('options for all services', () => {
  it('send headers with every request, which a service may override', async () => {
    const { wire, options } = openProject({
      headers: { 'x-app': 'inbox', 'x-team': 'one' },
      rest: { headers: { 'x-team': 'two' } },
    });
    const { auth, rest, connection, close } = createSupabaseClients(options);
    await auth.signInWithPassword(password).catch(() => undefined);
    await rest.from('notes').count();
    await createStorageClient(connection).listBuckets();
    await createFunctionsClient(connection).invoke('hello');
    close();
    expect(wire.requests.map(({ path, headers }) => [path, headers['x-app'], headers['x-team']])).toEqual([
      ['/auth/v1/token?grant_type=password', 'inbox', 'one'],
      ['/rest/v1/notes', 'inbox', 'two'],
      ['/storage/v1/bucket', 'inbox', 'one'],
      ['/functions/v1/hello', 'inbox', 'one'],
    ]);
  });

  it('keep responses to reads out of the cache, and let repeated writes reuse a preflight', async () => {
    const { wire, options } = openProject();
    const modes: unknown[] = [];
    const platform = createPlatform({
      fetch: (url, init) => {
        modes.push([init?.method, init?.cache]);
        return wire.fetch(url, init);
      },
    });
    const { auth, rest, close } = createSupabaseClients({ ...options, platform });
    await auth.signInWithPassword(password).catch(() => undefined);
    await rest.from('notes').count();
    close();
    expect(modes).toEqual([
      ['POST', undefined],
      ['HEAD', 'no-store'],
    ]);
  });

  it('log the exchanges of every service; a service’s own log replaces it', async () => {
    const all: string[] = [];
    const own: string[] = [];
    const { options } = openProject({
      log: (event) => void all.push('service' in event ? event.service : event.type),
      rest: { log: ({ service }) => void own.push(service) },
    });
    const { auth, rest, connection, close } = createSupabaseClients(options);
    await auth.signInWithPassword(password).catch(() => undefined);
    await rest.from('notes').count();
    await createStorageClient(connection).listBuckets();
    await createFunctionsClient(connection).invoke('hello');
    close();
    expect({ all, own }).toEqual({ all: ['auth', 'storage', 'functions', 'socket'], own: ['rest'] });
  });

  it('apply to the clients of a request', async () => {
    const { wire, options } = openProject();
    const logged: string[] = [];
    const { auth, rest } = createServerClients({
      ...options,
      cookies: { getAll: () => [], setAll: () => undefined },
      headers: { 'x-app': 'inbox' },
      log: ({ service }) => void logged.push(service),
    });
    await auth.signInWithPassword(password).catch(() => undefined);
    await rest.from('notes').count();
    expect(wire.requests.map(({ headers }) => headers['x-app'])).toEqual(['inbox', 'inbox']);
    expect(logged).toEqual(['auth', 'rest']);
  });
});

describe('createServerClients', () => {
  it('shares a refresh for ten seconds among requests with the same cookies', async () => {
    const world = createFakeWorld();
    let serial = 1;
    const wire = createRecordedWire();
    wire.on('POST /auth/v1/token', () => Response.json(sessionReply('ada', (serial += 1))));
    const platform = world.openTab({ fetch: wire.fetch });
    const session = sessionReply('ada', 1, { expires_at: world.clock.now() / 1000 - 3600 });
    const sent = cookiesToSet('sb-shared-auth-token', JSON.stringify(session), [], {});
    const readToken = () =>
      createServerClients({
        url: 'https://shared.test',
        apiKey: 'sb_publishable_1',
        platform,
        cookies: { getAll: () => sent },
      }).auth.getAccessToken();
    const first = await readToken();
    await world.clock.advance(9_000);
    expect(await readToken()).toBe(first);
    await world.clock.advance(2_000);
    expect(await readToken()).toBe(sessionReply('ada', 3).access_token);
    expect(wire.requests).toHaveLength(2);
  });
});

describe('the clients of one request', () => {
  const url = 'https://cookies.test';
  const openRequest = (serial: number) => {
    const world = createFakeWorld();
    const wire = createRecordedWire();
    wire.on('POST /auth/v1/token', () => Response.json(sessionReply('ada', serial + 1)));
    wire.on('POST /auth/v1/otp', () => Response.json({}));
    const platform = world.openTab({ fetch: wire.fetch });
    const session = sessionReply('ada', serial, {
      expires_at: world.clock.now() / 1000 - 3600,
      user: userOf('ada', { note: 'x'.repeat(6_000) }),
    });
    const sent = cookiesToSet('sb-cookies-auth-token', JSON.stringify(session), [], {});
    const cookie = sent.map(({ name, value }) => `${name}=${value}`).join('; ');
    const request = new Request('https://app.test/', { headers: { cookie } });
    return { request, platform, wire };
  };

  it.each(['at once', 'in turn'])('set a renewed session once, used %s', async (how) => {
    const { request, platform, wire } = openRequest(how === 'in turn' ? 10 : 20);
    const headers = new Headers();
    const readToken = () => {
      const cookies = createRequestCookies(request, headers);
      return createServerClients({ url, apiKey: 'k', platform, cookies }).auth.getAccessToken();
    };
    const read: Promise<string | null>[] = [];
    for (let n = 0; n < 4; n += 1) {
      const token = readToken();
      if (how === 'in turn') await token;
      read.push(token);
    }
    expect(new Set(await Promise.all(read)).size).toBe(1);
    expect(wire.requests).toHaveLength(1);
    const names = headers.getSetCookie().map((line) => line.split('=')[0]);
    expect(names).toEqual([...new Set(names)]);
    expect(names.length).toBeGreaterThan(0);
  });

  it('of two requests share nothing, nor do two responses of one request', async () => {
    const { request } = openRequest(30);
    const headers = new Headers();
    const cookies = createRequestCookies(request, headers);
    expect(createRequestCookies(request, headers)).toBe(cookies);
    expect(createRequestCookies(request, new Headers())).not.toBe(cookies);
    expect(createRequestCookies(openRequest(31).request, headers)).not.toBe(cookies);
  });

  it('never see the session of another request where one cookies object serves every request', async () => {
    const { platform } = openRequest(40);
    let sent = openRequest(40).request;
    const cookies = {
      getAll: () => parseCookieHeader(sent.headers.get('cookie') ?? ''),
      setAll: () => undefined,
    };
    const open = () => createServerClients({ url, apiKey: 'k', platform, cookies }).auth;
    await open().getAccessToken();
    sent = new Request('https://app.test/');
    expect(await open().getAccessToken()).toBeNull();
  });

  it('set the headers that forbid caching once', async () => {
    const { platform } = openRequest(50);
    const given: object[] = [];
    const setAll = (_cookies: unknown, headers: object) => void given.push(headers);
    const { auth } = createServerClients({
      url,
      apiKey: 'k',
      platform,
      cookies: { getAll: () => [], setAll },
    });
    await auth.signInWithOtp({ email: 'ada@example.com' });
    expect(given.map((headers) => Object.keys(headers).length)).toEqual([3, 0, 0]);
  });
});

describe('createLazyClients', () => {
  function openLazy(importRest = () => Promise.resolve(restModule)) {
    const { wire, options } = openProject({ headers: { 'x-app': 'inbox' } });
    const importRealtime = () => Promise.resolve(realtimeModule);
    return { wire, clients: createLazyClients({ ...options, importRest, importRealtime }) };
  }

  it('imports REST with the first call, once, with the options of all clients', async () => {
    let imports = 0;
    const { wire, clients } = openLazy(() => {
      imports += 1;
      return Promise.resolve(restModule);
    });
    expect(imports).toBe(0);
    expect(clients.loadRest()).toBe(clients.loadRest());
    const rest = await clients.loadRest();
    await rest.from('notes').count();
    clients.close();
    expect(imports).toBe(1);
    expect(wire.requests[0]?.headers['x-app']).toBe('inbox');
  });

  it('imports again after a failure', async () => {
    let isOffline = true;
    const { clients } = openLazy(() =>
      isOffline ? Promise.reject(new TypeError('Failed to fetch')) : Promise.resolve(restModule),
    );
    await expect(clients.loadRest()).rejects.toThrow('Failed to fetch');
    isOffline = false;
    expect(await clients.loadRest()).toHaveProperty('from');
    clients.close();
  });

  it('closes a realtime client that arrives after close()', async () => {
    const { clients } = openLazy();
    const loading = clients.loadRealtime();
    clients.close();
    const realtime = await loading;
    const channel = realtime.channel('room');
    channel.join();
    expect(channel.getSnapshot().status).not.toBe('live');
    expect(realtime.getSnapshot().status).not.toBe('live');
  });
});
