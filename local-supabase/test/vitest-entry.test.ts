import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { createLocalSupabase } from '../src/server/server.ts';
import { useLocalSupabase } from '../src/entries/vitest.ts';

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

it('follows config.toml where options are missing, and warns of an unset variable once', async () => {
  const project = await mkdtemp(join(tmpdir(), 'configured-'));
  await mkdir(join(project, 'supabase'));
  await writeFile(
    join(project, 'supabase/config.toml'),
    `[auth]\nminimum_password_length = 12\n[auth.email]\nenable_confirmations = false
     [auth.email.smtp]\nhost = "smtp.example.com"\nadmin_email = "a@example.com"
     [edge_runtime.secrets]\nKEY = "env(UNSET_IN_TESTS)"`,
  );
  const warn = vi.spyOn(console, 'warn').mockReturnValue();
  const signUp = async (password: string, config?: boolean) => {
    const own = await createLocalSupabase({
      project,
      seed: false,
      auth: { bcryptCost: 4 },
      ...(config !== undefined && { config }),
    });
    const response = await own.fetch(`${own.url}/auth/v1/signup`, {
      method: 'POST',
      headers: { apikey: own.anonKey, 'content-type': 'application/json' },
      body: JSON.stringify({ email: 'new@example.com', password }),
    });
    const mails = own.mailbox.messages().length;
    await own.close();
    return { body: (await response.json()) as Record<string, unknown>, mails };
  };
  expect((await signUp('twelve letters')).body).toHaveProperty('access_token');
  expect((await signUp('eight to')).body).toMatchObject({ error_code: 'weak_password' });
  const unconfigured = await signUp('eight to', false);
  expect(unconfigured.body).not.toHaveProperty('access_token');
  expect(unconfigured.mails).toBe(1);
  expect(warn.mock.calls).toEqual([
    ['supabase/config.toml: the environment variable UNSET_IN_TESTS is unset, so the setting is empty'],
  ]);
  await rm(project, { recursive: true });
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
