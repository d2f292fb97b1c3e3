import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createLocalSupabase } from '../src/index.ts';
import { availableExtensions } from '../src/project/extensions.ts';

it('every extension that a message lists can be created', async () => {
  const project = await mkdtemp(join(tmpdir(), 'local-supabase-extensions-'));
  await mkdir(join(project, 'supabase/migrations'), { recursive: true });
  const names = availableExtensions(new URL('file:///nowhere/'));
  const sql = names.map((name) => `create extension if not exists "${name}" cascade;`);
  await writeFile(join(project, 'supabase/migrations/1_all.sql'), sql.join('\n'));
  const supabase = await createLocalSupabase({ project });
  const rows = await supabase.database.query<{ extname: string }>('select extname from pg_extension');
  await supabase.close();
  await rm(project, { recursive: true, force: true });
  expect(rows.map(({ extname }) => extname)).toEqual(expect.arrayContaining([...names]));
});
