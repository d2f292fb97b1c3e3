import { expect, it } from 'vitest';
import { useLocalSupabase } from '../src/vitest.ts';

const supabase = useLocalSupabase();
const idOf = async (response: Response): Promise<unknown> => ((await response.json()) as { id?: string }).id;

it('calls the API as a user by email, or with claims', async () => {
  const ada = await supabase().asUser('ada@example.com');
  const own = await ada.fetch('/auth/v1/user');
  expect([own.status, await idOf(own)]).toEqual([200, 'ada00000-0000-4000-8000-000000000001']);
  const nobody = await supabase().asUser({ sub: crypto.randomUUID() });
  const rows = await nobody.fetch('/rest/v1/notifications?select=id');
  await expect(rows.json()).resolves.toEqual([]);
  await expect(supabase().asUser('nobody@example.com')).rejects.toThrow('No user has the email');
});

it('moves the clock of the services and of SQL', async () => {
  const { clock, database } = supabase();
  const readHours = async () => {
    const [row] = await database.query<{ hours: string }>(
      `select round(extract(epoch from now() - to_timestamp($1::float8 / 1000)) / 3600)::text as hours`,
      [Date.now()],
    );
    return row?.hours;
  };
  expect(await readHours()).toBe('0');
  const ada = await supabase().asUser('ada@example.com');
  await clock.advance(2 * 3_600_000);
  expect(await readHours()).toBe('2');
  expect(Math.round((clock.now() - Date.now()) / 3_600_000)).toBe(2);
  expect((await ada.fetch('/auth/v1/user')).status).toBe(403);
});

it('resets to its initial state', async () => {
  await supabase().database.query('delete from auth.users');
  await supabase().mailbox.send({ to: 'ada@example.com', subject: 'Kept', html: '' });
  await supabase().reset();
  const [row] = await supabase().database.query<{ users: number; isNow: boolean }>(
    `select count(*)::int as users, abs(extract(epoch from now()) - $1) < 60 as "isNow" from auth.users`,
    [Date.now() / 1000],
  );
  expect(row).toEqual({ users: 2, isNow: true });
  expect(supabase().mailbox.messages()).toEqual([]);
});
