import { decodeJwt } from 'jose';
import { beforeEach, describe, expect, it } from 'vitest';
import { runAs } from '../support/database-roles.ts';
import { createUser, requestApi, seedPassword, signIn, useLocalSupabase } from '../support/local-supabase.ts';
import type { TestUser } from '../support/local-supabase.ts';
import { enrollSecondFactor } from '../support/second-factor.ts';

const supabase = useLocalSupabase();

let user: TestUser;
let codes: readonly string[];
/** A session with `aal2`. */
let strong: string;

const rpc = (name: string, token: string, body: unknown = {}) =>
  requestApi(supabase(), `/rest/v1/rpc/${name}`, { method: 'POST', token, body });
const createCodes = async (token: string) =>
  (await (await rpc('create_recovery_codes', token)).json()) as string[];
const recover = async (token: string, code: unknown) => {
  const response = await rpc('use_recovery_code', token, { code });
  return (await response.json()) as {
    outcome?: string;
    unused?: number;
    retry_after_seconds?: number;
    message?: string;
  };
};
const factors = () => supabase().database.query('select from auth.mfa_factors where user_id = $1', [user.id]);

beforeEach(async () => {
  user = await createUser(supabase(), `lost-${crypto.randomUUID()}@example.com`);
  strong = (await enrollSecondFactor(supabase(), user.token)).token;
  codes = await createCodes(strong);
});

it('recovery codes are ten different ones of 60 bits, kept as salted hashes', async () => {
  expect(new Set(codes).size).toBe(10);
  for (const code of codes) expect(code).toMatch(/^([0-9A-HJKMNP-TV-Z]{4}-){2}[0-9A-HJKMNP-TV-Z]{4}$/);
  const rows = await supabase().database.query<{ code_hash: string }>(
    'select code_hash from private.recovery_codes where user_id = $1',
    [user.id],
  );
  expect(rows).toHaveLength(10);
  for (const { code_hash: hash } of rows) expect(hash).toMatch(/^\$2a\$06\$/);
  expect(JSON.stringify(rows)).not.toContain(codes[0]);
});

it('recovery codes need a verified factor, and a proof of the last ten minutes', async () => {
  const other = await createUser(supabase(), `none-${crypto.randomUUID()}@example.com`);
  expect(await (await rpc('create_recovery_codes', other.token)).json()).toMatchObject({
    message: 'second_factor_missing',
  });
  const oldProof = { method: 'totp', timestamp: Math.floor(Date.now() / 1000) - 601 };
  await expect(
    runAs(
      supabase().database,
      { role: 'authenticated', userId: user.id, claims: { aal: 'aal2', amr: [oldProof] } },
      (sql) => sql.query('select create_recovery_codes()'),
    ),
  ).rejects.toMatchObject({ code: 'PT403', message: 'reauthentication_needed' });
});

it('recovery codes are neither created nor counted with the password alone', async () => {
  const weak = await signIn(supabase(), user.email);
  for (const name of ['create_recovery_codes', 'recovery_code_status'])
    expect(await (await rpc(name, weak)).json()).toMatchObject({ message: 'insufficient_aal' });
});

it('the status counts the unused codes of its account alone', async () => {
  const other = await createUser(supabase(), `other-${crypto.randomUUID()}@example.com`);
  await createCodes((await enrollSecondFactor(supabase(), other.token)).token);
  await recover(strong, codes[0]);
  expect(await (await rpc('recovery_code_status', strong)).json()).toEqual({
    unused: 9,
    created_at: expect.any(String),
  });
});

it('recovery codes replace earlier ones, which no longer work; a mail reports it', async () => {
  const [old] = codes;
  await createCodes(strong);
  expect(await recover(strong, old)).toEqual({ outcome: 'invalid' });
  await supabase().sendDueMails();
  expect(
    supabase()
      .mailbox.messages()
      .filter(({ to }) => to.address === user.email),
  ).toMatchObject([{ subject: 'New recovery codes were created' }]);
});

/** A sign-in by password alone, and the next token of its session. */
async function signInWeakly() {
  const grant = (type: string, body: object) =>
    requestApi(supabase(), `/auth/v1/token?grant_type=${type}`, { method: 'POST', body });
  const session = (await (await grant('password', { email: user.email, password: seedPassword })).json()) as {
    access_token: string;
    refresh_token: string;
  };
  return {
    token: session.access_token,
    async refresh() {
      const response = await grant('refresh_token', { refresh_token: session.refresh_token });
      return ((await response.json()) as { access_token: string }).access_token;
    },
  };
}

const readRows = async (token: string) =>
  (await (await requestApi(supabase(), '/rest/v1/notification_preferences', { token })).json()) as unknown[];

it('a session without the second factor uses a code in its place, keeps the factors, and a mail reports it', async () => {
  await supabase().database.query('insert into notification_preferences (user_id) values ($1)', [user.id]);
  const { token, refresh } = await signInWeakly();
  expect(await readRows(token)).toEqual([]);
  const response = await recover(token, ` ${codes[3]?.toLowerCase().replaceAll('-', ' ')} `);
  expect(response).toEqual({ outcome: 'accepted', unused: 9 });
  const raised = await refresh();
  expect(decodeJwt(raised)).toMatchObject({ aal: 'aal2' });
  expect(await readRows(raised)).toHaveLength(1);
  expect(await factors()).toHaveLength(1);
  expect((await requestApi(supabase(), '/auth/v1/user', { token: strong })).status).toBe(200);
  expect(await readRows(await (await signInWeakly()).refresh())).toEqual([]);
  await supabase().sendDueMails();
  expect(
    supabase()
      .mailbox.messages()
      .filter(({ to }) => to.address === user.email),
  ).toMatchObject([{ subject: 'A recovery code was used to sign in' }]);
});

it('a session raised by a recovery code removes the lost factor, and returns to aal1', async () => {
  const { token, refresh } = await signInWeakly();
  await recover(token, codes[0]);
  const raised = await refresh();
  const [factor] = await supabase().database.query<{ id: string }>(
    'select id from auth.mfa_factors where user_id = $1',
    [user.id],
  );
  const remove = (by: string) =>
    requestApi(supabase(), `/auth/v1/factors/${factor?.id}`, { method: 'DELETE', token: by });
  expect((await remove(await (await signInWeakly()).refresh())).status).toBe(422);
  expect((await remove(raised)).status).toBe(200);
  const [session] = await supabase().database.query<{ aal: string }>(
    'select aal from auth.sessions where id = $1',
    [decodeJwt(raised)['session_id']],
  );
  expect(session).toEqual({ aal: 'aal1' });
});

it('a session without the second factor uses each code once', async () => {
  expect((await recover((await signInWeakly()).token, codes[0])).outcome).toBe('accepted');
  const next = await signInWeakly();
  expect((await recover(next.token, codes[0])).outcome).toBe('invalid');
  expect((await recover(next.token, codes[1])).outcome).toBe('accepted');
});

it('a session without the second factor uses a code once, however many requests arrive at the same time', async () => {
  const sessions = await Promise.all([1, 2, 3].map(() => signIn(supabase(), user.email)));
  const outcomes = await Promise.all(sessions.map(async (token) => (await recover(token, codes[0])).outcome));
  expect(outcomes.filter((outcome) => outcome === 'accepted')).toHaveLength(1);
});

/** Moves the hour of the wrong codes into the past. */
const moveAttempts = (minutes: number) =>
  supabase().database.query(
    'update private.recovery_attempts set started_at = started_at - make_interval(mins => $2) where user_id = $1',
    [user.id, minutes],
  );

it('a session without the second factor has five wrong codes an hour, after which right codes are refused too', async () => {
  const weak = await signIn(supabase(), user.email);
  for (const code of [null, '', 'x'.repeat(2000), '0000-0000-0000', '0000-0000-0000'])
    expect((await recover(weak, code)).outcome).toBe('invalid');
  const limited = await recover(weak, codes[0]);
  expect(limited.outcome).toBe('limited');
  expect(limited.retry_after_seconds).toBeGreaterThan(3500);
  await moveAttempts(60);
  expect((await recover(weak, codes[0])).outcome).toBe('accepted');
});

it('the hour of the limit begins with its first wrong code, and ends with the next hour’s first', async () => {
  const weak = await signIn(supabase(), user.email);
  const failFiveTimes = async (afterFirst: () => Promise<unknown>) => {
    for (let failures = 0; failures < 5; failures += 1) {
      expect((await recover(weak, 'wrong')).outcome).toBe('invalid');
      if (failures === 0) await afterFirst();
    }
    return recover(weak, codes[0]);
  };
  const limited = await failFiveTimes(() => moveAttempts(30));
  expect(limited).toEqual({ outcome: 'limited', retry_after_seconds: expect.closeTo(1790, -2) });
  await moveAttempts(31);
  expect(await failFiveTimes(() => moveAttempts(0))).toMatchObject({ outcome: 'limited' });
});

it('a session without the second factor may send the code again when its response was lost', async () => {
  const weak = await signIn(supabase(), user.email);
  expect(await recover(weak, codes[0])).toEqual({ outcome: 'accepted', unused: 9 });
  expect(await recover(weak, codes[0])).toEqual({ outcome: 'accepted', unused: 9 });
  await supabase().sendDueMails();
  expect(
    supabase()
      .mailbox.messages()
      .filter(({ to }) => to.address === user.email),
  ).toHaveLength(1);
});

it('a session sends its code again for ten minutes only', async () => {
  const weak = await signIn(supabase(), user.email);
  const useAgainAfter = async (minutes: number) => {
    await supabase().database.query(
      'update private.recovery_codes set used_at = now() - make_interval(mins => $2) where user_id = $1 and used_at is not null',
      [user.id, minutes],
    );
    return (await recover(weak, codes[0])).outcome;
  };
  await recover(weak, codes[0]);
  expect([await useAgainAfter(9), await useAgainAfter(11)]).toEqual(['accepted', 'invalid']);
});

it('a code may be typed with letters that look like its digits', async () => {
  const weak = await signIn(supabase(), user.email);
  await supabase().database.query(
    `update private.recovery_codes set code_hash = extensions.crypt('011ABCDEFGHJ', extensions.gen_salt('bf', 4))
     where id = (select id from private.recovery_codes where user_id = $1 limit 1)`,
    [user.id],
  );
  expect((await recover(weak, 'oil_abcd efgh-j')).outcome).toBe('accepted');
});

it.each([
  [
    'a phone alone',
    `set factor_type = 'phone', phone = '15550001111'`,
    'accepted',
    ['mfa/phone', 'password'],
  ],
  ['no verified factor', `set status = 'unverified'`, 'no_factor', ['password']],
])('a code takes the place of the factor: %s', async (_, change, outcome, methods) => {
  const { database } = supabase();
  const weak = await signIn(supabase(), user.email);
  await database.query(`update auth.mfa_factors ${change} where user_id = $1`, [user.id]);
  expect((await recover(weak, codes[0])).outcome).toBe(outcome);
  expect(
    await database.query(
      `select array(select authentication_method from auth.mfa_amr_claims where session_id = $1 order by 1) as methods`,
      [decodeJwt(weak)['session_id']],
    ),
  ).toEqual([{ methods }]);
});

it('a recovery code raises its session alone, and changes nothing of another account', async () => {
  const { database } = supabase();
  const other = await createUser(supabase(), `other-${crypto.randomUUID()}@example.com`);
  const strongOther = (await enrollSecondFactor(supabase(), other.token)).token;
  await createCodes(strongOther);
  await recover(strongOther, 'wrong');
  const weak = await signIn(supabase(), user.email);
  const levels = () =>
    database.query(
      `select s.aal, s.user_id = $1 as is_own, (select count(*)::int from auth.mfa_amr_claims a where a.session_id = s.id) as methods
       from auth.sessions s where s.user_id in ($1, $2) and s.id <> $3 order by s.user_id = $1, s.created_at`,
      [user.id, other.id, decodeJwt(weak)['session_id']],
    );
  const before = await levels();
  await recover(weak, 'wrong');
  expect(await recover(weak, codes[0])).toEqual({ outcome: 'accepted', unused: 9 });
  expect(await levels()).toEqual(before);
  expect(await (await rpc('recovery_code_status', strongOther)).json()).toMatchObject({ unused: 10 });
  expect(
    await database.query(
      'select user_id, failures from private.recovery_attempts where user_id in ($1, $2)',
      [user.id, other.id],
    ),
  ).toEqual([{ user_id: other.id, failures: 1 }]);
  await createCodes(strong);
  expect(await (await rpc('recovery_code_status', strongOther)).json()).toMatchObject({ unused: 10 });
});

it('a session of another account, or one that has ended, is refused', async () => {
  const stranger = await createUser(supabase(), `stranger-${crypto.randomUUID()}@example.com`);
  expect((await recover(stranger.token, codes[0])).outcome).toBe('invalid');
  const ended = await signIn(supabase(), user.email);
  await requestApi(supabase(), '/auth/v1/logout?scope=local', { method: 'POST', token: ended });
  expect((await recover(ended, codes[0])).message).toBe('session_ended');
});

describe('recovery codes of the auth service', () => {
  const service = (path: string, token: string, body: unknown = {}) =>
    requestApi(supabase(), `/auth/v1/factors/recovery-codes${path}`, { method: 'POST', token, body });
  const eventsOf = () =>
    supabase().database.query<{ kind: string }>(
      `select kind from private.security_events where user_id = $1 and kind like 'recovery%' order by created_at`,
      [user.id],
    );

  it('end those of the database, and notify the owner', async () => {
    expect((await service('', strong)).status).toBe(200);
    const weak = await signIn(supabase(), user.email);
    expect(await recover(weak, codes[0])).toEqual({ outcome: 'invalid' });
    expect(await (await rpc('recovery_code_status', strong)).json()).toBeNull();
    expect(await eventsOf()).toEqual([{ kind: 'recovery_codes_created' }]);
  });

  it('raise a session, and mail their use', async () => {
    const { codes: own } = (await (await service('', strong)).json()) as { codes: string[] };
    const weak = await signIn(supabase(), user.email);
    const raised = (await (await service('/verify', weak, { code: own[0] })).json()) as {
      access_token: string;
    };
    expect(decodeJwt(raised.access_token)).toMatchObject({ aal: 'aal2' });
    expect((await eventsOf()).map(({ kind }) => kind)).toEqual([
      'recovery_codes_created',
      'recovery_code_used',
    ]);
  });
});

it('the owner of a factor renames it, to a name of limited length that no other factor has', async () => {
  const { database } = supabase();
  const [phone] = await database.query<{ id: string }>('select id from auth.mfa_factors where user_id = $1', [
    user.id,
  ]);
  const rename = async (factorId: string | undefined, name: string, token = strong) => {
    const response = await rpc('rename_factor', token, { factor_id: factorId, name });
    return response.ok ? response.status : ((await response.json()) as { message: string }).message;
  };
  expect(await rename(phone?.id, ` Work\u0007 phone${'e'.repeat(90)}`)).toBe(204);
  const [named] = await database.query<{ friendly_name: string }>(
    'select friendly_name from auth.mfa_factors where id = $1',
    [phone?.id],
  );
  expect(named?.friendly_name).toMatch(/^Work phonee{70}$/);
  expect(await rename(phone?.id, ' \n ')).toBe('name_invalid');

  const { factorId } = await enrollSecondFactor(supabase(), strong);
  expect(await rename(factorId, named?.friendly_name ?? '')).toBe('name_taken');
  const stranger = await createUser(supabase(), `stranger-${crypto.randomUUID()}@example.com`);
  expect(await rename(factorId, 'Mine', stranger.token)).toBe('factor_not_found');
});
