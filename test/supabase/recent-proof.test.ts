import { beforeEach, expect, it } from 'vitest';
import { createUser, requestApi, seedPassword, signIn, useLocalSupabase } from '../support/local-supabase.ts';
import type { TestUser } from '../support/local-supabase.ts';
import { enrollSecondFactor } from '../support/second-factor.ts';
import { readProjectConfig } from 'local-supabase';

const { options } = readProjectConfig();
const supabase = useLocalSupabase({
  auth: { ...options.auth, emailMaxFrequencySeconds: 0, bcryptCost: 4 },
});

let user: TestUser;
beforeEach(async () => {
  user = await createUser(supabase(), `proof-${crypto.randomUUID()}@example.com`);
});

/** What a session does whose user signed in two days ago and has only refreshed tokens since. */
const growOld = () =>
  supabase().database.query(
    `update auth.sessions set created_at = now() - interval '2 days' where user_id = $1`,
    [user.id],
  );
const call = async (method: string, path: string, body?: unknown, token = user.token) => {
  const response = await requestApi(supabase(), path, { method, token, body });
  const answer = (await response.json().catch(() => ({}))) as Record<string, unknown>;
  return { ...answer, status: response.status } as { status: number; access_token?: string };
};

/** The next token of the user's only session, with the methods that the auth service has stored. */
async function refresh(): Promise<string> {
  const [row] = await supabase().database.query<{ token: string }>(
    `select r.token from auth.refresh_tokens r join auth.sessions s on s.id = r.session_id
       where s.user_id = $1 and not r.revoked`,
    [user.id],
  );
  const refreshed = await call('POST', '/auth/v1/token?grant_type=refresh_token', {
    refresh_token: row?.token,
  });
  return refreshed.access_token ?? '';
}

it('an old session changes the password with a mailed code only', async () => {
  await growOld();
  const password = 'another-horse-13';
  expect(await call('PUT', '/auth/v1/user', { password })).toMatchObject({
    error_code: 'reauthentication_needed',
  });
  expect(await call('PUT', '/auth/v1/user', { password, nonce: '00000000' })).toMatchObject({
    error_code: 'reauthentication_not_valid',
  });
  await call('GET', '/auth/v1/reauthenticate');
  const { code } = await supabase().mailbox.waitFor({ to: user.email });
  expect((await call('PUT', '/auth/v1/user', { password, nonce: code })).status).toBe(200);
});

it('an old session changes the email only with the codes of both mailboxes', async () => {
  await growOld();
  const next = `next-${user.email}`;
  expect((await call('PUT', '/auth/v1/user', { email: next })).status).toBe(200);
  const confirm = async (address: string) => {
    const { code } = await supabase().mailbox.waitFor({ to: address });
    return call('POST', '/auth/v1/verify', { type: 'email_change', email: address, token: code });
  };
  await confirm(next);
  expect(await call('GET', '/auth/v1/user')).toMatchObject({ email: user.email });
  await confirm(user.email);
  expect(await call('GET', '/auth/v1/user')).toMatchObject({ email: next });
});

it('an old session neither deletes the account nor creates recovery codes', async () => {
  const [, payload = ''] = user.token.split('.');
  const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as {
    amr: { timestamp: number }[];
  };
  expect(claims.amr[0]?.timestamp).toBeGreaterThan(Date.now() / 1000 - 60);
  await supabase().database.query(
    `update auth.mfa_amr_claims set created_at = now() - interval '11 minutes', updated_at = now() - interval '11 minutes'
       where session_id in (select id from auth.sessions where user_id = $1)`,
    [user.id],
  );
  const token = await refresh();
  expect(await call('POST', '/rest/v1/rpc/delete_account', {}, token)).toMatchObject({
    message: 'reauthentication_needed',
  });
  const proven = await signIn(supabase(), user.email, seedPassword);
  const { token: strong } = await enrollSecondFactor(supabase(), proven);
  expect((await call('POST', '/rest/v1/rpc/create_recovery_codes', {}, strong)).status).toBe(200);
  expect((await call('POST', '/rest/v1/rpc/delete_account', {}, strong)).status).toBe(204);
});

const additions = {
  'a second factor': async (token: string) => (await enrollSecondFactor(supabase(), token)).token,
  'an account at a provider': async (token: string) => {
    const person = { email: 'stranger@example.com', sub: crypto.randomUUID() };
    const issued = await call('POST', '/auth/v1/test-provider/google/id_token', person);
    const idToken = { provider: 'google', ...issued };
    const path = '/auth/v1/token?grant_type=id_token';
    await call('POST', path, { ...idToken, link_identity: true }, token);
    return (await call('POST', path, idToken, supabase().anonKey)).access_token ?? '';
  },
  'a passkey': async () => {
    const { database } = supabase();
    await database.query(
      `insert into auth.webauthn_credentials (id, user_id, credential_id, public_key, attestation_type, created_at, updated_at)
       values (gen_random_uuid(), $1, gen_random_uuid()::text::bytea, 'key', 'none', now(), now())`,
      [user.id],
    );
    await database.query(
      `update auth.mfa_amr_claims set authentication_method = 'passkey', updated_at = now()
       where session_id in (select id from auth.sessions where user_id = $1)`,
      [user.id],
    );
    return refresh();
  },
};

it.each(Object.entries(additions))(
  'an old session deletes the account by %s only a day after it has added it',
  async (_, add) => {
    const { database } = supabase();
    await database.query(`update auth.users set created_at = now() - interval '9 days' where id = $1`, [
      user.id,
    ]);
    await database.query(
      `update auth.mfa_amr_claims set updated_at = now() - interval '11 minutes'
       where session_id in (select id from auth.sessions where user_id = $1)`,
      [user.id],
    );
    const token = await add(await refresh());
    const remove = () => call('POST', '/rest/v1/rpc/delete_account', {}, token);
    expect(await remove()).toMatchObject({ status: 403, message: 'reauthentication_needed' });
    for (const table of ['mfa_factors', 'identities', 'webauthn_credentials'])
      await database.query(
        `update auth.${table} set created_at = now() - interval '25 hours' where user_id = $1`,
        [user.id],
      );
    expect((await remove()).status).toBe(204);
  },
);

it('a session without the second factor of its account changes nothing: neither factors, password, email, sessions nor the account', async () => {
  const { factorId } = await enrollSecondFactor(supabase(), user.token);
  const token = await signIn(supabase(), user.email);
  const refused = { error_code: 'insufficient_aal' };
  expect(await call('DELETE', `/auth/v1/factors/${factorId}`, undefined, token)).toMatchObject(refused);
  expect(
    await call('POST', '/auth/v1/factors', { factor_type: 'totp', friendly_name: 'Mine' }, token),
  ).toMatchObject(refused);
  for (const change of [{ password: 'another-horse-13' }, { email: `x-${user.email}` }])
    expect(await call('PUT', '/auth/v1/user', change, token)).toMatchObject(refused);
  for (const name of ['delete_account', 'end_other_sessions', 'create_recovery_codes', 'export_account_data'])
    expect(await call('POST', `/rest/v1/rpc/${name}`, {}, token)).toMatchObject({
      message: 'insufficient_aal',
    });
});
