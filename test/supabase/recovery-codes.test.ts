import { beforeEach, expect, it } from 'vitest';
import { runAs } from '../support/database-roles.ts';
import { createUser, requestApi, signIn, useLocalSupabase } from '../support/local-supabase.ts';
import type { TestUser } from '../support/local-supabase.ts';
import { enrollSecondFactor } from '../support/second-factor.ts';

const supabase = useLocalSupabase({ functionSettings: { 'mfa-recovery': { verifyJwt: false } } });

let user: TestUser;
let codes: readonly string[];
/** A session with `aal2`. */
let strong: string;

const rpc = (name: string, token: string, body: unknown = {}) =>
  requestApi(supabase(), `/rest/v1/rpc/${name}`, { method: 'POST', token, body });
const createCodes = async (token: string) =>
  (await (await rpc('create_recovery_codes', token)).json()) as string[];
const recover = (token: string, code: unknown) =>
  requestApi(supabase(), '/functions/v1/mfa-recovery', { method: 'POST', token, body: { code } });
const answerOf = async (response: Response) => [
  response.status,
  ((await response.json()) as { code: string }).code,
];
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

it('recovery codes are used by the function alone', async () => {
  const response = await rpc('use_recovery_code', strong, {
    user_id: user.id,
    session_id: crypto.randomUUID(),
    code: codes[0],
  });
  expect(response.status).toBe(403);
});

it('recovery codes replace earlier ones, which no longer work; a mail tells about it', async () => {
  const [old] = codes;
  await createCodes(strong);
  expect(await answerOf(await recover(user.token, old))).toEqual([403, 'recovery_code_invalid']);
  await supabase().sendDueMails();
  expect(
    supabase()
      .mailbox.messages()
      .filter(({ to }) => to.address === user.email),
  ).toMatchObject([{ subject: 'New recovery codes were created' }]);
});

it('a session without the second factor removes the factors with a code, ends the other sessions and mails it', async () => {
  const weak = await signIn(supabase(), user.email);
  const response = await recover(weak, ` ${codes[3]?.toLowerCase().replaceAll('-', ' ')} `);
  expect([response.status, await response.json()]).toEqual([200, { factors_removed: 1 }]);
  expect(await factors()).toEqual([]);
  expect((await requestApi(supabase(), '/rest/v1/notifications', { token: weak })).status).toBe(200);
  expect((await requestApi(supabase(), '/auth/v1/user', { token: strong })).status).toBe(403);
  expect((await requestApi(supabase(), '/auth/v1/user', { token: weak })).status).toBe(200);
  await supabase().sendDueMails();
  expect(
    supabase()
      .mailbox.messages()
      .filter(({ to }) => to.address === user.email),
  ).toMatchObject([{ subject: 'Two-step sign-in was turned off with a recovery code' }]);
});

it('a session without the second factor uses each code once', async () => {
  const weak = await signIn(supabase(), user.email);
  expect((await recover(weak, codes[0])).status).toBe(200);
  await enrollSecondFactor(supabase(), weak);
  const next = await signIn(supabase(), user.email);
  expect(await answerOf(await recover(next, codes[0]))).toEqual([403, 'recovery_code_invalid']);
  expect((await recover(next, codes[1])).status).toBe(200);
});

it('a session without the second factor uses a code once, however many requests arrive at the same time', async () => {
  const sessions = await Promise.all([1, 2, 3].map(() => signIn(supabase(), user.email)));
  const statuses = await Promise.all(sessions.map(async (token) => (await recover(token, codes[0])).status));
  expect(statuses.filter((status) => status === 200)).toHaveLength(1);
});

it('a session without the second factor is limited to five wrong codes an hour, for right codes too', async () => {
  const weak = await signIn(supabase(), user.email);
  for (let attempt = 0; attempt < 5; attempt += 1)
    expect((await recover(weak, '0000-0000-0000')).status).toBe(403);
  const limited = await recover(weak, codes[0]);
  expect(limited.status).toBe(429);
  expect(Number(limited.headers.get('retry-after'))).toBeGreaterThan(3500);
  expect(await factors()).toHaveLength(1);
  await supabase().database.query(
    `update private.recovery_attempts set started_at = started_at - interval '1 hour' where user_id = $1`,
    [user.id],
  );
  expect((await recover(weak, codes[0])).status).toBe(200);
});

it('a session without the second factor may send the code again after a removal that was interrupted', async () => {
  const weak = await signIn(supabase(), user.email);
  const { session_id: sessionId } = JSON.parse(
    Buffer.from(weak.split('.')[1] ?? '', 'base64url').toString(),
  ) as { session_id: string };
  const use = async () => {
    const [row] = await supabase().database.query<{ used: { outcome: string } }>(
      'select use_recovery_code($1, $2, $3) as used',
      [user.id, sessionId, codes[0]],
    );
    return row?.used.outcome;
  };
  expect(await use()).toBe('accepted');
  expect(await use()).toBe('accepted');
  expect((await recover(weak, codes[0])).status).toBe(200);
  expect(await factors()).toEqual([]);
});

it('a session of another account, or one that has ended, is refused', async () => {
  const stranger = await createUser(supabase(), `stranger-${crypto.randomUUID()}@example.com`);
  expect(await answerOf(await recover(stranger.token, codes[0]))).toEqual([403, 'recovery_code_invalid']);
  const ended = await signIn(supabase(), user.email);
  await requestApi(supabase(), '/auth/v1/logout?scope=local', { method: 'POST', token: ended });
  expect(await answerOf(await recover(ended, codes[0]))).toEqual([401, 'session_invalid']);
  expect(await answerOf(await recover('no.valid.token', codes[0]))).toEqual([401, 'session_invalid']);
  expect(await factors()).toHaveLength(1);
});

it('a session without the second factor is answered 400 where the body has no code, or is too long', async () => {
  for (const code of [undefined, 7, 'x'.repeat(2000)])
    expect((await recover(user.token, code)).status).toBe(400);
});
