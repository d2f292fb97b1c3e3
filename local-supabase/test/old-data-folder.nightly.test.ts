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
  'a data folder of an earlier version opens with its superuser, and says so',
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
