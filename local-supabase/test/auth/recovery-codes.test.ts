import { Secret, TOTP } from 'otpauth';
import { beforeAll, expect, it } from 'vitest';
import { openAuthWorld, password, readClaims, type AuthWorld } from './auth-world.ts';

const PATH = '/factors/recovery-codes';

let world: AuthWorld;
beforeAll(async () => {
  world = await openAuthWorld();
});

/** A user with a TOTP factor, a session of aal2 and, on request, recovery codes and a session of aal1. */
async function createOwner(on: AuthWorld = world) {
  const { user, access_token: first } = await on.signedUp();
  const { body: app } = await on.post(
    '/factors',
    { factor_type: 'totp', friendly_name: 'app' },
    { token: first },
  );
  const { body: challenge } = await on.post(`/factors/${app.id}/challenge`, {}, { token: first });
  const code = new TOTP({ secret: Secret.fromBase32(app.totp.secret) }).generate({ timestamp: on.nowMs() });
  const proof = { challenge_id: challenge.id, code };
  const { body } = await on.post(`/factors/${app.id}/verify`, proof, { token: first });
  const high = { token: body.access_token };
  const signIn = async () => {
    const low = await on.post('/token?grant_type=password', { email: user.email, password });
    return { token: low.body.access_token };
  };
  return { user, appId: app.id, high, signIn };
}

async function createCodes(on: AuthWorld = world) {
  const owner = await createOwner(on);
  const { body } = await on.post(PATH, undefined, owner.high);
  return { ...owner, id: body.id, codes: body.codes, low: await owner.signIn() };
}

const outcomeOf = async (request: ReturnType<AuthWorld['post']>) => {
  const { status, body } = await request;
  return [status, body.code, body.message];
};

it('recovery codes are generated once, also without a body, and are counted', async () => {
  const { high } = await createOwner();
  expect(await outcomeOf(world.get(PATH, high))).toEqual([
    404,
    'mfa_factor_not_found',
    'The user has not enrolled recovery codes',
  ]);
  const { status, body } = await world.post(PATH, { friendly_name: '  ' }, high);
  expect({ status, ...body }).toMatchObject({
    status: 200,
    type: 'recovery_code',
    friendly_name: 'Recovery codes',
    total: 10,
    codes: Array(10).fill(expect.stringMatching(/^[a-z2-7]{16}$/)),
  });
  expect((await world.get(PATH, high)).body).toEqual({
    id: body.id,
    type: 'recovery_code',
    total: 10,
    remaining: 10,
  });
  expect(await outcomeOf(world.post(PATH, undefined, high))).toEqual([
    422,
    'mfa_verified_factor_exists',
    'Recovery codes are already enrolled for this user, use regenerate to rotate them',
  ]);
});

it('recovery codes need an unused name, another factor and a session of aal2', async () => {
  const { high, signIn } = await createOwner();
  expect((await world.post(PATH, { friendly_name: 'app' }, high)).body.code).toBe('mfa_factor_name_conflict');
  const low = await signIn();
  expect(await outcomeOf(world.post(PATH, undefined, low))).toEqual([
    403,
    'insufficient_aal',
    'AAL2 required to generate recovery codes',
  ]);
  const { access_token: token } = await world.signedUp();
  expect((await world.post(`${PATH}/regenerate`, undefined, { token })).body.message).toBe(
    'AAL2 required to regenerate recovery codes',
  );
});

it('recovery codes raise a session to aal2, however they are typed, and end the sessions of aal1', async () => {
  const { codes, low, signIn } = await createCodes();
  const other = await signIn();
  const typed = ` ${codes[0]?.toUpperCase().replace(/^(.{4})/, '$1- ')} `;
  const { status, body } = await world.post(`${PATH}/verify`, { code: typed }, low);
  expect(status).toBe(200);
  expect(readClaims(body.access_token)).toMatchObject({
    aal: 'aal2',
    amr: expect.arrayContaining([expect.objectContaining({ method: 'mfa/recovery_code' })]),
  });
  expect((await world.get('/user', other)).body.code).toBe('session_not_found');
});

it('recovery codes are refused alike when wrong, used or missing, and without a count when empty', async () => {
  const { codes, low } = await createCodes();
  const verify = (code: string, options = low) => outcomeOf(world.post(`${PATH}/verify`, { code }, options));
  const refused = [422, 'mfa_verification_failed', 'Invalid recovery code entered'];
  await world.post(`${PATH}/verify`, { code: codes[0] }, low);
  expect(await verify(codes[0] ?? '')).toEqual(refused);
  expect(await verify('aaaaaaaaaaaaaaaa')).toEqual(refused);
  const { access_token: token } = await world.signedUp();
  expect(await verify('aaaaaaaaaaaaaaaa', { token })).toEqual(refused);
  expect(await verify(' -- - ')).toEqual([400, 'validation_failed', 'Code needs to be non-empty']);
});

it('recovery codes are locked for a quarter of an hour after five wrong ones, and unlocked by new ones', async () => {
  const { user, codes, high, low } = await createCodes();
  const verify = (code = '') => outcomeOf(world.post(`${PATH}/verify`, { code }, low));
  for (let count = 0; count < 5; count += 1) expect((await verify('wrong'))[0]).toBe(422);
  const locked = [429, 'mfa_recovery_codes_locked', 'Too many failed verification attempts, try again later'];
  expect(await verify(codes[0])).toEqual(locked);
  const sets = () =>
    world.database.query('select * from auth.mfa_recovery_code_sets where user_id = $1', [user.id]);
  expect(await sets()).toMatchObject([
    { failed_verification_count: 5, verification_locked_until: new Date(world.nowMs() + 15 * 60_000) },
  ]);
  world.advance(15 * 60 + 1);
  expect((await verify('wrong'))[0]).toBe(422);
  expect(await sets()).toMatchObject([{ failed_verification_count: 1, verification_locked_until: null }]);
  for (let count = 0; count < 4; count += 1) await verify('wrong');
  expect(await verify(codes[0])).toEqual(locked);
  const { body } = await world.post(`${PATH}/regenerate`, undefined, high);
  expect((await verify(body.codes[0]))[0]).toBe(200);
});

it('recovery codes are reported to the hook before they are used', async () => {
  const on = await openAuthWorld({
    hooks: { mfa_verification_attempt: { uri: 'pg-functions://postgres/public/refuse_codes' } },
  });
  await on.database.exec(`
    create or replace function public.refuse_codes(event jsonb) returns jsonb language sql as $$
      select case event ->> 'factor_type' when 'recovery_code'
        then jsonb_build_object('decision', 'reject', 'message', 'No codes: ' || (event ->> 'valid'))
        else '{"decision": "continue"}'::jsonb end $$`);
  const { user, codes, low } = await createCodes(on);
  expect(await outcomeOf(on.post(`${PATH}/verify`, { code: codes[0] }, low))).toEqual([
    403,
    'mfa_verification_rejected',
    'No codes: true',
  ]);
  const unused = await on.database.query(
    `select from auth.mfa_recovery_codes c join auth.mfa_recovery_code_sets s on s.id = c.mfa_recovery_code_set_id
     where s.user_id = $1 and consumed_at is null`,
    [user.id],
  );
  expect(unused).toHaveLength(10);
  expect((await on.get('/user', low)).body.code).toBe('session_not_found');
});

it('recovery codes prevent the removal of the last other factor, and are deleted only by their own endpoint', async () => {
  const { id, appId, high, codes, low } = await createCodes();
  expect(await outcomeOf(world.ask('DELETE', `/factors/${id}`, undefined, low))).toEqual([
    422,
    'validation_failed',
    'Recovery codes cannot be unenrolled with this endpoint, use DELETE /factors/recovery-codes',
  ]);
  expect((await world.ask('DELETE', `/factors/${appId}`, undefined, high)).body.message).toBe(
    'Recovery codes cannot be the only verified factor. Please enroll another factor before unenrolling this one or delete your recovery codes.',
  );
  const { body: raised } = await world.post(`${PATH}/verify`, { code: codes[0] }, low);
  expect((await world.ask('DELETE', PATH, undefined, high)).body).toEqual({ id });
  const { body } = await world.post('/token?grant_type=refresh_token', {
    refresh_token: raised.refresh_token,
  });
  expect(readClaims(body.access_token)['aal']).toBe('aal1');
});

it('recovery codes leave their changes in the audit log', async () => {
  const { user, codes, high, low } = await createCodes();
  await world.post(`${PATH}/verify`, { code: 'wrong' }, low);
  await world.post(`${PATH}/verify`, { code: codes[0] }, low);
  await world.post(`${PATH}/regenerate`, undefined, high);
  await world.ask('DELETE', PATH, undefined, high);
  const rows = await world.database.query<{ action: string; type: string; count: string | null }>(
    `select payload ->> 'action' as action, payload ->> 'log_type' as type,
       coalesce(payload #>> '{traits,count}', payload #>> '{traits,remaining}') as count
     from auth.audit_log_entries where payload ->> 'actor_id' = $1 and payload ->> 'action' like 'recovery%'
     order by created_at`,
    [user.id],
  );
  expect(rows).toEqual([
    { action: 'recovery_codes_generated', type: 'factor', count: '10' },
    { action: 'recovery_codes_verified', type: 'factor', count: '9' },
    { action: 'recovery_codes_regenerated', type: 'factor', count: '10' },
    { action: 'recovery_codes_deleted', type: 'factor', count: null },
  ]);
});
