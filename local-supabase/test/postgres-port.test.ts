import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Client } from 'pg';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { runTestsAt } from '../src/command/database-tests.ts';
import type { PgliteDatabase } from '../src/database/pglite-database.ts';
import { startPostgresServer } from '../src/postgres-port/postgres-server.ts';
import { requestApi, useLocalSupabase } from '../../test/support/local-supabase.ts';

const supabase = useLocalSupabase();
let url = '';
const connected = new Set<Client>();

beforeAll(async () => {
  const database = supabase().database as PgliteDatabase;
  const server = await startPostgresServer({ database, port: 0, idleTransactionMs: 100 });
  ({ url } = server);
  return server.close;
});
afterEach(async () => {
  for (const client of connected) await client.end();
  connected.clear();
});

async function connect(address = url): Promise<Client> {
  const client = new Client(address);
  client.on('error', () => undefined);
  await client.connect();
  connected.add(client);
  return client;
}
const valueOf = async (client: Client, text: string): Promise<unknown> =>
  Object.values((await client.query<Record<string, unknown>>(text)).rows[0] ?? {})[0];

describe('the port of PostgreSQL', () => {
  it('requires the password, and a known user and database', async () => {
    await expect(connect(url.replace(':postgres@', ':wrong@'))).rejects.toMatchObject({ code: '28P01' });
    await expect(connect(url.replace('//postgres:', '//someone:'))).rejects.toMatchObject({ code: '28000' });
    await expect(connect(`${url}x`)).rejects.toMatchObject({ code: '3D000' });
  });

  it('isolates settings, role and prepared statements of each client from the others and the services', async () => {
    const [one, other] = [await connect(), await connect()];
    await one.query(`set search_path = auth; set statement_timeout = 1234; set role anon`);
    const plan = (client: Client, step: number) =>
      client.query({ name: 'plan', text: `select $1::int + ${step} as sum`, values: [1] });
    expect([(await plan(one, 1)).rows, (await plan(other, 10)).rows, (await plan(one, 1)).rows]).toEqual([
      [{ sum: 2 }],
      [{ sum: 11 }],
      [{ sum: 2 }],
    ]);
    expect(await valueOf(other, 'show statement_timeout')).toBe('0');
    expect(await valueOf(other, 'select current_user')).toBe('postgres');
    expect(await valueOf(one, 'show statement_timeout')).toBe('1234ms');
    expect(await valueOf(one, 'select current_user')).toBe('anon');
    await expect(supabase().database.query('select current_user as role')).resolves.toEqual([
      { role: 'supabase_admin' },
    ]);
    const { status } = await requestApi(supabase(), '/rest/v1/notifications', {
      apiKey: supabase().serviceRoleKey,
    });
    expect(status).toBe(200);
  });

  it('hides temporary tables, cursors, sequences and locks from other clients', async () => {
    const [one, other] = [await connect(), await connect()];
    await one.query(`create temp table own (id int); create temp sequence numbers; select nextval('numbers'),
      pg_advisory_lock(7); declare rows cursor with hold for select 1`);
    await expect(one.query('select * from own, lastval()')).resolves.toMatchObject({ rows: [] });
    await expect(other.query('select * from own')).rejects.toMatchObject({ code: '42P01' });
    await expect(other.query('fetch rows')).rejects.toMatchObject({ code: '34000' });
    await expect(other.query('select lastval()')).rejects.toMatchObject({ code: '55000' });
    expect(await valueOf(other, 'select pg_advisory_unlock(7)')).toBe(false);
  });

  it("hides a client's temporary tables from others after a third one has ended", async () => {
    const [one, gone, other] = [await connect(), await connect(), await connect()];
    await one.query('create temp table own (id int)');
    await gone.end();
    connected.delete(gone);
    await expect(other.query('select * from own')).rejects.toMatchObject({ code: '42P01' });
  });

  it('continues after an error, and ends a failed transaction with its client', async () => {
    const one = await connect();
    await one.query('begin');
    await expect(one.query('select 1/0')).rejects.toMatchObject({ code: '22012' });
    await expect(one.query('select 1')).rejects.toMatchObject({ code: '25P02' });
    await one.end();
    connected.delete(one);
    expect(await valueOf(await connect(), 'select 1')).toBe(1);
  });

  it('ends a transaction that is idle while others wait', async () => {
    const [idle, other] = [await connect(), await connect()];
    const ended = new Promise((resolve) => idle.once('error', resolve));
    await idle.query('begin');
    expect(await valueOf(other, 'select 2')).toBe(2);
    await expect(ended).resolves.toMatchObject({ code: '25P03' });
  });

  it('gives the session back when the state of a client cannot be restored', async () => {
    const [one, admin] = [await connect(), await connect(url.replace('//postgres:', '//supabase_admin:'))];
    await admin.query('create role passing; grant passing to postgres');
    await one.query(`set role passing; set search_path = auth; set statement_timeout = '9s'`);
    await admin.query('drop role passing');
    await expect(one.query('select 1')).rejects.toThrow('passing');
    await expect(
      supabase().database.query(
        `select current_user as role, session_user as "user", current_setting('search_path') as path,
           current_setting('statement_timeout') as timeout`,
      ),
    ).resolves.toEqual([
      { role: 'supabase_admin', user: 'supabase_admin', path: '"$user", public, extensions', timeout: '0' },
    ]);
  });

  it('keeps a client whose statements have a timeout of a millisecond', async () => {
    const client = await connect();
    await client.query('set statement_timeout = 1');
    await expect(client.query('select pg_sleep(5)')).rejects.toMatchObject({ code: '57014' });
    expect(await valueOf(client, 'show statement_timeout')).toBe('1ms');
    await expect(supabase().database.query('show statement_timeout')).resolves.toEqual([
      { statement_timeout: '0' },
    ]);
  });

  it('keeps the session user that a superuser has set', async () => {
    const admin = await connect(url.replace('//postgres:', '//supabase_admin:'));
    await admin.query('set session authorization authenticator; set role anon');
    const { rows } = await admin.query('select session_user as "user", current_user as role');
    expect(rows).toEqual([{ user: 'authenticator', role: 'anon' }]);
    await expect(supabase().database.query('select session_user as "user"')).resolves.toEqual([
      { user: 'supabase_admin' },
    ]);
  });

  it('creates any extension that is bundled, also from a block, and runs jobs of pg_cron from then on', async () => {
    const client = await connect();
    await client.query('create schema if not exists extensions');
    for (const name of ['citext', 'hstore', 'vector', 'earthdistance cascade', 'pgmq', 'plpgsql_check'])
      await client.query(`create extension if not exists ${name}`);
    await client.query('do $$ begin create extension fuzzystrmatch; end $$');
    const { rows } = await client.query(
      `select 'A'::citext = 'a' as citext, 'a=>1'::hstore -> 'a' as hstore, '[3,4]'::vector <-> '[0,0]' as distance,
         levenshtein('ab', 'b') as levenshtein`,
    );
    expect(rows).toEqual([{ citext: true, hstore: '1', distance: 5, levenshtein: 1 }]);
    await expect(client.query('create extension nothing')).rejects.toMatchObject({ code: '0A000' });
    await expect(client.query('create extension amcheck')).rejects.toMatchObject({ code: '42501' });
    await client.query('create table public.ticks (id int)');
    await client.query('create extension pg_cron');
    await client.query(`select cron.schedule('tick', '1 seconds', 'insert into public.ticks values (1)')`);
    await expect.poll(() => valueOf(client, 'select count(*) > 0 from public.ticks')).toBe(true);
    await client.query(`select cron.unschedule('tick')`);
  });

  it('has the vault without a migration that names it', async () => {
    const client = await connect();
    await client.query(`select vault.create_secret('s3cret', 'own')`);
    expect(
      await valueOf(client, `select decrypted_secret from vault.decrypted_secrets where name = 'own'`),
    ).toBe('s3cret');
  });

  it('runs pgTAP files that see its rows, and leaves no pgTAP behind', async () => {
    const project = await mkdtemp(join(tmpdir(), 'running-tests-'));
    await mkdir(join(project, 'tests'));
    const file = (name: string, sql: string) => writeFile(join(project, 'tests', name), sql);
    await file(
      'a.sql',
      `begin; select plan(2); select is(current_user::text, 'postgres'); select has_table('seen_by_tests');
       select * from finish(); rollback;`,
    );
    await file('b.sql', 'select plan(1); select ok(false); set role anon;');
    await supabase().database.exec('create table public.seen_by_tests (id int)');
    const results = await runTestsAt(url, pathToFileURL(`${project}/`));
    expect(results.map(({ path, passed, problems }) => [path, passed, problems.length > 0])).toEqual([
      [expect.stringContaining('tests/a.sql'), 2, false],
      [expect.stringContaining('tests/b.sql'), 0, true],
    ]);
    await expect(
      supabase().database.query(`select extname from pg_extension where extname = 'pgtap'`),
    ).resolves.toEqual([]);
    await rm(project, { recursive: true });
  });

  it('shows the services what a client committed', async () => {
    const client = await connect();
    await client.query('create table public.from_port (id int primary key)');
    await client.query('grant select on public.from_port to anon');
    await client.query('insert into public.from_port values (7)');
    const response = await requestApi(supabase(), '/rest/v1/from_port');
    await expect(response.json()).resolves.toEqual([{ id: 7 }]);
  });

  it('delivers notifications of any client or service to listening clients', async () => {
    const [one, other] = [await connect(), await connect()];
    const received: unknown[] = [];
    one.on('notification', ({ channel, payload }) => received.push([channel, payload]));
    await one.query('listen news; listen "Other News"');
    await other.query('listen news');
    await other.query(`notify news, 'by a client'`);
    await supabase().database.query(`select pg_notify('Other News', 'by a service')`);
    await other.query('unlisten *');
    await supabase().database.query(`select pg_notify('news', 'still')`);
    await one.query('unlisten news');
    await supabase().database.query(`select pg_notify('news', 'never')`);
    await one.query('select 1');
    expect(received).toEqual([
      ['news', 'by a client'],
      ['Other News', 'by a service'],
      ['news', 'still'],
    ]);
  });

  it("prepares a client's statements again after another client has discarded all", async () => {
    const [one, other] = [await connect(), await connect()];
    const named = { name: 'again', text: 'select 5 as five', values: [] };
    await one.query(named);
    await other.query('discard all');
    expect((await one.query(named)).rows).toEqual([{ five: 5 }]);
  });

  it('survives a COPY without data from the client, and one that PostgreSQL rejects', async () => {
    const client = await connect();
    await client.query('create table public.copied (id int)');
    const copy = client.query('copy public.copied from stdin');
    // The driver has no data to send and fails the copy.
    await expect(copy).rejects.toMatchObject({ code: '57014' });
    expect(await valueOf(client, 'select count(*)::int from public.copied')).toBe(0);
  });
});
