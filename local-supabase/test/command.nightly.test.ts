import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';

const bin = fileURLToPath(new URL('../bin/local-supabase.js', import.meta.url));
const ports = ['--port', '0', '--database-port', '0', '--mailbox-port', '0'];
let project: string;
let running: ChildProcess | undefined;

beforeAll(async () => {
  project = await mkdtemp(join(tmpdir(), 'local-supabase-command-'));
});
afterAll(async () => {
  running?.kill('SIGKILL');
  await rm(project, { recursive: true, force: true });
});

interface Outcome {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

const run = (...args: readonly string[]): Promise<Outcome> =>
  promisify(execFile)(process.execPath, [bin, ...args], { cwd: project }).then(
    ({ stdout, stderr }) => ({ code: 0, out: stdout, err: stderr }),
    (problem: { code: number; stdout: string; stderr: string }) => ({
      code: problem.code,
      out: problem.stdout,
      err: problem.stderr,
    }),
  );
const migration = (name: string, sql: string) => writeFile(join(project, 'supabase/migrations', name), sql);

it('serves another project’s folder from `init` to `stop`', { timeout: 120_000 }, async () => {
  expect(await run('start')).toMatchObject({
    code: 1,
    err: expect.stringContaining('local-supabase init') as string,
  });
  expect(await run('init')).toMatchObject({
    code: 0,
    out: expect.stringContaining('supabase/config.toml') as string,
  });
  expect(await run('status')).toMatchObject({
    code: 1,
    err: expect.stringContaining('No local Supabase is running') as string,
  });
  expect((await run('dance')).code).toBe(2);
  await migration(
    '1_todos.sql',
    'create table todos (id int primary key); grant select on todos to anon; alter table todos enable row level security; create policy everyone on todos for select to anon using (true);',
  );
  await writeFile(join(project, 'supabase/seed.sql'), 'insert into todos values (1);');
  await mkdir(join(project, 'supabase/functions/hello'), { recursive: true });
  await writeFile(
    join(project, 'supabase/functions/hello/index.ts'),
    "Deno.serve((request) => { console.log('greets'); return new Response(`hello by ${request.method}, ${Deno.env.get('GREETING')}`); });",
  );
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  const { port } = other.address() as AddressInfo;
  expect(await run('start', ...ports, '--database-port', String(port))).toEqual({
    code: 1,
    out: '',
    err: `Port ${port} is taken by another program\n`,
  });
  other.close();

  const started = spawn(process.execPath, [bin, 'start', ...ports], { cwd: project });
  running = started;
  let printed = '';
  started.stdout.on('data', (chunk: Buffer) => {
    printed += chunk.toString();
  });
  started.stderr.on('data', (chunk: Buffer) => {
    printed += chunk.toString();
  });
  await expect.poll(() => printed).toContain('Ctrl-C stops');

  const { out } = await run('status', '-o', 'json');
  const environment = JSON.parse(out) as Record<string, string>;
  expect(Object.keys(environment)).toEqual([
    'API_URL',
    'REST_URL',
    'GRAPHQL_URL',
    'FUNCTIONS_URL',
    'DB_URL',
    'MAILPIT_URL',
    'INBUCKET_URL',
    'PUBLISHABLE_KEY',
    'SECRET_KEY',
    'ANON_KEY',
    'SERVICE_ROLE_KEY',
    'JWT_SECRET',
    'STORAGE_S3_URL',
    'S3_PROTOCOL_ACCESS_KEY_ID',
    'S3_PROTOCOL_ACCESS_KEY_SECRET',
    'S3_PROTOCOL_REGION',
  ]);
  expect((await run('status', '-o', 'env')).out).toContain(`API_URL="${environment['API_URL']}"`);
  const todos = async () => {
    const response = await fetch(`${environment['REST_URL']}/todos?select=*`, {
      headers: { apikey: environment['ANON_KEY'] ?? '' },
    });
    return response.json();
  };
  await expect(todos()).resolves.toEqual([{ id: 1 }]);
  const hello = await fetch(`${environment['FUNCTIONS_URL']}/hello`, {
    headers: { authorization: `Bearer ${environment['ANON_KEY']}` },
  });
  await expect(hello.text()).resolves.toBe('hello by GET, undefined');

  await writeFile(join(project, 'own.env'), 'GREETING=moin\n');
  const served = spawn(
    process.execPath,
    [bin, 'functions', 'serve', '--env-file', 'own.env', '--no-verify-jwt'],
    { cwd: project },
  );
  let followed = '';
  served.stdout.on('data', (chunk: Buffer) => {
    followed += chunk.toString();
  });
  await expect.poll(() => followed).toContain('Ctrl-C stops');
  const greeting = await fetch(`${environment['FUNCTIONS_URL']}/hello`);
  await expect(greeting.text()).resolves.toBe('hello by GET, moin');
  await expect.poll(() => followed).toMatch(/\[hello\] greets\n[^]*GET \/functions\/v1\/hello 200/);
  served.kill('SIGINT');
  await once(served, 'exit');
  expect((await fetch(`${environment['FUNCTIONS_URL']}/hello`)).status).toBe(401);

  await migration('2_more.sql', 'insert into todos values (2);\nalter table tods add column done bool;');
  expect(await run('migrate')).toMatchObject({
    code: 1,
    err: 'supabase/migrations/2_more.sql:2: relation "tods" does not exist\n',
  });
  await expect(todos()).resolves.toEqual([{ id: 1 }]);
  await migration('2_more.sql', 'insert into todos values (2);\nalter table todos add column done bool;');
  expect(await run('migrate')).toMatchObject({
    code: 0,
    out: 'Applied:\n  supabase/migrations/2_more.sql\n',
  });
  await expect(todos()).resolves.toEqual([
    { id: 1, done: null },
    { id: 2, done: null },
  ]);
  expect((await run('migrate')).out).toBe('No new migration.\n');

  await writeFile(join(project, 'supabase/seed.sql'), 'insert into todos values (3);');
  expect((await run('reset')).code).toBe(0);
  const later = JSON.parse((await run('status', '-o', 'json')).out) as Record<string, string>;
  Object.assign(environment, later);
  await expect(todos()).resolves.toEqual([
    { id: 2, done: null },
    { id: 3, done: null },
  ]);
  expect((await run('logs')).out).toMatch(/GET \/rest\/v1\/todos 200 \d+ ms\n/);
  expect(await readFile(join(project, '.local-supabase/.gitignore'), 'utf8')).toBe('*\n');

  const ended = once(started, 'exit');
  expect((await run('stop')).out).toBe('Stopped.\n');
  expect((await ended)[0]).toBe(0);
  running = undefined;
  expect((await run('status')).code).toBe(1);
});

it('runs the tests of the database', { timeout: 60_000 }, async () => {
  expect(await run('test')).toMatchObject({
    code: 1,
    err: expect.stringContaining('write pgTAP files into supabase/tests') as string,
  });
  await mkdir(join(project, 'supabase/tests'), { recursive: true });
  const test = (name: string, sql: string) => writeFile(join(project, 'supabase/tests', name), sql);
  await test(
    'sound.sql',
    `begin; select plan(1); select is((select count(*)::int from todos), 2, 'two'); select * from finish(); rollback;`,
  );
  expect(await run('test')).toMatchObject({
    code: 0,
    out: '✓ supabase/tests/sound.sql\n1 tests passed; 0 of 1 files failed\n',
  });
  await test(
    'wrong.sql',
    `begin;\nselect plan(3);\nselect is(1, 2, 'one is two');\nselect ok(true);\nselect nothing();`,
  );
  const wrong = await run('test', 'supabase/tests/wrong.sql');
  expect(wrong.code).toBe(1);
  expect(wrong.out).toContain('wrong.sql: not ok 1 - one is two');
  expect(wrong.out).toContain('wrong.sql:5: function nothing() does not exist');
});
