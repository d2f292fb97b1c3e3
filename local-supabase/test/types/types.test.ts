import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { useLocalSupabase } from '../../../test/support/local-supabase.ts';
import { generateTypes, type TypesOptions } from '../../src/project/types/database-types.ts';
import { typesOf } from '../../src/command/types-command.ts';

const supabase = useLocalSupabase();
const read = (name: string) => readFile(new URL(name, import.meta.url), 'utf8');
const generate = (options: TypesOptions) =>
  generateTypes(
    async (text, params) => (await supabase().database.query<{ result: unknown }>(text, params))[0]?.result,
    { postgrestVersion: '14.1', ...options },
  );

it('types of this project equal those that the application uses', async () => {
  expect(await generate({})).toBe(await read('../../../src/inbox/database.types.ts'));
});

it('types of unusual names, types and functions equal those of the vendor’s generator', async () => {
  await supabase().database.exec(await read('hard.sql'));
  const text = await generate({ schemas: ['hard', 'other', 'Odd Schema'] });
  const [types = '', constants = ''] = (await read('hard.vendor.txt')).split('---\n');
  expect(text).toContain(types);
  expect(text.endsWith(constants)).toBe(true);
});

it('types are not generated without a reachable database', async () => {
  const url = 'postgres://postgres@127.0.0.1:1/postgres';
  await expect(typesOf({ url, project: '.' })).rejects.toThrow('The types cannot be read: connect');
});
