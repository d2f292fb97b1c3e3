import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ada, requestApi, seedPassword, useLocalSupabase } from '../support/local-supabase.ts';
import { useConsumer } from './support/consumer.ts';

/** Next's proxy (middleware), route handlers and server components with the packed library. Installs Next: 340 MB. */
const supabase = useLocalSupabase({ port: 0 });
const consumer = useConsumer('next');
const packages = ['next@16', 'react@19', 'react-dom@19', 'typescript@5', '@types/react@19', '@types/node@20'];
const credentials = { email: ada.email, password: seedPassword };
const port = 5911;
const origin = `http://127.0.0.1:${port}`;

let stop = async () => {};
beforeAll(async () => {
  const { folder: cwd } = consumer();
  const { url, publishableKey } = supabase();
  const env = {
    ...process.env,
    NODE_ENV: 'production' as const,
    NEXT_TELEMETRY_DISABLED: '1',
    SUPABASE_URL: url,
    SUPABASE_KEY: publishableKey,
  };
  const run = promisify(execFile);
  await run(
    'npm',
    [
      'install',
      '--no-audit',
      '--no-fund',
      '--install-links',
      '--ignore-scripts',
      '--include=dev',
      ...packages,
    ],
    { cwd },
  );
  const next = join(cwd, 'node_modules/next/dist/bin/next');
  await run(process.execPath, [next, 'build'], { cwd, env });
  const server = spawn(process.execPath, [next, 'start', '--port', String(port), '--hostname', '127.0.0.1'], {
    cwd,
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  stop = async () => {
    server.kill();
    await once(server, 'exit');
  };
  for await (const chunk of server.stdout) if (String(chunk).includes('Ready')) break;
}, 600_000);
afterAll(() => stop());

/** A browser: it keeps the cookies of responses and sends them. */
function createBrowser() {
  const jar = new Map<string, string>();
  const request = async (method: 'GET' | 'POST', path: string, body?: object) => {
    const cookie = Array.from(jar, ([name, value]) => `${name}=${value}`).join('; ');
    const headers = { cookie, 'content-type': 'application/json' };
    const init = { method, headers, ...(method === 'POST' && { body: JSON.stringify(body ?? {}) }) };
    const response = await fetch(`${origin}${path}`, init);
    for (const line of response.headers.getSetCookie()) {
      const [pair = ''] = line.split(';');
      const name = pair.slice(0, pair.indexOf('='));
      if (/max-age=0(;|$)/i.test(line)) jar.delete(name);
      else jar.set(name, decodeURIComponent(pair.slice(name.length + 1)));
    }
    return { response, text: await response.text() };
  };
  return {
    jar,
    request,
    json: async (path: string) => JSON.parse((await request('GET', path)).text) as unknown,
  };
}

/** Moves the expiry of the session in a browser's cookies, as time does. */
function expire(jar: Map<string, string>, secondsLeft: number) {
  const name = [...jar.keys()].find((key) => key.endsWith('-auth-token')) ?? '';
  const text = Buffer.from((jar.get(name) ?? '').replace('base64-', ''), 'base64url').toString();
  const { received_at: _receivedAt, ...session } = JSON.parse(text) as Record<string, unknown>;
  const expires_at = Math.floor(Date.now() / 1000) + secondsLeft;
  jar.set(name, `base64-${Buffer.from(JSON.stringify({ ...session, expires_at })).toString('base64url')}`);
}

it('signs in, answers and renders as the user, and signs out', async () => {
  const { jar, request, json } = createBrowser();
  expect((await request('GET', '/me')).response.status).toBe(401);
  expect((await request('GET', '/')).text).toContain('Signed out');
  expect(JSON.parse((await request('POST', '/login', credentials)).text)).toEqual({ email: ada.email });
  expect(await json('/me')).toEqual({ email: ada.email, hasCount: true });
  expect((await request('GET', '/')).text).toContain(`Signed in as ${ada.email}`);
  expect(JSON.parse((await request('POST', '/logout')).text)).toEqual({ revoked: true });
  expect(jar.size).toBe(0);
  expect((await request('GET', '/me')).response.status).toBe(401);
});

it('refreshes an expired session once for concurrent requests, for the route, the page and the browser', async () => {
  const { jar, request } = createBrowser();
  await request('POST', '/login', credentials);
  expire(jar, -10);
  const before = new Map(jar);
  const answers = await Promise.all(['/me', '/', '/me'].map((path) => request('GET', path)));
  expect(answers.map(({ response }) => response.status)).toEqual([200, 200, 200]);
  expect(answers[1]?.text).toContain(`Signed in as ${ada.email}`);
  const cookies = answers.map(({ response }) => response.headers.getSetCookie()[0]?.split(';')[0]);
  expect(new Set(cookies).size).toBe(1);
  for (const { response } of answers) expect(response.headers.get('cache-control')).toContain('no-store');
  expect(jar).not.toEqual(before);
  const later = await request('GET', '/me');
  expect([later.response.status, later.response.headers.getSetCookie()]).toEqual([200, []]);
});

it('keeps a session that needs several cookies', async () => {
  const { jar, request, json } = createBrowser();
  const email = 'many-cookies@example.com';
  const data = { biography: 'a'.repeat(2_000) };
  await requestApi(supabase(), '/auth/v1/admin/users', {
    method: 'POST',
    token: supabase().serviceRoleKey,
    body: { email, password: seedPassword, email_confirm: true, user_metadata: data },
  });
  await request('POST', '/login', { email, password: seedPassword });
  expect([...jar.keys()].some((name) => name.endsWith('-auth-token.1'))).toBe(true);
  expect(await json('/me')).toMatchObject({ email });
  await request('POST', '/logout');
  expect(jar.size).toBe(0);
});

it('completes the PKCE flow of a mailed link only in the browser that requested it', async () => {
  const { jar, request } = createBrowser();
  await request('POST', '/login', { email: ada.email });
  expect([...jar.keys()].some((name) => name.endsWith('-code-verifier'))).toBe(true);
  const { links } = await supabase().mailbox.waitFor({ to: ada.email });
  const [, hash = ''] = /(?:token_hash|token)=([\w-]+)/.exec(links[0] ?? '') ?? [];
  const redirectTo = encodeURIComponent('http://localhost:5173/home');
  const verify = `${supabase().url}/auth/v1/verify?type=magiclink&token=${hash}&redirect_to=${redirectTo}`;
  const redirect = await fetch(verify, { redirect: 'manual' });
  const { search } = new URL(redirect.headers.get('location') ?? '');
  const elsewhere = await createBrowser().request('GET', `/callback${search}`);
  expect(JSON.parse(elsewhere.text)).toEqual({ status: 'signed-out', code: 'pkce-verifier-missing' });
  const here = await request('GET', `/callback${search}`);
  expect(JSON.parse(here.text)).toEqual({ status: 'signed-in', code: null });
  expect((await request('GET', '/')).text).toContain(`Signed in as ${ada.email}`);
});
