import { execFile, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { checksumsFile } from '../../scripts/frozen-migrations.ts';

type Environment = Readonly<Record<string, string>>;

const run = (command: string, args: readonly string[] = [], environment: Environment = {}) =>
  promisify(execFile)('npm', ['run', '-s', command, ...(args.length > 0 ? ['--', ...args] : [])], {
    env: { ...process.env, NODE_ENV: undefined, VITEST: undefined, ...environment },
  });

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** Starts a command that runs until it is stopped, and waits until `url` responds. */
async function serve(
  command: string,
  args: readonly string[],
  url: string,
  environment: Environment = {},
): Promise<{ readonly page: string; stop(): Promise<void> }> {
  const child = spawn('npm', ['run', '-s', command, ...(args.length > 0 ? ['--', ...args] : [])], {
    detached: true,
    env: { ...process.env, NODE_ENV: undefined, VITEST: undefined, ...environment },
  });
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const stop = async () => {
    if (child.pid !== undefined && child.exitCode === null && child.signalCode === null)
      process.kill(-child.pid, 'SIGTERM');
    await ended;
  };
  onTestFinished(stop);
  const page = await vi.waitFor(
    async () => {
      if (child.exitCode !== null) throw new Error(`${command} ended: ${output}`);
      const response = await fetch(url, { headers: { accept: 'text/html' } });
      if (!response.ok) throw new Error(`${command} responds with ${response.status}: ${output}`);
      return response.text();
    },
    { timeout: 240_000, interval: 250 },
  );
  return { page, stop };
}

describe('npm start', () => {
  let environment: Environment;
  beforeAll(async () => {
    const folder = await mkdtemp(join(tmpdir(), 'start-'));
    environment = {
      SUPABASE_PORT: String(await freePort()),
      MAILBOX_PORT: String(await freePort()),
      APP_PORT: String(await freePort()),
      DATA_DIR: join(folder, 'data'),
    };
    return () => rm(folder, { recursive: true, force: true });
  });

  it('opens the application, takes a notification, and leaves data that `reset` empties', async () => {
    const { stop } = await serve(
      'start',
      [],
      `http://localhost:${environment['APP_PORT']}/login`,
      environment,
    );
    const { stdout } = await run('notify', ['--to', 'ada@example.com', '--kind', 'mention'], environment);
    expect(stdout).toContain('sent 1 notification (mention) to ada@example.com');
    await stop();
    expect((await run('reset', [], environment)).stdout).toContain('is empty');
  }, 300_000);
});

it('npm run e2e:project runs journeys on a project of another process, and lists what it leaves out', async () => {
  const [port, databasePort, mailboxPort, appPort] = await Promise.all(Array.from({ length: 4 }, freePort));
  const ports = `--port ${port} --database-port ${databasePort} --mailbox-port ${mailboxPort}`;
  const project = spawn(
    process.execPath,
    ['local-supabase/bin/local-supabase.js', 'start', '--in-memory', ...ports.split(' ')],
    { env: { ...process.env, NODE_ENV: undefined, VITEST: undefined } },
  );
  onTestFinished(() => void project.kill('SIGTERM'));
  let printed = '';
  project.stdout.on('data', (chunk: Buffer) => (printed += chunk.toString()));
  await vi.waitFor(() => expect(printed).toContain('Ctrl-C stops'), { timeout: 240_000, interval: 250 });
  const keyOf = (role: string) => new RegExp(`^ *${role} key +(\\S+)$`, 'm').exec(printed)?.[1] ?? '';
  const options = {
    url: `http://127.0.0.1:${port}`,
    'anon-key': keyOf('anon'),
    'service-role-key': keyOf('service_role'),
    mailbox: `http://127.0.0.1:${mailboxPort}`,
    'app-port': `${appPort}`,
  };
  const { stdout } = await run('e2e:project', [
    ...Object.entries(options).flatMap(([name, value]) => [`--${name}`, value]),
    'isolation',
    'recovery',
    'account.spec',
  ]);
  expect(stdout).toMatch(/@database[^]*a new password needs a mailed code/);
  expect(stdout).toMatch(/@provider[^]*a provider signs a new user in/);
  expect(stdout).toMatch(/\d+ passed/);
  expect(stdout).not.toMatch(/\d+ failed/);
}, 900_000);

it('npm run dev serves the application', async () => {
  const port = await freePort();
  const { page } = await serve(
    'dev',
    ['--port', String(port), '--strictPort'],
    `http://localhost:${port}/login`,
    {
      VITE_SUPABASE_URL: 'http://127.0.0.1:54321',
      VITE_SUPABASE_ANON_KEY: 'a-key',
    },
  );
  expect(page).toContain('<title>Tidings</title>');
}, 300_000);

it('npm run preview serves a build', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'preview-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const project = { VITE_SUPABASE_URL: 'https://project.example.com', VITE_SUPABASE_ANON_KEY: 'a-key' };
  await run('build', ['--outDir', folder, '--emptyOutDir'], project);
  const port = await freePort();
  const args = ['--outDir', folder, '--port', String(port), '--strictPort'];
  const { page } = await serve('preview', args, `http://localhost:${port}/login`, project);
  expect(page).toContain('<title>Tidings</title>');
}, 300_000);

it('npm run examples serves the examples', async () => {
  const port = String(await freePort());
  const environment = { EXAMPLES_PORT: port, SUPABASE_PORT: String(await freePort()) };
  const { page } = await serve('examples', [], `http://localhost:${port}/?as=ada`, environment);
  expect(page).toContain('<title>Realtime examples</title>');
});

it('npm run types writes the types that the repository has', async () => {
  const file = 'src/inbox/database.types.ts';
  const before = await readFile(file, 'utf8');
  onTestFinished(() => writeFile(file, before));
  await run('types');
  expect(await readFile(file, 'utf8')).toBe(before);
});

it('npm run freeze records the checksums of the migrations', async () => {
  const before = existsSync(checksumsFile) ? await readFile(checksumsFile, 'utf8') : null;
  onTestFinished(() => (before === null ? rm(checksumsFile) : writeFile(checksumsFile, before)));
  expect((await run('freeze')).stdout).toContain('migrations are frozen');
});
