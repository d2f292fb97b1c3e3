import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it, vi } from 'vitest';
import { createServer } from 'vite';
import { localSupabase } from '../src/entries/vite.ts';
import { startCommanded } from '../src/command/start-command.ts';
import { takeHostPicture } from './host-picture.ts';
import { runPrinting } from './run-printing.ts';

afterEach(() => void vi.restoreAllMocks());

/** Its ports are outside of those that the system gives to connections (32768 to 60999 on Linux). */
async function writeProject(settings = ''): Promise<string> {
  const root = await mkdtemp(join(tmpdir(), 'local-supabase-vite-'));
  await mkdir(join(root, 'supabase/migrations'), { recursive: true });
  await writeFile(
    join(root, 'supabase/config.toml'),
    '[api]\nport = 26321\n[db]\nport = 26322\n[local_smtp]\nport = 26324\n' + settings,
  );
  await writeFile(join(root, 'page.js'), 'export const url = import.meta.env.VITE_SUPABASE_URL;');
  return root;
}

const serve = (root: string) =>
  createServer({
    root,
    configFile: false,
    logLevel: 'error',
    server: { port: 26_320 },
    plugins: [localSupabase({ inMemory: true })],
  });

it(
  'starts and ends with the development server, keeps running when it restarts, and passes pages its address',
  { timeout: 60_000 },
  async () => {
    const root = await writeProject();
    const picture = takeHostPicture();
    const server = await serve(root);
    await server.listen();
    const page = await server.transformRequest('/page.js');
    expect(page?.code).toContain('http://127.0.0.1:26321');
    const jwks = 'http://127.0.0.1:26321/auth/v1/.well-known/jwks.json';
    expect((await fetch(jwks)).status).toBe(200);

    await server.restart();
    expect((await server.transformRequest('/page.js'))?.code).toContain('http://127.0.0.1:26321');
    expect((await fetch(jwks)).status).toBe(200);

    await server.close();
    await expect
      .poll(() =>
        fetch(jwks).then(
          () => 'responds',
          () => 'ended',
        ),
      )
      .toBe('ended');
    expect(takeHostPicture()).toEqual({ ...picture, globals: expect.anything() as unknown });
    await rm(root, { recursive: true });
  },
);

it('names an unset variable of env(NAME) once', { timeout: 60_000 }, async () => {
  const root = await writeProject('[auth]\nsite_url = "env(UNSET_SITE_URL)"\n');
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => undefined);
  const server = await serve(root);
  await server.restart();
  await server.close();
  const warnings = warn.mock.calls.map(([text]) => String(text));
  await rm(root, { recursive: true });
  expect(warnings).toEqual([
    'supabase/config.toml: the environment variable UNSET_SITE_URL is unset, so the setting is empty',
  ]);
});

it('takes commands from other processes, and refuses `stop`', { timeout: 60_000 }, async () => {
  const root = await writeProject();
  const server = await serve(root);
  const run = (...words: readonly string[]) => runPrinting(root, words);
  expect((await run('status', '-o', 'env')).text).toContain('API_URL="http://127.0.0.1:26321"');
  await writeFile(join(root, 'supabase/migrations/1_todos.sql'), 'create table todos (id int primary key);');
  expect((await run('migrate')).text).toContain('1_todos.sql');
  expect(await run('stop')).toMatchObject({
    code: 1,
    text: expect.stringContaining('stop the development server') as string,
  });
  expect(await run('start')).toMatchObject({
    code: 1,
    text: expect.stringContaining('already running at http://127.0.0.1:26321') as string,
  });
  await server.close();
  expect((await run('status')).text).toContain('No local Supabase is running');
  await rm(root, { recursive: true });
});

it('uses a project that `start` runs, and leaves it running', { timeout: 60_000 }, async () => {
  const root = await writeProject();
  const places = { port: 0, databasePort: 0, mailboxPort: 0 };
  const settings = { project: root, config: false } as const;
  const running = await startCommanded(settings, places, join(root, '.local-supabase'), () =>
    Promise.resolve(''),
  );
  const { url } = running.current();
  const server = await serve(root);
  expect((await server.transformRequest('/page.js'))?.code).toContain(url);
  await server.close();
  expect((await fetch(`${url}/auth/v1/.well-known/jwks.json`)).status).toBe(200);
  await running.close();
  await rm(root, { recursive: true });
});
