import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  cookiesToSet,
  NO_STORE_HEADERS,
  serializeCookie,
} from '../../src/auth-client/server/cookies-to-set.ts';
import { readSessionCookies } from '../../src/auth-client/server/server-store.ts';
import { ada, requestApi, seedPassword, useLocalSupabase } from '../support/local-supabase.ts';
import { useConsumer } from './support/consumer.ts';

const supabase = useLocalSupabase({ port: 0 });
const consumer = useConsumer('server', ['@types/node']);
const storageKey = 'sb-127-auth-token';

let origin = '';
let stop = () => {};
beforeAll(async () => {
  const { url, anonKey } = supabase();
  await consumer().compile();
  const server = spawn(process.execPath, ['main.js', url, anonKey], {
    cwd: consumer().folder,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  stop = () => server.kill();
  const [port] = (await once(server.stdout, 'data')) as [Buffer];
  origin = `http://127.0.0.1:${port.toString().trim()}`;
});
afterAll(() => stop());

interface SignedIn {
  readonly access_token: string;
  readonly refresh_token: string;
}

async function signIn(): Promise<SignedIn> {
  const body = { email: ada.email, password: seedPassword };
  const response = await requestApi(supabase(), '/auth/v1/token?grant_type=password', {
    method: 'POST',
    body,
  });
  return (await response.json()) as SignedIn;
}

const cookieHeader = (setCookies: readonly string[]) =>
  setCookies.map((each) => each.split(';')[0]).join('; ');
const cookiesOf = (session: object) =>
  cookieHeader(cookiesToSet(storageKey, JSON.stringify(session), [], {}).map(serializeCookie));
const visit = (cookie: string) => fetch(origin, { headers: { cookie }, redirect: 'manual' });

describe('a server that renders with the session from cookies', () => {
  it('renders for the user of the request, and sets no cookies while the session lives', async () => {
    const response = await visit(cookiesOf(await signIn()));
    expect(await response.text()).toMatch(/ada@example\.com: \d+ unread/);
    expect(response.headers.getSetCookie()).toEqual([]);
    expect(Object.fromEntries(response.headers)).toMatchObject(lowerCase(NO_STORE_HEADERS));
  });

  it('refreshes an expired session once for concurrent requests, and forbids caching', async () => {
    const session = await signIn();
    const expired = cookiesOf({ ...session, expires_at: 1_000_000_000 });
    const responses = await Promise.all([visit(expired), visit(expired), visit(expired)]);
    const renewed = responses.map((response) =>
      readSessionCookies(cookieHeader(response.headers.getSetCookie()), storageKey),
    );
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(new Set(renewed.map((each) => each?.refresh_token)).size).toBe(1);
    expect(renewed[0]?.refresh_token).not.toBe(session.refresh_token);
    for (const { headers } of responses)
      expect(Object.fromEntries(headers)).toMatchObject(lowerCase(NO_STORE_HEADERS));

    const next = await visit(cookieHeader(responses[0]?.headers.getSetCookie() ?? []));
    expect(next.status).toBe(200);
    expect(next.headers.getSetCookie()).toEqual([]);
  });

  it('removes the cookies of a session that has ended', async () => {
    const session = await signIn();
    await requestApi(supabase(), '/auth/v1/logout', { method: 'POST', token: session.access_token });
    const response = await visit(cookiesOf({ ...session, expires_at: 1_000_000_000 }));
    expect(response.status).toBe(303);
    expect(response.headers.getSetCookie()).toContainEqual(expect.stringContaining('Max-Age=0'));
    expect(readSessionCookies(cookieHeader(response.headers.getSetCookie()), storageKey)).toBe(null);
  });

  it('redirects to the login if the cookies are missing', async () => {
    const response = await visit('');
    expect([response.status, response.headers.get('location')]).toEqual([303, '/login']);
  });
});

function lowerCase(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}
