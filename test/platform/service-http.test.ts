import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { createAuthClient, createMemoryStore } from '../../src/auth-client/index.ts';
import { createFunctionsClient } from '../../src/functions-client/index.ts';
import { createPlatform } from '../../src/platform/browser-platform.ts';
import type { Platform } from '../../src/platform/platform.ts';
import { sendBroadcasts } from '../../src/realtime-client/broadcast/http-broadcast.ts';
import { createRealtimeClient } from '../../src/realtime-client/index.ts';
import { createRestClient } from '../../src/rest-client/index.ts';
import { createStorageClient } from '../../src/storage-client/index.ts';

interface Options {
  readonly url: string;
  readonly apiKey: string;
  readonly platform: Platform;
  readonly headers?: Readonly<Record<string, string>>;
  readonly getAccessToken: () => Promise<string | null>;
}

type Call = (options: Options, headers?: Readonly<Record<string, string>>) => Promise<unknown>;

/** One request of each service; `headers` are those of the call, which the auth client does not support. */
const calls: Readonly<Record<string, Call>> = {
  auth: (options) => createAuthClient({ ...options, store: createMemoryStore() }).getSettings(),
  rest: (options, headers) =>
    createRestClient(options)
      .from('notes')
      .select('id')
      .execute({ ...(headers && { headers }) }),
  storage: (options, headers) => createStorageClient(options).listBuckets({ headers }),
  functions: (options, headers) =>
    createFunctionsClient(options).invoke('sum', { body: {}, ...(headers && { headers }) }),
  realtime: (options, headers) => {
    const messages = [{ topic: 'room', event: 'note', payload: {} }];
    return sendBroadcasts(createRealtimeClient(options), messages, { ...(headers && { headers }) });
  },
};
const services = Object.keys(calls);

const responses: Readonly<Record<string, () => Response>> = {
  auth: () => Response.json({ external: {}, disable_signup: false }),
  rest: () => Response.json([]),
  storage: () => Response.json([]),
  functions: () => Response.json({}),
  realtime: () => new Response(null, { status: 202 }),
};

/** Runs a service's request on a fetch, and returns the headers that it received. */
async function headersOf(
  service: string,
  ofClient: Readonly<Record<string, string>>,
  ofCall?: Readonly<Record<string, string>>,
): Promise<Headers> {
  let sent = new Headers();
  const platform = createPlatform({
    fetch: async (input, init) => {
      sent = new Request(input, init).headers;
      return responses[service]?.() ?? Response.error();
    },
  });
  const url = 'https://project.test';
  const options = { url, apiKey: 'key', platform, headers: ofClient, getAccessToken: async () => 'token' };
  await calls[service]?.(options, ofCall);
  return sent;
}

describe('the headers of a request', () => {
  test.each(services)(
    'the headers of a request of %s are the library’s where the caller gives none',
    async (service) => {
      const sent = await headersOf(service, {});
      expect(sent.get('apikey')).toBe('key');
      expect(sent.get('authorization')).toBe(service === 'auth' ? null : 'Bearer token');
    },
  );

  test.each(services)(
    'the headers of a request of %s are replaced by the client’s headers, however written',
    async (service) => {
      const sent = await headersOf(service, {
        Authorization: 'Bearer mine',
        ApiKey: 'my-key',
        'Content-Type': 'application/mine',
        'X-Client-Info': 'my-app',
      });
      expect(Object.fromEntries(sent)).toMatchObject({
        authorization: 'Bearer mine',
        apikey: 'my-key',
        'content-type': 'application/mine',
        'x-client-info': 'my-app',
      });
    },
  );

  test.each(services)('the headers of a request of %s may be replaced by empty ones', async (service) => {
    const sent = await headersOf(service, { 'X-Client-Info': '', 'X-App': '' });
    expect([sent.get('x-client-info'), sent.get('x-app')]).toEqual(['', '']);
  });

  test.each(services.filter((service) => service !== 'auth'))(
    'the headers of a request of %s are replaced by those of the call before the client’s',
    async (service) => {
      const ofCall = { AUTHORIZATION: 'Bearer call' };
      const sent = await headersOf(service, { authorization: 'Bearer mine', apikey: 'my-key' }, ofCall);
      expect([sent.get('authorization'), sent.get('apikey')]).toEqual(['Bearer call', 'my-key']);
    },
  );
});

describe('a redirect to another origin', () => {
  const servers: Server[] = [];
  afterEach(() => servers.splice(0).forEach((server) => server.close()));

  async function listen(respond: (request: IncomingMessage) => { status: number; location?: string }) {
    const server = createServer((request, response) => {
      const { status, location } = respond(request);
      response.writeHead(status, { 'content-type': 'application/json', ...(location && { location }) });
      response.end('{"ok":true}');
    });
    servers.push(server);
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve);
    });
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  async function redirecting(status: number) {
    const arrived: IncomingMessage[] = [];
    const target = await listen((request) => {
      arrived.push(request);
      return { status: 200 };
    });
    const url = await listen(() => ({ status, location: `${target}/elsewhere` }));
    const platform = createPlatform();
    return { arrived, options: { url, apiKey: 'key', platform, getAccessToken: async () => 'token' } };
  }

  test.each(services.flatMap((service) => [301, 307].map((status) => [service, status] as const)))(
    'ends a request of %s with `redirected` after a %i, and nothing is sent there',
    async (service, status) => {
      const { arrived, options } = await redirecting(status);
      await expect(calls[service]?.(options)).rejects.toMatchObject({ code: 'redirected' });
      expect(arrived).toHaveLength(0);
    },
  );

  test('is followed by a call of a function that asks for it, without the access token', async () => {
    const { arrived, options } = await redirecting(302);
    const result = await createFunctionsClient(options).invoke('sum', { redirect: 'follow' });
    expect(result).toEqual({ ok: true });
    expect(arrived.map(({ headers }) => headers.authorization)).toEqual([undefined]);
  });

  test('a redirect that a browser hides behind status 0 is distinguished from a network failure', async () => {
    const hidden = Object.defineProperty(Response.error(), 'type', { value: 'opaqueredirect' });
    const platform = createPlatform({ fetch: async () => hidden });
    const options = {
      url: 'https://project.test',
      apiKey: 'key',
      platform,
      getAccessToken: async () => null,
    };
    await expect(calls['functions']?.(options)).rejects.toMatchObject({ code: 'redirected' });
  });
});
