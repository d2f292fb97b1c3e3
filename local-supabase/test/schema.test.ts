import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { PGlite } from '@electric-sql/pglite';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { nameAdmin } from '../src/database/connect.ts';
import { installExtensionFiles } from '../src/database/extension-files.ts';
import { availableExtensions, findExtensions } from '../src/project/extensions.ts';
import { readProjectSql } from '../src/project/project-sql.ts';
import type { Migration, ProjectSql } from '../src/project/project-sql.ts';
import { SchemaError } from '../src/project/run-script.ts';
import { buildSchema, updateSchema } from '../src/project/schema.ts';

const migration = (version: string, name: string, sql: string): Migration => ({
  version,
  name,
  sql,
  path: `supabase/migrations/${version}_${name}.sql`,
});
const first = migration('20260101000000', 'notes', 'create table public.notes (id int);');
const second = migration('20260102000000', 'titles', 'alter table public.notes add title text;');

let pglite: PGlite;
let project: ProjectSql;
beforeAll(async () => {
  const none = new URL('file:///nowhere/');
  const extensions = findExtensions(['create extension ltree'], none);
  project = {
    ...(await readProjectSql(none)),
    migrations: [first],
    extensions,
    available: availableExtensions(none),
  };
  pglite = await PGlite.create({ extensions: { ...extensions.bundled } });
  await installExtensionFiles(pglite, extensions.files);
  await nameAdmin(pglite);
  await buildSchema(pglite, project, false);
});
afterAll(() => pglite.close());
beforeEach(() => pglite.exec(`delete from public.notes; insert into public.notes values (1)`));

/** Applies `migrations`, and removes their records so that the next test starts from the first one. */
async function update(...migrations: Migration[]): Promise<void> {
  try {
    await updateSchema(pglite, { ...project, migrations });
  } finally {
    await pglite.query('delete from supabase_migrations.schema_migrations where version <> $1', [
      first.version,
    ]);
  }
}
const countNotes = async () => (await pglite.query('select * from public.notes')).rows.length;

describe('an existing database', () => {
  it('refuses a project without a migration that it has applied', async () => {
    const refused = update(second);
    await expect(refused).rejects.toThrow(
      'The migration 20260101000000_notes was deleted after it was applied',
    );
    await expect(refused).rejects.toBeInstanceOf(SchemaError);
    await expect(countNotes()).resolves.toBe(1);
  });

  it('refuses a project in which an applied migration was edited', async () => {
    const edited = { ...first, sql: 'create table public.notes (id bigint);' };
    await expect(update(edited)).rejects.toThrow(
      'supabase/migrations/20260101000000_notes.sql was edited after it was applied',
    );
  });

  it('accepts an applied migration whose comments were edited', async () => {
    const sql = '-- Notes of a user.\ncreate table public.notes (\n  id int /* from 1 */\n);';
    await expect(update({ ...first, sql })).resolves.toBeUndefined();
  });

  it('applies new migrations, and keeps the rows', async () => {
    await update(first, second);
    await expect(pglite.query('select id, title from public.notes')).resolves.toMatchObject({
      rows: [{ id: 1, title: null }],
    });
  });
});

describe('a migration that PostgreSQL refuses', () => {
  it('is reported with the line and the message, and changes nothing', async () => {
    const typo = migration('2', 'typo', '-- é\ndrop table public.notes;\n\nselect\n  nope\nfrom pg_class;');
    await expect(update(first, typo)).rejects.toThrow(
      /^supabase\/migrations\/2_typo\.sql:5: column "nope" does not exist$/,
    );
    await expect(countNotes()).resolves.toBe(1);
  });

  it('leaves the session to the services, and the next one is applied', async () => {
    await expect(update(first, migration('2', 'typo', 'select nope;'))).rejects.toBeInstanceOf(SchemaError);
    await expect(pglite.query('select session_user, current_user')).resolves.toMatchObject({
      rows: [{ session_user: 'supabase_admin', current_user: 'supabase_admin' }],
    });
    await update(first, migration('2', 'next', 'select 1;'));
  });

  it("is reported with the statement's line if the message has no position, and with the detail", async () => {
    const twice = migration('2', 'twice', 'select 1;\n\ninsert into auth.users (id) values (null);');
    await expect(update(first, twice)).rejects.toThrow(
      /^supabase\/migrations\/2_twice\.sql:3: null value [^\n]+\n {2}Detail: Failing row/,
    );
  });

  it('reports the missing extension and the available ones', async () => {
    const missing = update(first, migration('0003', 'x', 'create extension plv8;'));
    await expect(missing).rejects.toThrow(
      /^Migration 0003_x\.sql needs the extension "plv8", which is not available here\. Available: .*\bhstore, .*\bvector\b/,
    );
  });

  it('reports the statements that it committed itself', async () => {
    const half = migration('2', 'half', 'create table public.half (id int);\ncommit;\nselect nope;');
    await expect(update(first, half)).rejects.toThrow('What stands before line 2 was committed');
    await pglite.exec('drop table public.half');
  });
});

describe('a migration', () => {
  it('may contain transactions, and statements that cannot run in one', async () => {
    const sql = `begin;
      create table public.words (word text); commit;
      create index concurrently words_word on public.words (word);
      insert into public.words values ('kept');
      commit; begin; insert into public.words values ('undone'); rollback;`;
    await update(first, migration('2', 'words', sql));
    const { rows } = await pglite.query('select word from public.words');
    expect(rows).toEqual([{ word: 'kept' }]);
    await pglite.exec('drop table public.words');
  });

  it('does not change the settings of the next one', async () => {
    const dump = `select pg_catalog.set_config('search_path', '', false); set timezone = 'Asia/Tokyo';`;
    await update(first, migration('2', 'dump', dump), migration('3', 'after', 'select id from notes;'));
    const { rows } = await pglite.query(`select current_setting('timezone') as zone`);
    expect(rows).toEqual([{ zone: 'UTC' }]);
  });

  it('keeps functions of extensions callable after it has revoked the default privileges of its role', async () => {
    const sql = `alter default privileges revoke execute on functions from public;
      create schema tree; create extension ltree with schema tree;
      alter default privileges grant execute on functions to public;`;
    await update(first, migration('2', 'tree', sql));
    const { rows } = await pglite.query(
      `select has_function_privilege('anon', 'tree.nlevel(tree.ltree)', 'execute') as may, current_user as role`,
    );
    expect(rows).toEqual([{ may: true, role: 'supabase_admin' }]);
  });
});

describe('a project folder', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'local-supabase-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));
  const write = async (files: Record<string, string>) => {
    for (const [path, text] of Object.entries(files)) {
      await mkdir(dirname(join(folder, path)), { recursive: true });
      await writeFile(join(folder, path), text);
    }
    return pathToFileURL(`${folder}/`);
  };

  it('names its migrations as the CLI does, and reports other files', async () => {
    const sql = await readProjectSql(
      await write({ 'migrations/0001_a.sql': 'a', 'migrations/2_b-c.sql': 'b', 'migrations/draft.sql': 'c' }),
    );
    expect(sql.migrations.map(({ version, name }) => [version, name])).toEqual([
      ['0001', 'a'],
      ['2', 'b-c'],
    ]);
    expect(sql.notes).toEqual([
      'supabase/migrations/draft.sql is skipped: the name of a migration is <digits>_<name>.sql',
    ]);
  });

  it('may not contain the same version twice', async () => {
    const url = await write({ 'migrations/1_a.sql': 'a', 'migrations/1_b.sql': 'b' });
    await expect(readProjectSql(url)).rejects.toThrow(
      'supabase/migrations/1_a.sql and supabase/migrations/1_b.sql have the same version',
    );
  });

  it('has its seeds at the configured paths, in that order', async () => {
    const url = await write({
      'seeds/b.sql': 'b',
      'seeds/a.sql': 'a',
      'seeds/more/c.sql': 'c',
      'z.sql': 'z',
    });
    const seeds = async (...seedPaths: string[]) =>
      (await readProjectSql(url, { seedPaths })).seeds.map(({ sql }) => sql);
    await expect(seeds('./z.sql', './seeds/*.sql')).resolves.toEqual(['z', 'a', 'b']);
    await expect(seeds('seeds/**/?.sql', 'z.sql')).resolves.toEqual(['a', 'b', 'c', 'z']);
    const { notes } = await readProjectSql(url, { seedPaths: ['./seed.sql'] });
    expect(notes).toEqual(['No file matches db.seed.sql_paths (./seed.sql)']);
  });

  it('has declarative schemas applied only if there are no migrations', async () => {
    const url = await write({ 'schemas/b.sql': 'b', 'schemas/a.sql': 'a' });
    const versions = async () => (await readProjectSql(url)).migrations.map(({ version }) => version);
    await expect(versions()).resolves.toEqual(['supabase/schemas/a.sql', 'supabase/schemas/b.sql']);
    await write({ 'migrations/1_a.sql': 'a' });
    await expect(versions()).resolves.toEqual(['1']);
  });

  it('loads the vault and the extensions that its SQL creates, including its own', async () => {
    const { extensions } = await readProjectSql(
      await write({
        'migrations/1_a.sql':
          'CREATE EXTENSION IF NOT EXISTS "hstore"; create extension earthdistance cascade;',
        'seed.sql': 'create extension helpers;',
        'extensions/helpers.control': `default_version = '1'`,
        'extensions/helpers--1.sql': 'select 1',
        'extensions/other.control': '',
      }),
    );
    expect(Object.keys(extensions.bundled).toSorted()).toEqual([
      'cube',
      'earthdistance',
      'hstore',
      'pgcrypto',
      'uuid-ossp',
    ]);
    expect(extensions.files.map(({ name }) => name)).toEqual([
      'supabase_vault--0.3.1.sql',
      'supabase_vault.control',
      'helpers--1.sql',
      'helpers.control',
    ]);
  });
});
