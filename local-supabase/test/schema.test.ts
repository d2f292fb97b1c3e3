import { PGlite } from '@electric-sql/pglite';
import { pgcrypto } from '@electric-sql/pglite/contrib/pgcrypto';
import { uuid_ossp } from '@electric-sql/pglite/contrib/uuid_ossp';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { readProjectSql } from '../src/project/project-sql.ts';
import type { ProjectSql } from '../src/project/project-sql.ts';
import { buildSchema, SchemaError, updateSchema } from '../src/project/schema.ts';

const first = { version: '20260101000000', name: 'notes', sql: 'create table public.notes (id int);' };
const second = { version: '20260102000000', name: 'titles', sql: 'alter table public.notes add title text;' };

let pglite: PGlite;
let project: ProjectSql;
beforeAll(async () => {
  project = { ...(await readProjectSql()), migrations: [first] };
  pglite = await PGlite.create({ extensions: { pgcrypto, uuid_ossp } });
  await buildSchema(pglite, project, false);
});
afterAll(() => pglite.close());
beforeEach(() => pglite.exec(`delete from public.notes; insert into public.notes values (1)`));

describe('a database that was made earlier', () => {
  it('refuses a project without a migration that it has applied', async () => {
    const update = updateSchema(pglite, { ...project, migrations: [second] });
    await expect(update).rejects.toThrow(
      'its migration 20260101000000_notes was deleted after it was applied',
    );
    await expect(update).rejects.toBeInstanceOf(SchemaError);
    await expect(pglite.query('select * from public.notes')).resolves.toMatchObject({ rows: [{ id: 1 }] });
  });

  it('refuses a project in which an applied migration was edited', async () => {
    const edited = { ...first, sql: 'create table public.notes (id bigint);' };
    await expect(updateSchema(pglite, { ...project, migrations: [edited] })).rejects.toThrow(
      'its migration 20260101000000_notes was edited after it was applied',
    );
  });

  it('accepts an applied migration whose comments were edited', async () => {
    const sql = '-- Notes of a user.\ncreate table public.notes (\n  id int /* from 1 */\n);';
    await expect(
      updateSchema(pglite, { ...project, migrations: [{ ...first, sql }] }),
    ).resolves.toBeUndefined();
  });

  it('applies the migrations that are new, and keeps the rows', async () => {
    await updateSchema(pglite, { ...project, migrations: [first, second] });
    await expect(pglite.query('select id, title from public.notes')).resolves.toMatchObject({
      rows: [{ id: 1, title: null }],
    });
  });
});
