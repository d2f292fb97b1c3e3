import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { createChangeTables } from './change-tables.ts';
import { hasProductSchema } from './product-schema.ts';
import type { ConformanceTarget } from '../target/target.ts';
import { NotRunError } from '../target/target.ts';

/** The SQL that creates or removes the tables and functions of protocol/product.md. */
export const readSchemaSql = (part: 'apply' | 'remove'): Promise<string> =>
  readFile(new URL(`../../schema/${part}.sql`, import.meta.url), 'utf8');

/**
 * Removes the tables and functions of `applySchema` with their rows; does nothing in a project without them.
 *
 * @throws NotRunError without access to the database.
 */
export async function removeSchema({ query }: ConformanceTarget): Promise<void> {
  if (!query) throw new NotRunError('the tables of the audits can be removed only with --database-url');
  await query(await readSchemaSql('remove'));
}

/**
 * Creates the tables and functions in the target's database, replacing those of a killed run, and waits until the REST
 * service has reloaded its schema cache; until then it reports them as unknown.
 *
 * @returns a function that removes them, with their rows.
 * @throws NotRunError without access to the database. @throws {Error} if the project has tables of these names, or the
 * REST service does not know them within `timeoutMs`, by default 30 seconds; then they are removed.
 */
export async function applySchema(
  target: ConformanceTarget,
  { timeoutMs = 30_000 }: { readonly timeoutMs?: number } = {},
): Promise<() => Promise<void>> {
  const { query } = target;
  if (!query) throw new NotRunError('--apply-schema needs --database-url');
  const remove = () => removeSchema(target);
  await remove();
  await query(await readSchemaSql('apply'));
  await createChangeTables(target);
  const lastMs = performance.now() + timeoutMs;
  try {
    while (!(await hasProductSchema(target))) {
      if (performance.now() >= lastMs)
        throw new Error(`The REST service has not read the new tables within ${timeoutMs} ms.`);
      await delay(100);
    }
  } catch (problem) {
    await remove();
    throw problem;
  }
  return remove;
}
