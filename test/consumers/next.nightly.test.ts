import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import example from '../../examples/next/package.json' with { type: 'json' };
import { requestApi, useLocalSupabase } from '../support/local-supabase.ts';
import { createFormBrowser } from './support/form-browser.ts';
import { useConsumer } from './support/consumer.ts';

/**
 * The application of `examples/next` with the packed library: proxy, server components under `cacheComponents`, server actions and
 * route handlers, by the forms of a browser without scripts. Installs Next: 340 MB.
 */
const project = fileURLToPath(new URL('../../examples/next', import.meta.url));
const supabase = useLocalSupabase({ port: 0, project, functions: {} });
const consumer = useConsumer('next', [], 'examples/next');
const ours = new Set(['supabase-protocol-clients', 'local-supabase']);
const packages = Object.entries({ ...example.dependencies, ...example.devDependencies })
  .filter(([name]) => !ours.has(name))
  .map(([name, version]) => `${name}@${version}`);
const password = 'a-long-password';
const port = 5911;
const origin = `http://127.0.0.1:${port}`;

let stop = async () => {};
let complaints = '';
beforeAll(async () => {
  const { folder: cwd } = consumer();
  const { url, publishableKey } = supabase();
  const env = {
    ...process.env,
    NODE_ENV: 'production' as const,
    NEXT_TELEMETRY_DISABLED: '1',
    SUPABASE_URL: url,
    SUPABASE_PUBLISHABLE_KEY: publishableKey,
    COOKIES_OVER_HTTP: '1',
    SITE_URL: origin,
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
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  server.stderr.on('data', (chunk: Buffer) => (complaints += chunk.toString()));
  stop = async () => {
    server.kill();
    await once(server, 'exit');
  };
  for await (const chunk of server.stdout) if (String(chunk).includes('Ready')) break;
}, 600_000);
afterAll(() => stop());

const createBrowser = () => createFormBrowser(origin);

/** A browser in which a new user has signed in. */
async function signUp(data: object = {}) {
  const email = `${crypto.randomUUID()}@example.com`;
  await requestApi(supabase(), '/auth/v1/admin/users', {
    method: 'POST',
    token: supabase().serviceRoleKey,
    body: { email, password, email_confirm: true, user_metadata: data },
  });
  const browser = createBrowser();
  expect(await browser.submit('/login', 'Sign in', { email, password })).toMatchObject({
    status: 303,
    location: '/todos',
  });
  return { ...browser, email };
}

/** Follows the mailed link to the auth service, and returns the path that it leads back to. */
async function openLink(email: string): Promise<string> {
  const { links } = await supabase().mailbox.waitFor({ to: email });
  const redirect = await fetch(links[0] ?? '', { redirect: 'manual' });
  const { origin: to, pathname, search } = new URL(redirect.headers.get('location') ?? '');
  expect(to).toBe(origin);
  return pathname + search;
}

/** Moves the expiry of the session in a browser's cookies, as time does. */
function expire(jar: Map<string, string>, secondsLeft: number) {
  const name = [...jar.keys()].find((key) => key.endsWith('-auth-token')) ?? '';
  const text = Buffer.from((jar.get(name) ?? '').replace('base64-', ''), 'base64url').toString();
  const { received_at: _receivedAt, ...session } = JSON.parse(text) as Record<string, unknown>;
  const expires_at = Math.floor(Date.now() / 1000) + secondsLeft;
  jar.set(name, `base64-${Buffer.from(JSON.stringify({ ...session, expires_at })).toString('base64url')}`);
}

it('signs in, renders as the user, writes by server actions, and signs out', async () => {
  const { jar, get, submit, email } = await signUp();
  expect((await get('/')).text).toContain(email);
  expect(await submit('/todos', 'Add', { title: 'Buy milk' })).toMatchObject({ status: 200 });
  expect((await get('/todos')).text).toMatch(/Buy milk.*>open</);
  expect(JSON.parse((await get('/api/me')).text)).toMatchObject({ open: 1 });
  await submit('/todos', 'open', {});
  expect((await get('/todos')).text).toMatch(/Buy milk.*>done</);
  expect(JSON.parse((await get('/api/me')).text)).toMatchObject({ open: 0 });
  expect(await submit('/todos', 'Sign out', {})).toMatchObject({ status: 303, location: '/' });
  expect(jar.size).toBe(0);
  expect((await get('/api/me')).response.status).toBe(401);
});

it('refuses a protected page without a session, and shows why a sign-in is refused', async () => {
  const { get, submit } = createBrowser();
  const { response } = await get('/todos');
  expect([response.status, new URL(response.headers.get('location') ?? '', origin).pathname]).toEqual([
    307,
    '/login',
  ]);
  expect((await get('/')).text).toContain('Sign in');
  const wrong = { email: 'nobody@example.com', password: 'wrong-password' };
  const location = '/login?problem=invalid_credentials';
  expect(await submit('/login', 'Sign in', wrong)).toMatchObject({ status: 303, location });
  expect((await get(location)).text).toContain('invalid_credentials');
});

it('creates an account, which the mailed link confirms and signs in', async () => {
  const { get, submit } = createBrowser();
  const email = `${crypto.randomUUID()}@example.com`;
  const created = await submit('/login', 'Create an account', { email, password });
  expect(created).toMatchObject({ status: 303, location: '/login?sent=1' });
  expect((await get('/login?sent=1')).text).toContain('Look into your mailbox');
  const { response } = await get(await openLink(email));
  expect(response.headers.get('location')).toBe('/todos');
  expect((await get('/')).text).toContain(email);
});

it('renews an expired session once for concurrent requests, for the page, the API and the browser', async () => {
  const { jar, get, email } = await signUp();
  expire(jar, -10);
  const before = new Map(jar);
  const responses = await Promise.all(['/api/me', '/', '/api/me'].map((path) => get(path)));
  expect(responses.map(({ response }) => response.status)).toEqual([200, 200, 200]);
  expect(responses[1]?.text).toContain(email);
  const cookies = responses.map(({ response }) => response.headers.getSetCookie()[0]?.split(';')[0]);
  expect(new Set(cookies).size).toBe(1);
  for (const { response } of responses) expect(response.headers.get('cache-control')).toContain('no-store');
  expect(jar).not.toEqual(before);
  const later = await get('/api/me');
  expect([later.response.status, later.response.headers.getSetCookie()]).toEqual([200, []]);
});

it('keeps a session that needs several cookies', async () => {
  const { jar, get, submit, email } = await signUp({ biography: 'a'.repeat(2_000) });
  expect([...jar.keys()].some((name) => name.endsWith('-auth-token.1'))).toBe(true);
  expect((await get('/')).text).toContain(email);
  await submit('/todos', 'Sign out', {});
  expect(jar.size).toBe(0);
});

it('completes the PKCE flow of a mailed link only in the browser that requested it', async () => {
  const { email } = await signUp();
  const { jar, get, submit } = createBrowser();
  expect(await submit('/login', 'Email me a link', { email })).toMatchObject({ location: '/login?sent=1' });
  expect([...jar.keys()].some((name) => name.endsWith('-code-verifier'))).toBe(true);
  const path = await openLink(email);
  const elsewhere = await createBrowser().get(path);
  expect(elsewhere.response.headers.get('location')).toBe('/login?problem=pkce-verifier-missing');
  expect((await get(path)).response.headers.get('location')).toBe('/todos');
  expect((await get('/')).text).toContain(email);
});

it('causes no warning of Next', () => {
  expect(complaints).toBe('');
});
