import { beforeEach, expect, it } from 'vitest';
import { ada, requestApi, useLocalSupabase } from '../support/local-supabase.ts';

const supabase = useLocalSupabase();

beforeEach(() => supabase().database.exec('delete from notifications'));

const signUp = async (email: string, data: object = {}) => {
  const response = await requestApi(supabase(), '/auth/v1/signup', {
    method: 'POST',
    body: { email, password: 'a long enough password 7', data },
  });
  expect(response.status).toBe(200);
};
const confirm = async (email: string) => {
  const [row] = await supabase().database.query<{ token: string }>(
    'select confirmation_token as token from auth.users where email = $1',
    [email],
  );
  const response = await requestApi(supabase(), '/auth/v1/verify', {
    method: 'POST',
    body: { type: 'signup', token_hash: row?.token },
  });
  expect(response.status).toBe(200);
};
const notifications = async (email: string) =>
  (
    await supabase().database.query<{ kind: string; status: string; content: string }>(
      `select n.kind, n.status, n.content from notifications n join auth.users u on u.id = n.recipient_id
       where u.email = $1`,
      [email],
    )
  ).map(({ kind, status, content }) => {
    const { data } = JSON.parse(content) as { data: { title: string; url: string } };
    return { kind, status, title: data.title, url: data.url };
  });

it('a new account is welcomed once its address is confirmed', async () => {
  await signUp('new@example.com');
  expect(await notifications('new@example.com')).toEqual([]);
  await confirm('new@example.com');
  expect(await notifications('new@example.com')).toEqual([
    { kind: 'system', status: 'unread', title: 'Welcome to Tidings', url: '/preferences' },
  ]);
});

it('a new account is welcomed in the language of its sign-up', async () => {
  for (const [language, title] of [
    ['de', 'Willkommen bei Tidings'],
    ['de-AT', 'Willkommen bei Tidings'],
    ['fr', 'Welcome to Tidings'],
  ]) {
    const email = `${language}@example.com`.toLowerCase();
    await signUp(email, { language });
    await confirm(email);
    expect(await notifications(email), `in ${language}`).toMatchObject([{ title }]);
  }
});

it('a new account is confirmed although the welcome fails', async () => {
  await signUp('unlucky@example.com');
  await supabase().database.exec('alter table notifications rename to renamed');
  try {
    await confirm('unlucky@example.com');
  } finally {
    await supabase().database.exec('alter table renamed rename to notifications');
  }
  expect(await notifications('unlucky@example.com')).toEqual([]);
});

it.each([
  [
    'is not welcomed again when its address changes',
    `confirmation_sent_at = now(), email_confirmed_at = now()`,
    0,
  ],
  ['that was invited is welcomed', `invited_at = now(), email_confirmed_at = null`, 1],
  ['that signed up is welcomed', `confirmation_sent_at = now(), email_confirmed_at = null`, 1],
  ['that an operator made is not welcomed', `email_confirmed_at = null`, 0],
])('a new account %s', async (_, before, count) => {
  const { database } = supabase();
  const unset = 'confirmation_sent_at = null, invited_at = null';
  await database.query(`update auth.users set ${unset} where id = $1`, [ada.id]);
  await database.query(`update auth.users set ${before} where id = $1`, [ada.id]);
  await database.query('update auth.users set email_confirmed_at = now() where id = $1', [ada.id]);
  expect(await notifications(ada.email)).toHaveLength(count);
  await database.query(`update auth.users set ${unset} where id = $1`, [ada.id]);
});
