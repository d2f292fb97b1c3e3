import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { ada, seedPassword, useLocalSupabase } from '../../support/local-supabase.ts';

const getSupabase = useLocalSupabase({ port: 0 });

test('sign-in, reads, writes and files work over the fetch of React Native', async () => {
  const { url, anonKey, database } = getSupabase();
  await database.query('insert into public.notifications (recipient_id) values ($1)', [ada.id]);
  const program = join(import.meta.dirname, 'program.ts');
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--import', 'tsx', program].concat([url, anonKey, ada.email, seedPassword]),
  );
  const { changed, ...seen } = JSON.parse(stdout) as Record<string, number>;
  expect(seen).toEqual({ rows: 1, buckets: 0 });
  expect(changed).toBeGreaterThan(0);
});
