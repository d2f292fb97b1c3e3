import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { openDatabase } from '../../src/project/open-database.ts';
import { CATALOG_FACTS } from './catalog-facts.ts';

const linesOf = async (file: string) =>
  (await readFile(new URL(file, import.meta.url), 'utf8')).split('\n').filter((line) => line !== '');

/**
 * `recorded.txt` is the catalog of PostgreSQL 17.12 with the vendor's roles and supautils 3.4.0, after the migrations of
 * auth bc32168, storage 4fa61fb and Realtime 2.129.8: `psql -At` with these facts. `differences.txt` lists what the
 * embedded database lacks (`-`) or has besides (`+`), below the reason.
 */
describe('the catalog before the first migration', () => {
  it('has the roles, owners and grants of a hosted project, except for the listed differences', async () => {
    const { database } = await openDatabase({
      project: new URL('../rest/no-project/', import.meta.url),
      seed: false,
    });
    const own = (await database.query<{ fact: string }>(CATALOG_FACTS)).map(({ fact }) => fact);
    await database.close();
    const recorded = await linesOf('recorded.txt');
    const differing = [
      ...recorded.filter((fact) => !own.includes(fact)).map((fact) => `- ${fact}`),
      ...own.filter((fact) => !recorded.includes(fact)).map((fact) => `+ ${fact}`),
    ];
    const listed = (await linesOf('differences.txt')).filter((line) => !line.startsWith('#'));
    expect(differing.toSorted()).toEqual(listed.toSorted());
  });
});
