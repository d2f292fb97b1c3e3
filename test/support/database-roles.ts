import type { Database, Sql } from '../../local-supabase/database/database.ts';

/** Who a statement runs as: a role of the API, and the user of the token. */
export interface Caller {
  readonly role: 'anon' | 'authenticated' | 'service_role';
  readonly userId?: string;
}

/** Runs `task` in a transaction as the data service does for a caller, and keeps what it did. */
export function runAs<T>(
  database: Database,
  { role, userId }: Caller,
  task: (sql: Sql) => Promise<T>,
): Promise<T> {
  return database.transaction(async (sql) => {
    const claims = { role, ...(userId === undefined ? {} : { sub: userId }) };
    await sql.query(`select set_config('request.jwt.claims', $1, true), set_config('role', $2, true)`, [
      JSON.stringify(claims),
      role,
    ]);
    return task(sql);
  });
}
