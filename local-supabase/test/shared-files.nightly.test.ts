import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { PGlite } from '@electric-sql/pglite';
import { afterAll, expect, it } from 'vitest';
import { closeToArchive, MemoryFiles } from '../src/database/memory-files.ts';
import { createLocalSupabase, type LocalSupabase } from '../src/entries/index.ts';

/** A database's files have some 24 MB, those of PostgreSQL and its extensions another 9. */
const MAX_OWN_BYTES = 6 * 2 ** 20;

const instances: LocalSupabase[] = [];
const start = async () => {
  const started = await createLocalSupabase({ project: new URL('./rest/no-project/', import.meta.url) });
  instances.push(started);
  return started.database;
};
afterAll(async () => {
  for (const { close } of instances) await close();
});

it('instances of a process share their files in memory, but not their changes', async () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const fileBytes = () => {
    collect();
    return process.memoryUsage().arrayBuffers;
  };
  const [first, second] = [await start(), await start()];
  const beforeBytes = fileBytes();
  const third = await start();
  expect(fileBytes() - beforeBytes).toBeLessThan(MAX_OWN_BYTES);

  const types = 'select count(*)::int as types from pg_type';
  const before = await second.query(types);
  await first.exec('create table public.written (id int); insert into public.written values (1); checkpoint');
  await third.exec(`update pg_description set description = 'changed'; checkpoint`);
  expect(await second.query(types)).toEqual(before);
  expect(await second.query(`select to_regclass('public.written') as missing`)).toEqual([{ missing: null }]);
  const fourth = await start();
  expect(await fourth.query(types)).toEqual(before);
  expect(
    await fourth.query(`select count(*)::int as changed from pg_description where description = 'changed'`),
  ).toEqual([{ changed: 0 }]);
  expect(await first.query('select id from public.written')).toEqual([{ id: 1 }]);
  // pgcrypto lacks its unreachable exports.
  expect(
    await fourth.query(
      `select extensions.pgp_sym_decrypt(extensions.pgp_sym_encrypt('text', 'key'), 'key') as text`,
    ),
  ).toEqual([{ text: 'text' }]);
});

it('a database does not change the archive that it started from', async () => {
  // A Buffer as if read from a file: its `slice` shares memory.
  const archive = Buffer.from(await closeToArchive(await PGlite.create()));
  const before = Buffer.from(archive);
  const pglite = await PGlite.create({ fs: new MemoryFiles(archive) });
  await pglite.exec('create table public.written (id int); checkpoint');
  await pglite.close();
  expect(archive.equals(before)).toBe(true);
});
