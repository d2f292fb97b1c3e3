import { expect, it } from 'vitest';
import { createLocalSupabase } from '../src/entries/index.ts';
import { availableExtensions } from '../src/project/extensions.ts';

it('every extension that a message lists can be created by the superuser', async () => {
  const names = availableExtensions(new URL('file:///nowhere/'));
  const supabase = await createLocalSupabase({ config: false });
  for (const name of names) await supabase.database.exec(`create extension if not exists "${name}" cascade`);
  const rows = await supabase.database.query<{ extname: string }>('select extname from pg_extension');
  await supabase.close();
  expect(rows.map(({ extname }) => extname)).toEqual(expect.arrayContaining([...names]));
});
