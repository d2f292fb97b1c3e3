import type { Database, Sql } from '../database/database.ts';
import type { Claims } from '../keys/keys.ts';

/** Runs `task` with the caller's role and claims, so that the policies decide. */
export function asCaller<T>(database: Database, claims: Claims, task: (sql: Sql) => Promise<T>): Promise<T> {
  return database.transaction(async (sql) => {
    await sql.query(`select set_config('request.jwt.claims', $1, true), set_config('role', $2, true)`, [
      JSON.stringify(claims),
      claims.role ?? 'anon',
    ]);
    return task(sql);
  });
}
