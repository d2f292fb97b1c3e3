import type { Database } from 'local-supabase';

/**
 * Runs `task` while a function of the database fails for some rows as it does where PostgreSQL finds them damaged.
 *
 * @param signature of a function in PL/pgSQL. @param condition of its arguments.
 */
export async function whileDamaged<T>(
  database: Database,
  signature: string,
  condition: string,
  task: () => Promise<T>,
): Promise<T> {
  const [row] = await database.query<{ definition: string }>(
    'select pg_get_functiondef($1::regprocedure) as definition',
    [signature],
  );
  const definition = row?.definition ?? '';
  const failing = definition.replace(
    /\nbegin\n/,
    `\nbegin\n  if ${condition} then raise data_corrupted using message = 'damaged'; end if;\n`,
  );
  if (failing === definition) throw new Error(`${signature} has no body to change`);
  await database.exec(failing);
  try {
    return await task();
  } finally {
    await database.exec(definition);
  }
}
