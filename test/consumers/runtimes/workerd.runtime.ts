import { type ChildProcess, spawn } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { join } from 'node:path';
import { build } from 'esbuild';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ada, seedPassword, useLocalSupabase } from '../../support/local-supabase.ts';
import { useConsumer } from '../support/consumer.ts';
import { installRuntimes, workerdProgram } from '../support/runtimes.ts';

const supabase = useLocalSupabase({ port: 0 });
const consumer = useConsumer('hono', ['hono', '@types/node'], 'examples/servers');
let origin = '';
let server: ChildProcess | undefined;
beforeAll(installRuntimes);
beforeAll(async () => {
  const { folder, compile } = consumer();
  await compile(['hono.ts', 'routes.ts']);
  const worker = `import { createHonoServer } from './hono.ts';
    export default { fetch: (request, { url, apiKey }) => createHonoServer({ url, apiKey })(request) };`;
  await build({
    stdin: { contents: worker, resolveDir: folder },
    outfile: join(folder, 'worker.js'),
    bundle: true,
    format: 'esm',
    conditions: ['workerd', 'worker'],
  });
  await writeFile(join(folder, 'config.capnp'), configurationOf(supabase()));
  // workerd writes its port to this file descriptor.
  server = spawn(workerdProgram, ['serve', '--control-fd=3', 'config.capnp'], {
    cwd: folder,
    stdio: ['ignore', 'inherit', 'inherit', 'pipe'],
  });
  const control = server.stdio[3];
  if (!control || !('read' in control)) throw new Error('workerd has no control channel');
  for await (const line of createInterface(control)) {
    const reported = JSON.parse(line) as { readonly event: string; readonly port?: number };
    if (reported.event === 'listen') {
      origin = `http://127.0.0.1:${reported.port}`;
      return;
    }
  }
  throw new Error('workerd ended before it listened');
});
afterAll(() => server?.kill());

const configurationOf = ({
  url,
  publishableKey,
}: {
  readonly url: string;
  readonly publishableKey: string;
}) => `
  using Workerd = import "/workerd/workerd.capnp";
  const config :Workerd.Config = (
    services = [
      (name = "main", worker = .app),
      (name = "internet", network = (allow = ["public", "private"]))
    ],
    sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")]
  );
  const app :Workerd.Worker = (
    modules = [(name = "worker", esModule = embed "worker.js")],
    compatibilityDate = "2026-11-01",
    bindings = [(name = "url", text = "${url}"), (name = "apiKey", text = "${publishableKey}")]
  );`;

const send = (path: string, headers: Record<string, string> = {}, body?: object) =>
  fetch(origin + path, {
    method: body ? 'POST' : 'GET',
    headers: { ...headers, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  });

it('signs in, responds as the user of its cookies, and signs out in Hono on workerd', async () => {
  expect((await send('/me')).status).toBe(401);
  expect((await send('/api/me')).status).toBe(401);
  const signedIn = await send('/login', {}, { email: ada.email, password: seedPassword });
  expect(await signedIn.json()).toEqual({ email: ada.email });
  const cookie = signedIn.headers
    .getSetCookie()
    .map((each) => each.split(';')[0])
    .join('; ');
  expect(await (await send('/me', { cookie })).json()).toEqual({ email: ada.email, hasCount: true });
  expect(await (await send('/api/me', { cookie })).json()).toEqual({ user: ada.id, hasCount: true });
  const signedOut = await send('/logout', { cookie }, {});
  expect(await signedOut.json()).toEqual({ revoked: true });
  expect(signedOut.headers.getSetCookie().join()).toMatch(/Max-Age=0/i);
});
