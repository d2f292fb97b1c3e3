import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDatabasePool, createLocalSupabase, type LocalSupabase } from '../../src/entries/index.ts';
import { connectRawClient } from '../realtime/raw-client.ts';
import { createUser, requestApi } from '../../../test/support/local-supabase.ts';

const project = new URL('../rest/no-project/', import.meta.url);
const options = { project, config: false, postgres: 17, port: 0, auth: { bcryptCost: 4 } } as const;
const TIMEOUT_MS = 120_000;

async function connect({ databaseUrl }: Pick<LocalSupabase, 'databaseUrl'>): Promise<Client> {
  const client = new Client(String(databaseUrl));
  client.on('error', () => undefined);
  await client.connect();
  return client;
}

const isReachable = (databaseUrl: string): Promise<boolean> =>
  connect({ databaseUrl }).then(
    async (client) => {
      await client.end();
      return true;
    },
    () => false,
  );

/** A folder for the temporary files of these tests alone, which PostgreSQL's user may enter. */
let ownFolder: string;
const shared = process.env['TMPDIR'];
beforeAll(async () => {
  ownFolder = await mkdtemp(join(tmpdir(), 'cluster-'));
  await chmod(ownFolder, 0o777);
  process.env['TMPDIR'] = ownFolder;
});
afterAll(async () => {
  if (shared === undefined) delete process.env['TMPDIR'];
  else process.env['TMPDIR'] = shared;
  await rm(ownFolder, { recursive: true });
});
const temporaryFolders = async () =>
  (await readdir(ownFolder)).filter((name) => name.startsWith('local-supabase-'));

describe('an instance on PostgreSQL beside the services', { timeout: TIMEOUT_MS }, () => {
  let supabase: LocalSupabase;
  beforeAll(async () => {
    supabase = await createLocalSupabase(options);
  }, TIMEOUT_MS);
  afterAll(() => supabase.close(), TIMEOUT_MS);

  it('signs users in and applies policies', async () => {
    await supabase.database
      .exec(`create table public.entry (id int primary key, owner uuid default auth.uid());
      alter table public.entry enable row level security;
      create policy own on public.entry using (owner = auth.uid()) with check (owner = auth.uid())`);
    const ada = await createUser(supabase, 'ada@example.com');
    const grace = await createUser(supabase, 'grace@example.com');
    const body = { id: 7 };
    const added = await requestApi(supabase, '/rest/v1/entry', { method: 'POST', token: ada.token, body });
    expect(added.status).toBe(201);
    expect(await (await requestApi(supabase, '/rest/v1/entry', { token: grace.token })).json()).toEqual([]);
  });

  it('gives other programs separate sessions, whose row locks can be skipped', async () => {
    const [first, second] = [await connect(supabase), await connect(supabase)];
    await first.query('create table public.job (id int primary key); insert into public.job values (1), (2)');
    await first.query('begin; select from public.job where id = 1 for update');
    const { rows } = await second.query('select id from public.job for update skip locked');
    await first.query('rollback');
    await first.end();
    await second.end();
    expect(rows).toEqual([{ id: 2 }]);
  });

  it('delivers a change once every older transaction of other sessions has ended', async () => {
    const older = await connect(supabase);
    await older.query(`create table public.watched (id int primary key);
      alter publication supabase_realtime add table public.watched`);
    const client = await connectRawClient({ url: supabase.url, apiKey: supabase.serviceRoleKey });
    const watched = { event: '*', schema: 'public', table: 'watched' };
    await client.joinLive('realtime:watched', { changes: [watched] });
    await older.query('begin; insert into public.watched values (1)');
    await supabase.database.query('insert into public.watched values (2)');
    await setTimeout(200);
    expect(client.texts.join()).not.toContain('INSERT');
    await older.query('commit');
    const ids: unknown[] = [];
    while (ids.length < 2) {
      const { payload } = await client.nextOf('postgres_changes');
      ids.push((payload as { data: { record: { id: number } } }).data.record.id);
    }
    client.terminate();
    await older.end();
    expect(new Set(ids)).toEqual(new Set([1, 2]));
  });

  it('delivers a change after a transaction that wrote to no published table', async () => {
    const older = await connect(supabase);
    await older.query('create table if not exists public.unwatched (id int)');
    const client = await connectRawClient({ url: supabase.url, apiKey: supabase.serviceRoleKey });
    const watched = { event: '*', schema: 'public', table: 'watched' };
    await client.joinLive('realtime:watched', { changes: [watched] });
    await older.query('begin; insert into public.unwatched values (1)');
    await supabase.database.query('insert into public.watched values (3)');
    await setTimeout(200);
    await older.query('commit');
    const { payload } = await client.nextOf('postgres_changes');
    client.terminate();
    await older.end();
    expect(payload).toMatchObject({ data: { record: { id: 3 } } });
  });

  const roles: readonly (readonly [string, string | undefined])[] = [
    ['create policy p on storage.objects for select to authenticated using (true)', undefined],
    ['do $$ begin create policy q on storage.objects for select using (true); end $$', undefined],
    [`comment on policy p on storage.objects is 'a comment'`, undefined],
    ['drop policy p on storage.objects', undefined],
    ['create publication everything for all tables', undefined],
    ['drop publication everything', undefined],
    ['create extension citext', undefined],
    [`comment on extension pgcrypto is 'a comment'`, undefined],
    ['alter role authenticator set pgrst.db_max_rows = 10', undefined],
    ['set session_replication_role = replica', undefined],
    ['alter table storage.objects enable row level security', 'must be owner of table objects'],
    ['create extension file_fdw', 'permission denied to create extension "file_fdw"'],
    ['alter role postgres superuser', 'permission denied to alter role'],
    [
      'set session authorization supabase_admin',
      'permission denied to set session authorization "supabase_admin"',
    ],
  ];
  it.each(roles)('lets postgres do what a hosted project does: %s', async (statement, refusal) => {
    const client = await connect(supabase);
    const outcome = await client.query(statement).then(
      () => undefined,
      (problem: Error) => problem.message,
    );
    const { rows } = await client.query(
      `select rolsuper or pg_has_role('supabase_storage_admin', 'member') as is_privileged
       from pg_roles where rolname = current_user`,
    );
    await client.end();
    expect({ outcome, rows }).toEqual({ outcome: refusal, rows: [{ is_privileged: false }] });
  });

  it('shares its server, but no rows, with an instance of the same project', async () => {
    const other = await createLocalSupabase(options);
    await supabase.database.exec('create table public.only_here ()');
    const [found] = await other.database.query(`select to_regclass('public.only_here') as name`);
    const ports = [supabase, other].map(({ databaseUrl }) => new URL(String(databaseUrl)).port);
    await other.close();
    expect(found).toEqual({ name: null });
    expect(ports[0]).toBe(ports[1]);
    expect(await isReachable(String(supabase.databaseUrl))).toBe(true);
  });
});

describe('PostgreSQL beside the services', { timeout: TIMEOUT_MS }, () => {
  it('ends with the last instance, also during a statement, and leaves no files', async () => {
    const supabase = await createLocalSupabase(options);
    const client = await connect(supabase);
    const endless = client.query('select pg_sleep(600)').catch((problem: Error) => problem.message);
    await supabase.close();
    await endless;
    expect(await isReachable(String(supabase.databaseUrl))).toBe(false);
    await expect.poll(() => temporaryFolders()).toEqual([]);
  });

  it('ends when its host is killed', async () => {
    const host = spawn(
      process.execPath,
      ['--import', 'tsx', fileURLToPath(new URL('killed-host.ts', import.meta.url))],
      { stdio: ['ignore', 'pipe', 'inherit'] },
    );
    const [printed] = (await once(host.stdout, 'data')) as [Buffer];
    const databaseUrl = String(printed).trim();
    const client = await connect({ databaseUrl });
    const endless = client.query('select pg_sleep(600)').catch((problem: Error) => problem.message);
    host.kill('SIGKILL');
    await endless;
    await expect.poll(() => isReachable(databaseUrl)).toBe(false);
    await expect.poll(() => temporaryFolders()).toEqual([]);
  });

  it('stays for the next instance of a pool, which begins with the initial rows', async () => {
    const databases = createDatabasePool();
    const first = await createLocalSupabase({ ...options, databases });
    await first.database.exec('create table public.of_the_first ()');
    await first.close();
    const second = await createLocalSupabase({ ...options, databases });
    const ports = [first, second].map(({ databaseUrl }) => new URL(String(databaseUrl)).port);
    expect(await second.database.query(`select to_regclass('public.of_the_first') as name`)).toEqual([
      { name: null },
    ]);
    expect(ports[0]).toBe(ports[1]);
    await second.close();
    await databases.close();
    expect(await isReachable(String(second.databaseUrl))).toBe(false);
  });

  it('keeps the rows of a data folder', async () => {
    const dataDir = join(ownFolder, 'data');
    const first = await createLocalSupabase({ ...options, dataDir });
    await first.database.exec('create table public.kept (id int); insert into public.kept values (7)');
    await first.close();
    const second = await createLocalSupabase({ ...options, dataDir });
    const rows = await second.database.query('select id from public.kept');
    await second.close();
    expect(rows).toEqual([{ id: 7 }]);
  });
});
