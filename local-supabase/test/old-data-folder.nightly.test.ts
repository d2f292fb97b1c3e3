import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import { expect, it } from 'vitest';
import { handOver } from '../src/database/connect.ts';
import { installExtensionFiles } from '../src/database/extension-files.ts';
import { createCronJobs } from '../src/database/extensions/cron-jobs.ts';
import { openDatabase } from '../src/project/open-database.ts';
import { readProjectSql } from '../src/project/project-sql.ts';
import { buildSchema } from '../src/project/schema.ts';

/** In earlier versions PGlite's bootstrap superuser kept its name, `postgres`. */
it(
  'a data folder of an earlier version opens with its superuser, and reports it',
  { timeout: 180_000 },
  async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'old-data-'));
    const project = new URL('rest/no-project/', import.meta.url);
    const sql = await readProjectSql(project, { loadedExtensions: ['pg_cron'] });
    const { bundled, files } = sql.extensions;
    const before = await PGlite.create({ dataDir, extensions: { ...bundled } });
    await installExtensionFiles(before, files);
    await buildSchema(before, sql, false);
    await before.exec('create extension pg_cron; create table public.runs ("user" text)');
    await before.close();

    const opened = await openDatabase({ dataDir, project, settings: { loadedExtensions: ['pg_cron'] } });
    const { database, notes, migrate } = opened;
    expect(notes).toEqual([expect.stringContaining('postgres is a superuser')]);
    const user = `select session_user as "user", rolsuper as "isSuper" from pg_roles where rolname = session_user`;
    await expect(database.query(user)).resolves.toEqual([{ user: 'postgres', isSuper: true }]);
    await database.session(handOver);
    await expect(database.query(user)).resolves.toEqual([{ user: 'postgres', isSuper: true }]);
    let nowMs = Date.now();
    const runDueJobs = createCronJobs({ database, now: () => nowMs });
    await database.query(
      `select cron.schedule('own', '* * * * *', 'insert into public.runs values (current_user)')`,
    );
    nowMs += 60_000;
    await runDueJobs();
    await expect(database.query('select "user" from public.runs')).resolves.toEqual([{ user: 'postgres' }]);
    await expect(migrate()).resolves.toEqual([]);
    await database.close();
    await rm(dataDir, { recursive: true, force: true });
  },
);

/** The tables of recovery codes, and the column of lifecycles, had another shape before auth 2.197 and storage 1.92. */
const earlierShape = `
  drop table auth.mfa_recovery_codes, auth.mfa_recovery_code_sets;
  create table auth.mfa_recovery_code_sets (id uuid primary key);
  create table auth.mfa_recovery_codes (id uuid primary key, used_at timestamptz);
  insert into auth.users (id, email) values ('00000000-0000-4000-8000-000000000001', 'ada@example.com');
  insert into auth.mfa_factors (id, user_id, factor_type, status, created_at, updated_at)
    select gen_random_uuid(), id, factor_type::auth.factor_type, 'verified', now(), now()
    from auth.users, unnest('{totp,recovery_code}'::text[]) as factor_type;
  drop trigger protect_bucket_control_insert on storage.buckets;
  alter table storage.buckets drop column lifecycle_configuration cascade, add column lifecycle jsonb;
  insert into storage.buckets (id, name, lifecycle) values ('docs', 'docs', '[{"id": "old"}]');
  comment on schema supabase_migrations is 'an earlier version'`;

it(
  'a data folder keeps its factors and lifecycles, but not its recovery codes',
  { timeout: 180_000 },
  async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'old-data-'));
    const project = new URL('rest/no-project/', import.meta.url);
    const earlier = await openDatabase({ dataDir, project });
    await earlier.database.exec(earlierShape);
    await earlier.database.close();

    const { database } = await openDatabase({ dataDir, project });
    await expect(database.query('select factor_type from auth.mfa_factors')).resolves.toEqual([
      { factor_type: 'totp' },
    ]);
    await expect(database.query('select consumed_at from auth.mfa_recovery_codes')).resolves.toEqual([]);
    await expect(
      database.query("select lifecycle_configuration from storage.buckets where id = 'docs'"),
    ).resolves.toEqual([{ lifecycle_configuration: { rules: [{ id: 'old' }] } }]);
    await database.close();
    await rm(dataDir, { recursive: true, force: true });
  },
);
