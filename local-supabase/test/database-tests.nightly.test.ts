import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { runDatabaseTests, type TestFileResult } from '../src/command/database-tests.ts';

const files: Readonly<Record<string, string>> = {
  'migrations/1_notes.sql': `
    alter default privileges revoke execute on functions from public;
    create extension if not exists hypopg with schema extensions; create extension index_advisor with schema extensions;
    create extension pg_jsonschema with schema extensions; create extension plpgsql_check; create extension pgaudit;
    create table notes (id int primary key, owner uuid default auth.uid(), at timestamptz default now(), data jsonb
      check (jsonb_matches_schema('{"type":"object","required":["title"],"properties":{"title":{"type":"string","minLength":2}},"additionalProperties":false}', data)));
    alter table notes enable row level security;
    grant all on notes to authenticated;
    create policy own on notes using (owner = (select auth.uid()));`,
  // As in the guides of database.dev.
  'tests/000-setup.sql': `
    create extension if not exists http with schema extensions; create extension if not exists pg_tle;
    drop extension if exists "supabase-dbdev";
    select pgtle.uninstall_extension_if_exists('supabase-dbdev');
    select pgtle.install_extension('supabase-dbdev', resp.contents ->> 'version', 'package manager', resp.contents ->> 'sql')
    from extensions.http(('GET', 'https://api.database.dev/rest/v1/package_versions', null, null, null)) x,
      lateral (select ((row_to_json(x) -> 'content') #>> '{}')::json -> 0) resp (contents);
    create extension "supabase-dbdev";
    select dbdev.install('basejump-supabase_test_helpers');
    create extension if not exists "basejump-supabase_test_helpers" version '0.0.5';
    begin; select plan(1); select ok(true); select * from finish(); rollback;`,
  'tests/policies.sql': `
    begin; select plan(8);
    select tests.rls_enabled('public'); select tests.rls_enabled('public', 'notes');
    select tests.create_supabase_user('ada', 'ada@example.com');
    select tests.create_supabase_user('grace', metadata => '{"full_name":"Grace"}');
    select tests.authenticate_as('ada');
    select lives_ok($$ insert into notes (id) values (1) $$);
    select is((select owner from notes), tests.get_supabase_uid('ada'));
    select tests.authenticate_as('grace'); select is_empty('select * from notes');
    select is(auth.jwt() -> 'user_metadata' ->> 'full_name', 'Grace');
    select tests.freeze_time('2020-01-01'); insert into notes (id) values (2);
    select is(now(), '2020-01-01'); select tests.unfreeze_time(); select isnt(now(), '2020-01-01');
    select tests.clear_authentication(); select * from finish(); rollback;`,
  'tests/configured.sql': `
    begin; select plan(2);
    select is(decrypted_secret, 'it''s') from vault.decrypted_secrets where name = 'key';
    select ok(not has_table_privilege('anon', 'notes', 'select')); select * from finish(); rollback;`,
  'tests/stand-ins.sql': `
    begin; select plan(10);
    select throws_ok($$ select tests.get_supabase_uid('nobody') $$, 'User with identifier nobody not found');
    select lives_ok($$ insert into notes (id, data) values (3, '{"title":"ok"}') $$);
    select throws_ok($$ insert into notes (id, data) values (4, '{"title":"x"}') $$, '23514');
    select throws_ok($$ insert into notes (id, data) values (4, '{"title":"ok","more":1}') $$, '23514');
    select is(json_matches_schema('{"anyOf":[{"type":"integer"},{"type":"null"}],"not":{"const":7}}', '7'), false);
    select is(jsonschema_validation_errors('{"items":{"maximum":3}}', '[1, 4]'), array['/1: 4 is out of range']);
    select throws_ok($$ select hypopg_create_index('create index on notes (at)') $$, '0A000');
    select ok((index_advisor('select 1')).errors[1] like '%advises nothing%');
    select throws_ok($$ select dbdev.install('someone-else') $$, '0A000');
    select pgtle.install_extension('my-answer', '1.0', 'own', 'create function answer() returns int language sql as ''select 42''');
    create extension "my-answer"; select is(answer(), 42);
    select * from finish(); rollback;`,
};

/** Each file leaves some state in its session; the last one must find none of it. */
const sessions: Readonly<Record<string, string>> = {
  'tests/1-plans.sql': `set role anon; select plan(1); select ok(true); select * from finish();
    create temp table left_behind (id int); prepare kept as select 1; select pg_advisory_lock(1); listen news;
    declare rows cursor with hold for select 1;`,
  'tests/2-finds.sql': `begin; select plan(7); select is(current_user::text, 'postgres');
    select is(session_user::text, 'postgres'); select hasnt_table('left_behind');
    select is_empty('select from pg_prepared_statements'); select is_empty('select from pg_cursors where is_holdable');
    select is_empty('select from pg_locks where locktype = ''advisory'''); select is_empty('select pg_listening_channels()');
    select * from finish(); rollback;`,
};

const variables: Readonly<Record<string, string>> = {
  'tests/variables.sql': String.raw`\set ON_ERROR_STOP 1
\set who 'Ada''s'
begin;
select plan(4);
select 7 as id, array['a', 'b'] as tags, null as gone \gset found_
select is(:found_id, 7);
select is(:'found_tags'::text[], '{a,b}');
select is(:'who'::text, $$Ada's$$);
select is(':who'::text, concat(':', 'who'));
select * from finish();
rollback;`,
  'tests/no-row.sql': String.raw`select plan(1);
select 1 as id where false
\gset
select ok(true);`,
};

const empty: Readonly<Record<string, string>> = {
  'tests/3-hook.sql': 'create extension if not exists pgtap with schema extensions; select plan(0);',
  'tests/4-nothing.sql': 'select 1;',
};

let folder: string;
let results: readonly TestFileResult[];
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'local-supabase-tests-'));
  for (const [path, text] of Object.entries({ ...files, ...sessions, ...variables, ...empty })) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
  results = await runDatabaseTests({
    project: pathToFileURL(`${folder}/`),
    settings: { vaultSecrets: { key: "it's" }, exposesNewTables: false },
  });
}, 180_000);
afterAll(() => rm(folder, { recursive: true, force: true }));

it.each([
  ['000-setup', 1],
  ['policies', 8],
  ['stand-ins', 10],
  ['configured', 2],
  ['1-plans', 1],
  ['2-finds', 7],
  ['variables', 4],
  ['3-hook', 0],
])('runs the pgTAP file %s', (name, passed) => {
  const path = `supabase/tests/${name}.sql`;
  expect(results.find((result) => result.path === path)).toEqual({ path, passed, problems: [] });
});

it('a file that plans no tests is skipped, and one without a plan fails', () => {
  const path = 'supabase/tests/4-nothing.sql';
  expect(results.find((result) => result.path === path)).toEqual({
    path,
    passed: 0,
    problems: [`${path}: ran no test`],
  });
});

it(String.raw`\gset without a row ends the file as in psql`, () => {
  const path = 'supabase/tests/no-row.sql';
  expect(results.find((result) => result.path === path)?.problems).toEqual([
    String.raw`${path}:3: no rows returned for \gset`,
  ]);
});
