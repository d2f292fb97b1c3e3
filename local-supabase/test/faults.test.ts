import { WebSocket } from 'ws';
import { afterEach, describe, expect, it } from 'vitest';
import { ada, requestApi, signIn, useLocalSupabase } from '../../test/support/local-supabase.ts';

const supabase = useLocalSupabase({ port: 0, mailboxPort: 0 });
const settings = () => requestApi(supabase(), '/auth/v1/settings');
const table = '/rest/v1/notifications?select=id';

afterEach(() => supabase().faults.clear());

describe('a fault rule', () => {
  it("replaces the service's response only on its route and the given number of times", async () => {
    supabase().faults.add({ path: '/auth/v1/', times: 2, response: { status: 503, body: '<h1>Down</h1>' } });
    const first = await settings();
    expect(first.status).toBe(503);
    expect(first.headers.get('content-type')).toContain('text/html');
    await expect(first.text()).resolves.toBe('<h1>Down</h1>');
    expect(
      (await requestApi(supabase(), '/rest/v1/', { apiKey: supabase().serviceRoleKey })).status,
    ).not.toBe(503);
    expect((await settings()).status).toBe(503);
    expect((await settings()).status).toBe(200);
  });

  it('can skip requests first, and can be removed', async () => {
    const undo = supabase().faults.add({
      after: 1,
      response: { status: 429, headers: { 'retry-after': '7' } },
    });
    expect((await settings()).status).toBe(200);
    const struck = await settings();
    expect([struck.status, struck.headers.get('retry-after')]).toEqual([429, '7']);
    undo();
    expect((await settings()).status).toBe(200);
  });

  it('matches by method and expression', async () => {
    supabase().faults.add({
      method: 'POST',
      path: /grant_type=refresh_token$/,
      response: { status: 500, body: { code: 'x' } },
    });
    const refresh = { method: 'POST', body: { refresh_token: 'none' } };
    expect((await requestApi(supabase(), '/auth/v1/token?grant_type=refresh_token', refresh)).status).toBe(
      500,
    );
    expect((await requestApi(supabase(), '/auth/v1/token?grant_type=password', refresh)).status).toBe(400);
  });

  it('loses the request before it is handled, or its response afterwards', async () => {
    const { database, faults } = supabase();
    const insert = async () =>
      requestApi(supabase(), '/rest/v1/notifications', {
        method: 'POST',
        apiKey: supabase().serviceRoleKey,
        body: { recipient_id: ada.id, content: '{"type":"lost"}' },
      });
    const count = async () =>
      (await database.query(`select id from notifications where content like '%lost%'`)).length;
    faults.add({ lose: 'request', times: 1 });
    await expect(insert()).rejects.toThrow('fetch failed');
    await expect(count()).resolves.toBe(0);
    faults.add({ lose: 'response', times: 1 });
    await expect(insert()).rejects.toThrow('fetch failed');
    await expect(count()).resolves.toBe(1);
  });

  it('breaks the connection on a port too', async () => {
    const { faults, url, anonKey } = supabase();
    faults.add({ lose: 'request', times: 1 });
    const ask = () => fetch(`${url}/auth/v1/settings`, { headers: { apikey: anonKey } });
    await expect(ask()).rejects.toThrow('fetch failed');
    expect((await ask()).status).toBe(200);
  });
});

describe('tokens on command', () => {
  it('on command all tokens expire, and new ones are valid', async () => {
    const old = await signIn(supabase(), ada.email);
    supabase().faults.expireTokens();
    const refused = await requestApi(supabase(), table, { token: old });
    await expect(refused.json()).resolves.toMatchObject({ code: 'PGRST303', message: 'JWT expired' });
    const fresh = await signIn(supabase(), ada.email);
    expect((await requestApi(supabase(), table, { token: fresh })).status).toBe(200);
  });

  it('expire when the clock is moved ahead', async () => {
    const token = await signIn(supabase(), ada.email);
    await supabase().faults.skewClock(3_700_000);
    expect((await requestApi(supabase(), table, { token })).status).toBe(401);
    await supabase().faults.clear();
    expect((await requestApi(supabase(), table, { token })).status).toBe(200);
  });

  it('stay valid when the signing key changes', async () => {
    const token = await signIn(supabase(), ada.email);
    await supabase().faults.rotateKeys();
    expect((await requestApi(supabase(), table, { token })).status).toBe(200);
  });
});

describe('a restart', () => {
  it('ends open connections, refuses requests meanwhile, and keeps the data', async () => {
    const { url, anonKey, faults } = supabase();
    const token = await signIn(supabase(), ada.email);
    const socket = new WebSocket(
      `${url.replace('http', 'ws')}/realtime/v1/websocket?apikey=${anonKey}&vsn=2.0.0`,
    );
    await new Promise((resolve) => socket.once('open', resolve));
    const closed = new Promise((resolve) => socket.once('close', resolve));
    const up = faults.restart(50);
    await expect(closed).resolves.toBe(1006);
    await expect(settings()).rejects.toThrow('fetch failed');
    await up;
    expect((await requestApi(supabase(), table, { token })).status).toBe(200);
  });
});

describe('a restart of PostgreSQL', () => {
  it('responds as the services do without a database, and keeps WebSockets open', async () => {
    const { url, anonKey, faults, serviceRoleKey } = supabase();
    const socket = new WebSocket(
      `${url.replace('http', 'ws')}/realtime/v1/websocket?apikey=${anonKey}&vsn=2.0.0`,
    );
    await new Promise((resolve) => socket.once('open', resolve));
    const restarted = faults.restartDatabase(50);
    const read = await requestApi(supabase(), table, { apiKey: serviceRoleKey });
    expect([read.status, await read.json()]).toMatchObject([503, { code: 'PGRST001' }]);
    const refreshed = await requestApi(supabase(), '/auth/v1/token?grant_type=refresh_token', {
      method: 'POST',
      body: {},
    });
    expect([refreshed.status, await refreshed.json()]).toMatchObject([
      500,
      { error_code: 'unexpected_failure' },
    ]);
    expect((await settings()).status).toBe(200);
    await restarted;
    expect((await requestApi(supabase(), table, { apiKey: serviceRoleKey })).status).toBe(200);
    expect(socket.readyState).toBe(socket.OPEN);
    socket.terminate();
  });
});

describe('the faults over HTTP', () => {
  const command = (path: string, init: RequestInit = {}) =>
    fetch(`${supabase().mailboxUrl}/_faults/api/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      ...init,
    });

  it('add rules, list them and clear all faults', async () => {
    const rule = { path: '/auth/v1/', response: { status: 502 } };
    expect((await command('rules', { body: JSON.stringify(rule) })).status).toBe(204);
    await expect((await command('rules', { method: 'GET' })).json()).resolves.toEqual([rule]);
    expect((await settings()).status).toBe(502);
    await command('rules', { method: 'DELETE' });
    expect((await settings()).status).toBe(200);
  });

  it.each([
    'drop-sockets',
    'freeze-sockets',
    'expire-tokens',
    'rotate-keys',
    'skew-clock',
    'restart',
    'restart-database',
    'restart-during-transaction',
    'limit-events',
    'message-replication',
  ])('take the command %s', async (name) => {
    expect((await command(name, { body: '{}' })).status).toBe(204);
  });

  it('set the state of the poller, and refuse an unknown one', async () => {
    const setPoller = async (state: string) =>
      (await command('poller', { body: JSON.stringify({ state }) })).status;
    expect([await setPoller('ended'), await setPoller('running'), await setPoller('paused')]).toEqual([
      204, 204, 400,
    ]);
  });

  it('refuse a content type that a page of another origin can send without a preflight', async () => {
    const response = await command('restart', { headers: { 'content-type': 'text/plain' }, body: '{}' });
    expect(response.status).toBe(415);
  });
});
