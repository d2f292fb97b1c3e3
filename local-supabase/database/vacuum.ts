import type { Database } from './database.ts';

/** Rows that a table may leave dead before it is cleaned; the rule of PostgreSQL's own daemon is similar. */
const DEAD_ROWS = 200;

/** Frees the space of rows that are gone: what the embedded PostgreSQL has no daemon for. */
export async function vacuum(database: Database): Promise<void> {
  await database.query('select pg_stat_force_next_flush()');
  const tables = await database.query<{ name: string }>(
    `select format('%I.%I', schemaname, relname) as name from pg_stat_all_tables
     where n_dead_tup > $1 + n_live_tup / 5 and schemaname <> 'pg_toast'`,
    [DEAD_ROWS],
  );
  for (const { name } of tables) await database.query(`vacuum ${name}`);
}
