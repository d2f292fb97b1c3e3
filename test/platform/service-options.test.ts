import { describe, expect, it } from 'vitest';
import { createMemoryStore } from '../../src/auth-client/index.ts';
import { createFunctionsClient } from '../../src/functions-client/index.ts';
import { createPlatform } from '../../src/platform/browser-platform.ts';
import { sendBroadcasts } from '../../src/realtime-client/broadcast/http-broadcast.ts';
import { createServerClients } from '../../src/clients/server.ts';
import { createStorageClient } from '../../src/storage-client/index.ts';
import { type ClientEvent, createSupabaseClients } from '../../src/clients/supabase-clients.ts';

const project = { url: 'https://project.test', apiKey: 'sb_publishable_key' };
const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';

/** A fetch that responds to every request with an empty list, accepts broadcasts, and remembers the requests. */
function createRecorder() {
  const requests: { readonly path: string; readonly headers: Headers }[] = [];
  const fetch = async (input: RequestInfo | URL, init?: RequestInit) => {
    const request = new Request(input, init);
    requests.push({ path: new URL(request.url).pathname, headers: request.headers });
    return Response.json([], { status: request.url.includes('/realtime/') ? 202 : 200 });
  };
  return { requests, fetch };
}

describe('the options of all services', () => {
  it('reach every client: headers, fetch, log and trace context', async () => {
    const { requests, fetch } = createRecorder();
    const events: ClientEvent[] = [];
    const { auth, rest, realtime, connection } = createSupabaseClients({
      ...project,
      store: createMemoryStore(),
      headers: { 'x-app': 'inbox', 'x-part': 'all' },
      fetch,
      log: (event) => events.push(event),
      traceparent: () => traceparent,
      rest: { headers: { 'x-part': 'rest' } },
    });
    await auth.getSettings().catch(() => null);
    await rest.from('notifications').select('id');
    await sendBroadcasts(realtime, [{ topic: 'room', event: 'note', payload: {} }]);
    await createStorageClient(connection).listBuckets();
    await createFunctionsClient(connection).invoke('sum');
    const services = ['auth', 'rest', 'realtime', 'storage', 'functions'];
    expect(requests.map(({ path }) => path.split('/')[1])).toEqual(services);
    for (const { path, headers } of requests) {
      expect([headers.get('x-app'), headers.get('traceparent')]).toEqual(['inbox', traceparent]);
      expect(headers.get('x-part')).toBe(path.startsWith('/rest') ? 'rest' : 'all');
    }
    expect(events.map((event) => event.type === 'http' && event.service)).toEqual(services);
    expect(JSON.stringify(events)).not.toContain('sb_publishable_key');
  });

  it('are overridden by those of a service', async () => {
    const [all, own] = [createRecorder(), createRecorder()];
    const { auth, rest } = createSupabaseClients({
      ...project,
      store: createMemoryStore(),
      fetch: all.fetch,
      rest: { fetch: own.fetch },
    });
    await rest.from('notifications').select('id');
    await auth.getSettings().catch(() => null);
    expect([all.requests.length, own.requests.length]).toEqual([1, 1]);
  });

  it('of one service reach this client of a server alone', async () => {
    const { requests, fetch } = createRecorder();
    const events: string[] = [];
    const { auth, rest } = createServerClients({
      ...project,
      cookies: { getAll: () => [] },
      headers: { 'x-part': 'all' },
      auth: { headers: { 'x-part': 'auth' }, fetch, log: ({ service }) => events.push(`auth: ${service}`) },
      rest: { headers: { 'x-part': 'rest' }, fetch, log: ({ service }) => events.push(`rest: ${service}`) },
      fetch: () => Promise.reject(new Error('Not this one')),
    });
    await auth.getSettings().catch(() => null);
    await rest.from('notifications').select('id');
    expect(requests.map(({ headers }) => headers.get('x-part'))).toEqual(['auth', 'rest']);
    expect(events).toEqual(['auth: auth', 'rest: rest']);
  });

  it('apply to the clients of a server', async () => {
    const { requests, fetch } = createRecorder();
    const { rest, connection } = createServerClients({
      ...project,
      platform: createPlatform({ fetch: () => Promise.reject(new Error('Not this one')) }),
      cookies: { getAll: () => [] },
      headers: { 'x-app': 'inbox' },
      rest: { headers: { 'x-rest': '1' } },
      fetch,
    });
    await rest.from('notifications').select('id');
    await createStorageClient(connection).listBuckets();
    expect(requests.map(({ headers }) => [headers.get('x-app'), headers.get('x-rest')])).toEqual([
      ['inbox', '1'],
      ['inbox', null],
    ]);
  });
});
