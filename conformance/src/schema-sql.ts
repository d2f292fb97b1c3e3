import { readFile } from 'node:fs/promises';
import type { ConformanceTarget } from './target.ts';
import { NotRunError } from './target.ts';

/** The SQL that makes, or removes, the tables and functions of protocol/product.md. */
export const readSchemaSql = (part: 'apply' | 'remove'): Promise<string> =>
  readFile(new URL(`../schema/${part}.sql`, import.meta.url), 'utf8');

/**
 * Makes the tables and functions in the target's database.
 *
 * @returns a function that removes them, with their rows.
 * @throws NotRunError without access to the database. @throws {Error} where the project has tables of these names.
 */
export async function applySchema({ query }: ConformanceTarget): Promise<() => Promise<void>> {
  if (!query) throw new NotRunError('--apply-schema needs --database-url');
  await query(await readSchemaSql('apply'));
  return async () => void (await query(await readSchemaSql('remove')));
}
