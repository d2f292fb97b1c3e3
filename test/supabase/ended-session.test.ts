import { expect, test } from 'vitest';
import { runAs } from '../support/database-roles.ts';
import { createUser, grace, requestApi, signIn, useLocalSupabase } from '../support/local-supabase.ts';

const supabase = useLocalSupabase();
const url = (path: string) => `/rest/v1/${path}`;

/** Ways to end every session of a user but the one of `token`. */
const endings = {
  'one session is ended': async (token: string) => {
    const list = await requestApi(supabase(), url('rpc/list_sessions'), { method: 'POST', token, body: {} });
    const sessions = (await list.json()) as { id: string; is_current: boolean }[];
    for (const { id, is_current: isCurrent } of sessions)
      if (!isCurrent)
        await requestApi(supabase(), url('rpc/end_session'), {
          method: 'POST',
          token,
          body: { session_id: id },
        });
  },
  'the other sessions are ended': (token: string) =>
    requestApi(supabase(), url('rpc/end_other_sessions'), { method: 'POST', token, body: {} }),
  'the user signs out everywhere else': (token: string) =>
    requestApi(supabase(), '/auth/v1/logout?scope=others', { method: 'POST', token, body: {} }),
  'the user signs out everywhere': (token: string) =>
    requestApi(supabase(), '/auth/v1/logout?scope=global', { method: 'POST', token, body: {} }),
};

test.each(Object.entries(endings))(
  'after %s, a previously stolen token reads and changes nothing',
  async (_way, end) => {
    const user = await createUser(supabase(), `ended-${crypto.randomUUID()}@example.com`);
    const stolen = await signIn(supabase(), user.email);
    const ask = async (path: string, method = 'POST', body: unknown = {}) => {
      const response = await requestApi(supabase(), url(path), {
        method,
        token: stolen,
        body: method === 'GET' ? undefined : body,
      });
      const text = await response.text();
      return [response.status, text === '' ? null : (JSON.parse(text) as unknown)] as const;
    };
    const account = async () =>
      supabase().database.query('select id from auth.users where email = $1', [user.email]);
    await supabase().database.query('insert into public.notifications (recipient_id) values ($1)', [user.id]);
    expect((await ask('notifications?select=id', 'GET'))[1]).toHaveLength(1);
    await end(user.token);

    const ended = [401, { code: 'PT401', message: 'session_ended' }];
    for (const call of ['delete_account', 'export_account_data', 'end_other_sessions', 'list_sessions'])
      expect([call, await ask(`rpc/${call}`)]).toMatchObject([call, ended]);
    expect(await account()).toHaveLength(1);
    expect((await ask('notifications?select=id', 'GET'))[1]).toEqual([]);
    expect(
      (await ask('notifications', 'POST', { recipient_id: grace.id, content: '{"type":"mention"}' }))[0],
    ).toBeGreaterThanOrEqual(400);
    expect((await ask('notification_preferences', 'POST', { user_id: user.id }))[0]).toBeGreaterThanOrEqual(
      400,
    );
  },
);

test('a session whose lifetime is limited reads until its end, and is no longer listed then', async () => {
  const user = await createUser(supabase(), `limited-${crypto.randomUUID()}@example.com`);
  await supabase().database.query('insert into public.notifications (recipient_id) values ($1)', [user.id]);
  const read = async () =>
    (await requestApi(supabase(), url('notifications?select=id'), { token: user.token })).json();
  const endIn = (hours: number) =>
    supabase().database.query(
      'update auth.sessions set not_after = now() + make_interval(hours => $2) where user_id = $1',
      [user.id, hours],
    );
  await endIn(1);
  expect(await read()).toHaveLength(1);
  await endIn(-1);
  expect(await read()).toEqual([]);
  const other = await signIn(supabase(), user.email);
  const list = await requestApi(supabase(), url('rpc/list_sessions'), {
    method: 'POST',
    token: other,
    body: {},
  });
  expect(await list.json()).toMatchObject([{ is_current: true }]);
  const ofService = await runAs(supabase().database, { role: 'authenticated', userId: user.id }, (sql) =>
    sql.query('select is_current from list_sessions()'),
  );
  expect(ofService).toEqual([{ is_current: false }]);
});
