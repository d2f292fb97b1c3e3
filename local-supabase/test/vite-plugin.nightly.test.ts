import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { createServer } from 'vite';
import { localSupabase } from '../src/entries/vite.ts';
import { takeHostPicture } from './host-picture.ts';

it(
  'starts and ends with the development server, keeps running when it restarts, and passes pages its address',
  { timeout: 60_000 },
  async () => {
    const root = await mkdtemp(join(tmpdir(), 'local-supabase-vite-'));
    await mkdir(join(root, 'supabase'));
    await writeFile(
      join(root, 'supabase/config.toml'),
      '[api]\nport = 56321\n[db]\nport = 56322\n[local_smtp]\nport = 56324\n',
    );
    await writeFile(join(root, 'page.js'), 'export const url = import.meta.env.VITE_SUPABASE_URL;');
    const picture = takeHostPicture();
    const server = await createServer({
      root,
      configFile: false,
      logLevel: 'error',
      server: { port: 56_320 },
      plugins: [localSupabase({ inMemory: true })],
    });
    await server.listen();
    const page = await server.transformRequest('/page.js');
    expect(page?.code).toContain('http://127.0.0.1:56321');
    const jwks = 'http://127.0.0.1:56321/auth/v1/.well-known/jwks.json';
    expect((await fetch(jwks)).status).toBe(200);

    await server.restart();
    expect((await server.transformRequest('/page.js'))?.code).toContain('http://127.0.0.1:56321');
    expect((await fetch(jwks)).status).toBe(200);

    await server.close();
    await expect
      .poll(() =>
        fetch(jwks).then(
          () => 'answers',
          () => 'ended',
        ),
      )
      .toBe('ended');
    expect(takeHostPicture()).toEqual({ ...picture, globals: expect.anything() as unknown });
    await rm(root, { recursive: true });
  },
);

it('names an unset variable of env(NAME) once', { timeout: 60_000 }, async () => {
  const root = await mkdtemp(join(tmpdir(), 'local-supabase-vite-'));
  await mkdir(join(root, 'supabase'));
  await writeFile(
    join(root, 'supabase/config.toml'),
    '[api]\nport = 56321\n[db]\nport = 56322\n[local_smtp]\nport = 56324\n[auth]\nsite_url = "env(UNSET_SITE_URL)"\n',
  );
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => undefined);
  const server = await createServer({
    root,
    configFile: false,
    logLevel: 'error',
    server: { port: 56_320 },
    plugins: [localSupabase({ inMemory: true })],
  });
  await server.restart();
  await server.close();
  const warnings = warn.mock.calls.map(([text]) => String(text));
  warn.mockRestore();
  await rm(root, { recursive: true });
  expect(warnings).toEqual([
    'supabase/config.toml: the environment variable UNSET_SITE_URL is unset: the setting is empty',
  ]);
});
