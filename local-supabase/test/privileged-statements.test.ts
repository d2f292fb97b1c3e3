import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { becomeProjectUser, resetSession } from '../src/database/connect.ts';
import type { PgliteDatabase } from '../src/database/pglite-database.ts';
import { openDatabase } from '../src/project/open-database.ts';

let database: PgliteDatabase;
beforeAll(async () => {
  ({ database } = await openDatabase({
    project: new URL('rest/no-project/', import.meta.url),
    seed: false,
    settings: { loadedExtensions: ['citext', 'hstore', 'pageinspect'] },
  }));
});
afterAll(() => database.close());

/** Runs SQL as a migration does, in a transaction that is rolled back. */
const asPostgres = <Row>(...statements: readonly string[]): Promise<readonly Row[]> =>
  database.session(async (session) => {
    await becomeProjectUser(session);
    try {
      await session.exec('begin');
      const results = await session.exec(statements.join(';'));
      return (results.at(-1)?.rows ?? []) as Row[];
    } finally {
      await session.exec('rollback');
      await resetSession(session);
    }
  });

/** Each response of PostgreSQL 17.12 with supautils 3.4.0 and the vendor's roles. */
const refused: readonly (readonly [sql: string, message: string])[] = [
  ['alter table storage.objects disable row level security', 'must be owner of table objects'],
  ['alter table storage.objects add column x int', 'must be owner of table objects'],
  ['alter table auth.users add column x int', 'must be owner of table users'],
  ['create table auth.own (id int)', 'permission denied for schema auth'],
  ['create table storage.own (id int)', 'permission denied for schema storage'],
  [
    'create or replace function auth.uid() returns uuid language sql as $$ select null::uuid $$',
    'permission denied for schema auth',
  ],
  ['create extension pageinspect', 'permission denied to create extension "pageinspect"'],
  ['alter role postgres superuser', 'permission denied to alter role'],
  ['alter role anon login', '"anon" is a reserved role, only superusers can modify it'],
  ['drop role service_role', '"service_role" is a reserved role, only superusers can modify it'],
  ['create role pgbouncer', '"pgbouncer" is a reserved role, only superusers can modify it'],
  [
    'alter role dashboard_user rename to other',
    '"dashboard_user" is a reserved role, only superusers can modify it',
  ],
  ["alter role authenticator set statement_timeout = '9s'", 'permission denied to alter role'],
  [
    'create role app; grant pg_read_server_files to app',
    '"pg_read_server_files" role memberships are reserved, only superusers can grant them',
  ],
  [
    'set session authorization supabase_admin',
    'permission denied to set session authorization "supabase_admin"',
  ],
  ['set role supabase_admin', 'permission denied to set role "supabase_admin"'],
  [
    "create table t (i int); copy t from program 'ls'",
    'permission denied to COPY to or from an external program',
  ],
  [
    'alter publication supabase_realtime owner to supabase_admin',
    'must be able to SET ROLE "supabase_admin"',
  ],
  ['drop policy if exists absent on public.nothing', 'relation "public.nothing" does not exist'],
  ['drop trigger if exists absent on public.nothing', 'relation "public.nothing" does not exist'],
  ['drop table auth.users', 'must be owner of table users'],
  ['create role anon', 'role "anon" already exists'],
  ['create role postgres', 'role "postgres" already exists'],
  ['create role supabase_admin', 'role "supabase_admin" already exists'],
  ['alter role current_user nosuperuser', 'permission denied to alter role'],
  ['alter role session_user createdb', 'permission denied to alter role'],
  ['set local role anon; alter role current_user login', '"anon" is a reserved role'],
  ["set local role anon; alter role current_role set statement_timeout = '9s'", '"anon" is a reserved role'],
  ['set local role anon; alter role session_user createdb', 'permission denied to alter role'],
  ["alter role all set statement_timeout = '9s'", 'permission denied to alter setting'],
  ['set local role service_role; grant postgres to current_user', '"service_role" is a reserved role'],
  ['drop role current_user', 'cannot use special role specifier in DROP ROLE'],
  [
    "set session_authorization = 'supabase_admin'",
    'permission denied to set session authorization "supabase_admin"',
  ],
  [
    'set "Session_Authorization" to supabase_admin',
    'permission denied to set session authorization "supabase_admin"',
  ],
  ['set local session authorization "anon"', 'permission denied to set session authorization "anon"'],
  ['set session authorization absent', 'role "absent" does not exist'],
  [
    'delete from storage.objects',
    'Direct deletion from storage tables is not allowed. Use the Storage API instead.',
  ],
];

describe('the role postgres', () => {
  it.each(refused)('is refused: %s', async (sql, message) => {
    await expect(asPostgres(sql)).rejects.toThrow(message);
  });

  it.each([
    'create policy own on storage.objects using (true); alter policy own on storage.objects using (false)',
    "set local search_path = storage; create policy own on objects using (true); comment on policy own on objects is 'x'; drop policy own on objects",
    'do $$ begin create policy own on realtime.messages using (true); end $$',
    'drop policy if exists absent on auth.users',
    'create table t (i int); alter publication supabase_realtime add table t',
    'set local session_replication_role = replica; set local session_replication_role = origin',
    "alter role authenticator set pgrst.db_max_rows = '10'; alter role anon set statement_timeout = '9s'",
    'create role app nologin bypassrls; grant app to anon; grant anon to postgres',
    'create schema extra; create extension hstore schema extra; alter extension hstore set schema public; drop extension hstore',
    "create function f() returns trigger language plpgsql as 'begin return new; end'; create trigger own after insert on auth.users for each row execute function f()",
    "create function f() returns trigger language plpgsql as 'begin return new; end'; create trigger own after insert on storage.objects for each row execute function f(); drop trigger own on storage.objects; drop trigger if exists own on auth.users; drop trigger if exists own on realtime.messages",
    'alter role current_user set search_path = public; alter role current_user reset search_path',
    'set session authorization "postgres"; set session_authorization = postgres; set local session authorization default',
    'create table profiles (id uuid primary key references auth.users on delete cascade)',
    'set local role anon; reset role; set local role service_role',
  ])('may: %s', async (sql) => {
    await expect(asPostgres(sql, 'select current_user as role')).resolves.toHaveLength(1);
  });

  it('owns the event triggers, publications and wrappers that it creates, and stays no superuser', async () => {
    const owners = await asPostgres(
      "create function f() returns event_trigger language plpgsql as 'begin end'",
      'create event trigger own on ddl_command_end execute function f()',
      'create publication everything for all tables',
      'create foreign data wrapper own',
      `select evtowner::regrole::text as owner from pg_event_trigger where evtname = 'own'
       union all select pubowner::regrole::text from pg_publication where pubname = 'everything'
       union all select fdwowner::regrole::text from pg_foreign_data_wrapper where fdwname = 'own'
       union all select rolsuper::text from pg_roles where rolname = 'postgres'`,
    );
    expect(owners).toEqual([
      { owner: 'postgres' },
      { owner: 'postgres' },
      { owner: 'postgres' },
      { owner: 'false' },
    ]);
  });

  it('leaves extensions to supabase_admin, also from a function', async () => {
    await expect(
      asPostgres(
        'do $$ begin create extension citext schema extensions; end $$',
        `select extowner::regrole::text as owner from pg_extension where extname = 'citext'`,
      ),
    ).resolves.toEqual([{ owner: 'supabase_admin' }]);
  });
});
