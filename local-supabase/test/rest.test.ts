import { beforeAll, describe, expect, it } from 'vitest';
import {
  ada,
  createUser,
  grace,
  requestApi,
  signIn,
  useLocalSupabase,
} from '../../test/support/local-supabase.ts';
import type { TestUser } from '../../test/support/local-supabase.ts';

const supabase = useLocalSupabase();
let adaToken: string;

beforeAll(async () => {
  adaToken = await signIn(supabase(), ada.email);
});

const read = async (path: string, token: string) =>
  (await requestApi(supabase(), path, { token })).json() as Promise<Record<string, unknown>[]>;

describe('the data service', () => {
  it.each([
    ['invitation_not_found', 404, 'accept_invitation', { token: 'unknown' }],
    ['invitation_email_invalid', 400, 'create_invitation', { invitee_email: 'no-address' }],
  ])('returns a function’s own error, %s, with its own status, %i', async (message, status, name, body) => {
    const response = await requestApi(supabase(), `/rest/v1/rpc/${name}`, {
      method: 'POST',
      token: adaToken,
      body,
    });
    expect(response.status).toBe(status);
    await expect(response.json()).resolves.toMatchObject({ message });
  });

  it.each([
    ['23514', 400, { email_digest_frequency: 'yearly' }],
    ['23503', 409, { user_id: '00000000-0000-4000-8000-00000000dead' }],
    ['22P02', 400, { user_id: 'no-uuid' }],
    ['PGRST204', 400, { unknown: 1 }],
  ])('returns PostgreSQL’s error %s with status %i', async (code, status, columns) => {
    const response = await requestApi(supabase(), '/rest/v1/notification_preferences', {
      method: 'POST',
      apiKey: supabase().serviceRoleKey,
      body: { user_id: grace.id, ...columns },
    });
    expect(response.status).toBe(status);
    await expect(response.json()).resolves.toMatchObject({ code });
    expect(response.headers.get('proxy-status')).toBe(`PostgREST; error=${code}`);
  });

  it('returns the error of a HEAD in a header, because it has no body', async () => {
    const response = await requestApi(supabase(), '/rest/v1/nowhere', { method: 'HEAD', token: adaToken });
    expect(response.status).toBe(404);
    expect(response.headers.get('proxy-status')).toBe('PostgREST; error=PGRST205');
    await expect(response.text()).resolves.toBe('');
  });

  it('serves a new table at once', async () => {
    const { database } = supabase();
    await database.exec('create table public.late (id int primary key); grant select on public.late to anon');
    const response = await requestApi(supabase(), '/rest/v1/late');
    expect(response.status).toBe(200);
    await database.exec('drop table public.late');
    expect((await requestApi(supabase(), '/rest/v1/late')).status).toBe(404);
  });

  it('grants no role anything beyond the migrations', async () => {
    await requestApi(supabase(), '/rest/v1/notifications');
    const grants = await supabase().database.query(
      `select privilege_type from information_schema.role_table_grants
       where grantee = 'anon' and table_schema = 'public'`,
    );
    expect(grants).toEqual([]);
  });
});

describe('concurrent users of the only session', () => {
  it('sixteen users each see only their own rows, among writes, sign-ins and SQL', async () => {
    const users = await Promise.all(
      Array.from({ length: 16 }, (_, index) =>
        createUser(supabase(), `user${index}@example.com`, `User ${index}`),
      ),
    );
    const rounds = await Promise.all(
      users.map((user, index) => useTheInbox(user, users[(index + 1) % users.length])),
    );
    expect(rounds.flat()).toEqual([]);
  });

  it('resets role and claims and leaves no transaction open', async () => {
    await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        index % 2 === 0
          ? requestApi(supabase(), '/rest/v1/notifications?select=id', { token: adaToken })
          : requestApi(supabase(), '/rest/v1/notifications?select=nothing', { token: adaToken }),
      ),
    );
    await expect(
      supabase().database.query(
        `select current_user, auth.uid(), auth.role(), pg_current_xact_id_if_assigned() as transaction`,
      ),
    ).resolves.toEqual([{ current_user: 'supabase_admin', uid: null, role: null, transaction: null }]);
  });
});

/** Runs the requests of a client's start and returns their errors. */
async function useTheInbox(user: TestUser, neighbour: TestUser | undefined): Promise<string[]> {
  const wrong: string[] = [];
  const send = (path: string, method: string, body?: unknown) =>
    requestApi(supabase(), path, { method, token: user.token, ...(body === undefined ? {} : { body }) });
  const [made, sent, , claims] = await Promise.all([
    send('/rest/v1/notification_preferences', 'POST', { user_id: user.id }),
    send('/rest/v1/notifications', 'POST', { recipient_id: neighbour?.id, content: '{"type":"edit"}' }),
    requestApi(supabase(), '/auth/v1/user', { token: user.token }),
    supabase().database.query<{ uid: string | null }>('select auth.uid()'),
  ]);
  if (made.status !== 201 || sent.status !== 201) wrong.push(`writes: ${made.status} ${sent.status}`);
  if (claims[0]?.uid !== null) wrong.push(`claims leaked into SQL: ${claims[0]?.uid}`);
  const preferences = await read('/rest/v1/notification_preferences?select=user_id', user.token);
  const seen = await read('/rest/v1/notifications?select=recipient_id', user.token);
  if (preferences.length !== 1 || preferences[0]?.['user_id'] !== user.id) wrong.push('foreign preferences');
  if (seen.some((row) => row['recipient_id'] !== user.id)) wrong.push('foreign notifications');
  return wrong;
}
