import { beforeEach, describe, expect, it } from 'vitest';
import { createUser, requestApi, seedPassword, signIn, useLocalSupabase } from '../support/local-supabase.ts';
import type { TestUser } from '../support/local-supabase.ts';
import { enrollSecondFactor } from '../support/second-factor.ts';
import { readProjectConfig } from 'local-supabase';

const { options } = readProjectConfig();
// POSTGRES_URL: an empty database of a real server, on which the workflow runs this file, too.
const { POSTGRES_URL: databaseUrl } = process.env;
const supabase = useLocalSupabase({
  ...(databaseUrl !== undefined && { databaseUrl }),
  auth: {
    ...options.auth,
    emailMaxFrequencySeconds: 0,
    smsMaxFrequencySeconds: 0,
    phoneEnabled: true,
    rateLimits: null,
    bcryptCost: 4,
  },
});

let user: TestUser;
beforeEach(async () => {
  user = await createUser(supabase(), `proof-${crypto.randomUUID()}@example.com`);
});

/** Makes the sessions of the user two days old: since the sign-in only tokens were refreshed. */
const growOld = () =>
  supabase().database.query(
    `update auth.sessions set created_at = now() - interval '2 days' where user_id = $1`,
    [user.id],
  );
const call = async (method: string, path: string, body?: unknown, token = user.token) => {
  const response = await requestApi(supabase(), path, { method, token, body });
  const json = (await response.json().catch(() => ({}))) as Record<string, unknown>;
  return { ...json, status: response.status } as { status: number; access_token?: string };
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

/** Makes the session's last proof of identity an hour old; returns its next token. */
async function growStale(): Promise<string> {
  await supabase().database.query(
    `update auth.mfa_amr_claims set created_at = now() - interval '1 hour', updated_at = now() - interval '1 hour'
       where session_id in (select id from auth.sessions where user_id = $1)`,
    [user.id],
  );
  return refresh();
}

/** Lets the account and its credentials be as old as the interval. */
async function age(interval: string): Promise<void> {
  for (const [table, column, id] of [
    ['auth.users', 'created_at', 'id'],
    ['auth.identities', 'created_at', 'user_id'],
    ['auth.mfa_factors', 'created_at', 'user_id'],
    ['auth.webauthn_credentials', 'created_at', 'user_id'],
    ['private.credentials_set', 'set_at', 'user_id'],
  ])
    await supabase().database.query(
      `update ${table} set ${column} = now() - $2::interval where ${id} = $1 and ${column} > now() - $2::interval`,
      [user.id, interval],
    );
}

const mailedCode = async (to: string) => (await supabase().mailbox.waitFor({ to })).code;
const signInByCode = async (address: { email: string } | { phone: string }, to: string) => {
  await call('POST', '/auth/v1/otp', address, supabase().anonKey);
  const type = 'email' in address ? 'email' : 'sms';
  const proof = { type, ...address, token: await mailedCode(to) };
  return (await call('POST', '/auth/v1/verify', proof, supabase().anonKey)).access_token ?? '';
};

/** Ways by which a session alone sets a credential. Each returns a token of a session that has proven itself by it. */
const credentials: Readonly<Record<string, (token: string) => Promise<string>>> = {
  'a password': async (token) => {
    const password = 'another-horse-13';
    expect((await call('PUT', '/auth/v1/user', { password }, token)).status).toBe(200);
    return signIn(supabase(), user.email, password);
  },
  'a first authenticator': async (token) => (await enrollSecondFactor(supabase(), token)).token,
  'a further authenticator': async (token) => {
    await enrollSecondFactor(supabase(), token);
    await age('2 days');
    return (await enrollSecondFactor(supabase(), await growStale())).token;
  },
  'an authenticator that was enrolled days before it is verified': async (token) =>
    (await enrollSecondFactor(supabase(), token, { beforeVerification: () => age('2 days') })).token,
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
  'an account at a provider': async (token) => {
    const person = { email: 'stranger@example.com', sub: crypto.randomUUID() };
    const issued = await call('POST', '/auth/v1/test-provider/google/id_token', person);
    const idToken = { provider: 'google', ...issued };
    const path = '/auth/v1/token?grant_type=id_token';
    await call('POST', path, { ...idToken, link_identity: true }, token);
    return (await call('POST', path, idToken, supabase().anonKey)).access_token ?? '';
  },
  'an email address': async (token) => {
    const next = `next-${user.email}`;
    await call('PUT', '/auth/v1/user', { email: next }, token);
    for (const email of [next, user.email])
      await call('POST', '/auth/v1/verify', { type: 'email_change', email, token: await mailedCode(email) });
    return signInByCode({ email: next }, next);
  },
  'a phone number': async (token) => {
    const phone = `1555${String(Math.floor(Math.random() * 1e8)).padStart(8, '0')}`;
    await call('PUT', '/auth/v1/user', { phone }, token);
    await call('POST', '/auth/v1/verify', { type: 'phone_change', phone, token: await mailedCode(phone) });
    return signInByCode({ phone }, phone);
  },
};

/**
 * The actions that need a recent proof; the last one deletes the account. Creating codes needs a second factor after
 * the proof.
 */
const actions = { export_account_data: [200], create_recovery_codes: [200, 409], delete_account: [204] };
const act = (name: string, token: string) => call('POST', `/rest/v1/rpc/${name}`, {}, token);

describe.each(Object.entries(credentials))('a session that sets %s', (_, set) => {
  it('has no recent proof for a day: it neither exports nor deletes the account nor creates recovery codes', async () => {
    await age('9 days');
    const token = await set(await growStale());
    expect(token).not.toBe('');
    for (const name of Object.keys(actions))
      expect({ name, ...(await act(name, token)) }).toMatchObject({
        name,
        status: 403,
        message: 'reauthentication_needed',
      });
    await age('25 hours');
    for (const [name, statuses] of Object.entries(actions))
      expect(statuses).toContain((await act(name, token)).status);
  });
});

it('a session whose last proof is an hour old neither exports nor deletes the account nor creates recovery codes until a new sign-in', async () => {
  const stale = await growStale();
  for (const name of Object.keys(actions)) expect((await act(name, stale)).status).toBe(403);
  const proven = await signIn(supabase(), user.email, seedPassword);
  const { token } = await enrollSecondFactor(supabase(), proven);
  for (const [name, statuses] of Object.entries(actions))
    expect(statuses).toContain((await act(name, token)).status);
});

it('a password that was set with a mailed code proves its owner at once', async () => {
  await growOld();
  await call('GET', '/auth/v1/reauthenticate');
  const change = { password: 'another-horse-13', nonce: await mailedCode(user.email) };
  expect((await call('PUT', '/auth/v1/user', change)).status).toBe(200);
  expect((await act('delete_account', await signIn(supabase(), user.email, change.password))).status).toBe(
    204,
  );
});

/** The next token of a session that has just used a method. */
async function proveBy(method: string): Promise<string> {
  await supabase().database.query(
    `update auth.mfa_amr_claims set authentication_method = $2, updated_at = now()
     where session_id in (select id from auth.sessions where user_id = $1)`,
    [user.id, method],
  );
  return refresh();
}

it.each([
  ['password', ['password']],
  ['address', ['email/signup', 'email_change', 'invite', 'magiclink', 'otp', 'recovery']],
  ['totp', ['totp']],
  ['phone', ['mfa/phone']],
  ['webauthn', ['mfa/webauthn']],
])('the methods that a %s of today leaves unproven are %j', async (credential, methods) => {
  await age('9 days');
  await supabase().database.query(
    'insert into private.credentials_set (user_id, credential, set_at) values ($1, $2, now())',
    [user.id, credential],
  );
  expect(
    await supabase().database.query(
      'select array(select unnest(private.unproven_methods($1)) order by 1) as methods',
      [user.id],
    ),
  ).toEqual([{ methods }]);
});

it('an account at a provider of today leaves each way of it unproven', async () => {
  await age('9 days');
  await supabase().database.query(
    `insert into auth.identities (user_id, provider, provider_id, identity_data, created_at) values ($1, 'google', gen_random_uuid()::text, '{}', now())`,
    [user.id],
  );
  expect(
    await supabase().database.query('select private.unproven_methods($1) as methods', [user.id]),
  ).toEqual([{ methods: ['oauth', 'sso/saml', 'web3'] }]);
});

it('a password that was set today leaves a mailed code as a proof', async () => {
  await age('9 days');
  expect((await call('PUT', '/auth/v1/user', { password: 'another-horse-13' })).status).toBe(200);
  expect((await act('export_account_data', await proveBy('otp'))).status).toBe(200);
});

it('a proof by the account at a provider is recent although the account’s address was added today', async () => {
  await age('9 days');
  await supabase().database.query('update auth.identities set created_at = now() where user_id = $1', [
    user.id,
  ]);
  expect((await act('export_account_data', await proveBy('oauth'))).status).toBe(200);
});

it('a mailed code that was requested and not used leaves a password unproven', async () => {
  await call('GET', '/auth/v1/reauthenticate');
  const password = 'another-horse-13';
  expect((await call('PUT', '/auth/v1/user', { password })).status).toBe(200);
  expect((await act('delete_account', await signIn(supabase(), user.email, password))).status).toBe(403);
});

it('a recovery code of the auth service is no recent proof: a session alone replaces the codes, at a time that is not stored', async () => {
  await age('9 days');
  const { token } = await enrollSecondFactor(supabase(), await growStale());
  const codes = '/auth/v1/factors/recovery-codes';
  await call('POST', codes, {}, token);
  await age('2 days');
  const stale = await growStale();
  const made = (await call('POST', `${codes}/regenerate`, {}, stale)) as unknown as { codes: string[] };
  const raised = await call('POST', `${codes}/verify`, { code: made.codes[0] }, stale);
  expect(raised.status).toBe(200);
  for (const name of Object.keys(actions))
    expect((await act(name, raised.access_token ?? '')).status).toBe(403);
});

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
