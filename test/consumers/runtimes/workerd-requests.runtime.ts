import { createServer } from 'node:http';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { sessionReply } from '../../support/wire/replies.ts';
import { useConsumer } from '../support/consumer.ts';
import { installRuntimes } from '../support/runtimes.ts';
import { startWorkerd, type Workerd } from '../support/workerd.ts';

/**
 * Reads a token and its claims; the path `/early` gets its response before the auth service has responded, and `/shared` uses one client
 * for all requests.
 */
const worker = `
  import { createSupabaseClients } from 'supabase-protocol-clients';
  import { createClaims } from 'supabase-protocol-clients/auth-client/claims';
  import { createRequestCookies, createServerClients } from 'supabase-protocol-clients/server';
  let clients;
  export default {
    async fetch(request, { url, apiKey }) {
      if (new URL(request.url).pathname === '/shared') {
        clients ??= createSupabaseClients({ url, apiKey });
        const { auth } = clients;
        if (!(await auth.getSession())) await auth.signInWithPassword({ email: 'ada@example.com', password: 'x' });
        return new Response(await auth.getAccessToken());
      }
      const cookies = createRequestCookies(request, new Headers());
      const { auth } = createServerClients({ url, apiKey, cookies });
      const accessToken = request.headers.get('x-token') ?? undefined;
      const subject = accessToken
        ? createClaims(auth).getClaims({ accessToken }).then(({ sub }) => sub)
        : auth.getSession().then(({ user }) => user.id);
      if (new URL(request.url).pathname !== '/early') return new Response(await subject);
      subject.catch(() => undefined);
      await new Promise((resolve) => setTimeout(resolve, 200));
      return new Response('early');
    },
  };`;

const consumer = useConsumer('worker', [], 'examples/servers');
const keys = await generateKeyPair('ES256');
const key = { ...(await exportJWK(keys.publicKey)), kid: 'k1', alg: 'ES256' };
const nowSeconds = Math.floor(Date.now() / 1000);
const session = sessionReply('ada', 2, { expires_at: nowSeconds + 3600 });
/** The session of a password lives for 8 s, and is due for a refresh when 3 of them are left. */
const shortSession = sessionReply('ada', 1, { expires_in: 8, expires_at: undefined });
/** The auth service responds after a second. */
const service = createServer(({ url = '' }, response) => {
  const body = url.includes('jwks') ? { keys: [key] } : url.includes('password') ? shortSession : session;
  setTimeout(() => response.setHeader('content-type', 'application/json').end(JSON.stringify(body)), 1000);
});
let workerd: Workerd | undefined;
beforeAll(installRuntimes);
beforeAll(async () => {
  await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve));
  const address = service.address();
  if (!address || typeof address === 'string') throw new Error('The service has no port');
  const url = `http://127.0.0.1:${address.port}`;
  workerd = await startWorkerd(consumer().folder, worker, { url, apiKey: 'sb_publishable_x' });
});
afterAll(() => {
  workerd?.stop();
  service.close();
});

const read = async (path: string, headers: Record<string, string>) =>
  (await fetch(`${workerd?.origin}${path}`, { headers })).text();

/** The responses to an early request, to one that begins before its end, and to a later one. */
async function readThrice(headers: Record<string, string>): Promise<readonly string[]> {
  const early = read('/early', headers);
  await new Promise((resolve) => setTimeout(resolve, 100));
  const meanwhile = read('/', headers);
  return [await early, await meanwhile, await read('/', headers)];
}

it('verifies tokens after a request that ended while it fetched the key set', async () => {
  const token = await new SignJWT({ aud: 'authenticated', sub: 'ada', exp: nowSeconds + 60 })
    .setProtectedHeader({ alg: 'ES256', kid: 'k1' })
    .sign(keys.privateKey);
  expect(await readThrice({ 'x-token': token })).toEqual(['early', 'ada', 'ada']);
});

it('refreshes a session after a request that ended while it refreshed the same one', async () => {
  const stored = JSON.stringify(sessionReply('ada', 1, { expires_at: nowSeconds - 60 }));
  const cookie = `sb-127-auth-token=base64-${Buffer.from(stored).toString('base64url')}`;
  expect(await readThrice({ cookie })).toEqual(['early', 'ada', 'ada']);
});

it('refreshes the session of a client for all requests, after one that ended during a refresh in the background', async () => {
  const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
  expect(await read('/shared', {})).toBe(shortSession.access_token);
  await wait(6_000);
  expect(await read('/shared', {})).toBe(shortSession.access_token);
  await wait(3_000);
  expect(await read('/shared', {})).toBe(session.access_token);
});
