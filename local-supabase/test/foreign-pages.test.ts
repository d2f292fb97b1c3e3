import { get, type IncomingMessage } from 'node:http';
import { WebSocket } from 'ws';
import { describe, expect, it } from 'vitest';
import { ada, seedPassword, signIn, useLocalSupabase } from '../../test/support/local-supabase.ts';

const supabase = useLocalSupabase({ port: 0, mailboxPort: 0, allowedHosts: ['tunnel.example'] });
const table = '/rest/v1/notifications?select=id';
const foreign = ['https://evil.example', 'http://localhost.evil.example', 'null'];

/** `fetch` does not allow a Host header. */
const statusFor = (host: string, url: string) =>
  new Promise<number | undefined>((resolve, reject) => {
    const request = get(url, { headers: { host } }, (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    request.on('error', reject);
  });

/** Opens a WebSocket as a page does. @returns 101, or the status of the refusal. */
const openSocket = (origin: string | undefined, host?: string) =>
  new Promise<number | undefined>((resolve, reject) => {
    const { url, anonKey } = supabase();
    const address = `${url.replace('http', 'ws')}/realtime/v1/websocket?apikey=${anonKey}&vsn=2.0.0`;
    const socket = new WebSocket(address, { ...(origin && { origin }), ...(host && { headers: { host } }) });
    socket.on('open', () => {
      socket.close();
      resolve(101);
    });
    socket.on('unexpected-response', (_request, response: IncomingMessage) => resolve(response.statusCode));
    socket.on('error', reject);
  });

describe('a page of another host', () => {
  const mint = (role: string) => supabase().keys.sign({ role, exp: 4_000_000_000 });

  it.each(['service_role', 'supabase_admin', 'postgres'])(
    'never acts as %s, not even with a forged token',
    async (role) => {
      const { url, fetch, anonKey } = supabase();
      const token = await mint(role);
      for (const origin of foreign) {
        const asBearer = { origin, apikey: anonKey, authorization: `Bearer ${token}` };
        expect((await fetch(url + table, { headers: asBearer })).status).toBe(403);
        expect((await fetch(url + table, { headers: { origin, apikey: token } })).status).toBe(403);
        expect((await fetch(`${url}${table}&apikey=${token}`, { headers: { origin } })).status).toBe(403);
      }
    },
  );

  it('acts as a user with a token of a sign-in, but never with a forged one', async () => {
    const { url, fetch, anonKey, keys } = supabase();
    const claims = { role: 'authenticated', aud: 'authenticated', sub: ada.id, exp: 4_000_000_000 };
    const forged = await keys.sign(claims, { algorithm: 'HS256' });
    const statusOf = async (origin: string, token: string) => {
      const headers = { origin, apikey: anonKey, authorization: `Bearer ${token}` };
      return (await fetch(`${url}/auth/v1/user`, { headers })).status;
    };
    expect(await statusOf('https://evil.example', forged)).toBe(403);
    expect(await statusOf('http://localhost:5173', forged)).toBe(200);
    expect(await statusOf('https://evil.example', await signIn(supabase(), ada.email))).toBe(200);
  });

  it('does not sign in with a public password under any form of the path', async () => {
    const { url, fetch, anonKey } = supabase();
    const signInFrom = async (origin: string, path = 'token') => {
      const response = await fetch(`${url}/auth/v1/${path}?grant_type=password`, {
        method: 'POST',
        headers: { origin, apikey: anonKey, 'content-type': 'application/json' },
        body: JSON.stringify({ email: ada.email, password: seedPassword }),
      });
      return response.status;
    };
    for (const origin of foreign) expect(await signInFrom(origin)).toBe(403);
    for (const path of ['/token', 'token/', './token', 'x/../token', 'to%6Ben'])
      expect(await signInFrom('https://evil.example', path)).not.toBe(200);
    expect(await signInFrom('http://localhost:5173')).toBe(200);
    expect(await signInFrom('https://tunnel.example')).toBe(200);
  });

  it('cannot broadcast as the service with a token that only Realtime can read', async () => {
    const { url, fetch, anonKey, serviceRoleKey } = supabase();
    const broadcast = (origin: string) =>
      fetch(`${url}/realtime/v1/api/broadcast/user:${ada.id}/events/hello?private=true`, {
        method: 'POST',
        headers: { origin, apikey: anonKey, authorization: `Bearer %65${serviceRoleKey.slice(1)}` },
      });
    expect((await broadcast('https://evil.example')).status).toBe(403);
    expect((await broadcast('http://localhost:5173')).status).toBe(202);
  });

  it('cannot sign in at the test provider, neither with a token nor by following redirects', async () => {
    const { url } = supabase();
    const provider = `${url}/auth/v1/test-provider/google`;
    const query = new URLSearchParams({
      provider: 'google',
      prompt: 'none',
      login_hint: ada.email,
      code_challenge: 'c'.repeat(43),
      code_challenge_method: 's256',
      redirect_to: `${url}/auth/v1/health`,
    });
    const body = JSON.stringify({ email: ada.email });
    const withToken = (origin: string) =>
      fetch(`${provider}/id_token`, { method: 'POST', headers: { origin }, body });
    for (const origin of foreign) {
      const followed = await fetch(`${url}/auth/v1/authorize?${query}`, { headers: { origin } });
      expect([followed.status, new URL(followed.url).searchParams.get('code')]).toEqual([403, null]);
      expect((await withToken(origin)).status).toBe(403);
    }
    expect((await withToken('http://localhost:5173')).status).toBe(200);
    // From the page at localhost, a link to 127.0.0.1 is cross-site for a browser.
    const arrived = { headers: { 'sec-fetch-site': 'cross-site' }, redirect: 'manual' } as const;
    expect((await fetch(`${provider}/authorize?redirect_uri=${url}/auth/v1/callback`, arrived)).status).toBe(
      200,
    );
  });

  it('neither reads nor writes files through forged links', async () => {
    const { url, fetch, keys, serviceRoleKey } = supabase();
    const headers = { apikey: serviceRoleKey, 'content-type': 'application/json' };
    const storage = `${url}/storage/v1`;
    await fetch(`${storage}/bucket`, { method: 'POST', headers, body: '{"id":"private"}' });
    await fetch(`${storage}/object/private/a`, { method: 'POST', headers, body: '1' });
    const link = async (path: string, purpose: string) => {
      const claims = { url: path, purpose, exp: 4_000_000_000 };
      return `${storage}/object/${path.replace(/^(upload\/)?/, '$1sign/')}?token=${await keys.sign(claims, { algorithm: 'HS256' })}`;
    };
    const asPage = { headers: { origin: 'https://evil.example' } };
    const refused = { error: 'InvalidJWT' };
    const read = await fetch(await link('private/a', 'download'), asPage);
    expect(await read.json()).toMatchObject(refused);
    const written = await fetch(await link('upload/private/b', 'upload'), {
      ...asPage,
      method: 'PUT',
      body: '2',
    });
    expect(await written.json()).toMatchObject(refused);
  });

  it('never acts as the service through an image, a form or a link, which send no origin', async () => {
    const { url, fetch, serviceRoleKey } = supabase();
    for (const site of ['cross-site', 'same-site']) {
      const headers = { 'sec-fetch-site': site };
      expect((await fetch(`${url}${table}&apikey=${serviceRoleKey}`, { headers })).status).toBe(403);
    }
    const typed = { 'sec-fetch-site': 'none' };
    expect((await fetch(`${url}${table}&apikey=${serviceRoleKey}`, { headers: typed })).status).toBe(200);
  });

  it('opens no websocket', async () => {
    for (const origin of foreign) expect(await openSocket(origin)).toBe(403);
    expect(await openSocket(undefined, 'rebound.example.com')).toBe(403);
  });

  it('neither deletes mails nor adds faults', async () => {
    const { mailboxUrl } = supabase();
    const headers = { origin: 'https://evil.example', 'content-type': 'text/plain' };
    for (const [method, path] of [
      ['DELETE', '/api/v1/messages'],
      ['POST', '/_faults/api/rules'],
    ] as const)
      expect((await fetch(mailboxUrl + path, { method, headers })).status).toBe(403);
  });

  it('cannot frame the mailbox, the faults or a mail', async () => {
    for (const path of ['/', '/_faults']) {
      const { headers } = await fetch(supabase().mailboxUrl + path);
      expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
    }
    const { mailbox, mailboxUrl } = supabase();
    await mailbox.send({ to: ada.email, subject: 'Hello', html: '<p>Hello</p>' });
    const { headers } = await fetch(`${mailboxUrl}/view/latest.html`);
    expect(headers.get('content-security-policy')).toContain("frame-ancestors 'self'");
  });
});

describe('the developer’s own pages and programs', () => {
  it.each([undefined, 'http://localhost:5173', 'http://[::1]:1', 'https://tunnel.example'])(
    'open websockets and act as the service: %s',
    async (origin) => {
      const { url, fetch, serviceRoleKey } = supabase();
      expect(await openSocket(origin)).toBe(101);
      const headers = { apikey: serviceRoleKey, ...(origin && { origin }) };
      expect((await fetch(url + table, { headers })).status).toBe(200);
    },
  );
});

describe('a host name', () => {
  const address = () => `${supabase().url}/auth/v1/.well-known/jwks.json`;

  it.each([
    'localhost:54321',
    'LOCALHOST',
    '127.0.0.1:1',
    '[::1]:54321',
    'app.localhost',
    'tunnel.example:80',
  ])('of this machine, or an allowed one, reaches the server: %s', async (host) =>
    expect(await statusFor(host, address())).toBe(200),
  );

  it.each(['rebound.example.com', 'localhost.example.com', '0.0.0.0', '192.168.1.7'])(
    'that a foreign page could resolve to this machine is refused: %s',
    async (host) => expect(await statusFor(host, address())).toBe(403),
  );
});
