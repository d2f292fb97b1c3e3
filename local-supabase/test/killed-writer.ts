/**
 * Prints the folder's rows, then writes rows until the process is killed, and prints each number once its transaction
 * is committed. Arguments: the data folder, and `thread` to run PostgreSQL in a worker thread.
 */
import { openDatabase } from '../src/project/open-database.ts';

const [, , dataDir, mode] = process.argv;
const { database } = await openDatabase({
  dataDir,
  project: new URL('./rest/no-project/', import.meta.url),
  seed: false,
  worker: mode === 'thread',
});
await database.exec(`create table if not exists public.written (id int primary key, text text);
  create table if not exists public.also_written (id int primary key)`);
const [kept] = await database.query<{ rows: number; last: number; others: number }>(
  `select count(*)::int as rows, coalesce(max(id), 0) as last,
     (select count(*)::int from public.also_written) as others from public.written`,
);
process.stdout.write(`${JSON.stringify(kept)}\n`);
for (let id = (kept?.last ?? 0) + 1; ; id += 1) {
  await database.transaction(async (sql) => {
    await sql.query('insert into public.written values ($1, repeat($2, 100))', [id, 'x']);
    await sql.query('insert into public.also_written values ($1)', [id]);
  });
  process.stdout.write(`${id}\n`);
}
