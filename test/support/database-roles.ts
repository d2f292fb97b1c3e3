import type { Database, Sql } from 'local-supabase';

/** The role of the API and the token that a statement runs with. */
export interface Caller {
  readonly role: 'anon' | 'authenticated' | 'service_role';
  readonly userId?: string;
  /** Further claims of the token, such as `aal` and `amr`. */
  readonly claims?: Readonly<Record<string, unknown>>;
}

/** Runs `task` in a transaction with the role and claims of a caller, as the data service does, and commits it. */
export function runAs<T>(
  database: Database,
  { role, userId, claims: further = {} }: Caller,
  task: (sql: Sql) => Promise<T>,
): Promise<T> {
  return database.transaction(async (sql) => {
    const claims = { role, ...(userId === undefined ? {} : { sub: userId }), ...further };
    await sql.query(`select set_config('request.jwt.claims', $1, true), set_config('role', $2, true)`, [
      JSON.stringify(claims),
      role,
    ]);
    return task(sql);
  });
}
