import { Secret, TOTP } from 'otpauth';
import { beforeAll, describe, expect, it } from 'vitest';

import {
  freshPhone,
  openAuthWorld,
  password,
  readClaims,
  type ResponseBody,
  type AuthWorld,
} from './auth-world.ts';

let world: AuthWorld;
beforeAll(async () => {
  world = await openAuthWorld();
});

const codeOf = (on: AuthWorld, secret: string, stepsAway = 0): string =>
  new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: on.nowMs() + stepsAway * 30_000 });

interface Enrolled {
  readonly id: string;
  readonly secret: string;
  readonly session: ResponseBody;
}

async function challenge(on: AuthWorld, id: string, token: string): Promise<string> {
  return (await on.post(`/factors/${id}/challenge`, {}, { token })).body.id;
}

/** A user with a session of aal2 and a new TOTP factor. */
async function enrolled(on: AuthWorld = world, signedUp?: ResponseBody): Promise<Enrolled> {
  const { access_token: token } = signedUp ?? (await on.signedUp());
  const { body } = await on.post('/factors', { factor_type: 'totp', friendly_name: 'phone' }, { token });
  const { secret } = body.totp;
  const proof = { challenge_id: await challenge(on, body.id, token), code: codeOf(on, secret) };
  const verified = await on.post(`/factors/${body.id}/verify`, proof, { token });
  expect(verified.status).toBe(200);
  return { id: body.id, secret, session: verified.body };
}

describe('a TOTP factor', () => {
  it('is enrolled with a QR code, a secret and an address for authenticators', async () => {
    const { user, access_token: token } = await world.signedUp();
    const { body } = await world.post(
      '/factors',
      { factor_type: 'totp', friendly_name: 'a', issuer: 'Inbox' },
      { token },
    );
    expect(body).toMatchObject({ type: 'totp', friendly_name: 'a' });
    expect(body.totp.qr_code).toMatch(/^<svg/);
    expect(body.totp.secret).toMatch(/^[A-Z2-7]{32}$/);
    expect(new URL(body.totp.uri)).toMatchObject({ protocol: 'otpauth:', host: 'totp' });
    expect(decodeURIComponent(body.totp.uri)).toContain(`Inbox:${user.email}`);
  });

  it('raises the session to aal2 when it is verified', async () => {
    const { session } = await enrolled();
    expect(readClaims(session.access_token)).toMatchObject({
      aal: 'aal2',
      amr: [{ method: 'totp' }, { method: 'otp' }],
    });
    expect(session.user).toMatchObject({ factors: [{ factor_type: 'totp', status: 'verified' }] });
    const { body } = await world.post('/token?grant_type=refresh_token', {
      refresh_token: session.refresh_token,
    });
    expect(readClaims(body.access_token)['aal']).toBe('aal2');
  });

  it('ends the user’s sessions of aal1', async () => {
    const signedUp = await world.signedUp();
    const other = await world.post('/token?grant_type=password', { email: signedUp.user.email, password });
    await enrolled(world, signedUp);
    expect((await world.get('/user', { token: other.body.access_token })).body.code).toBe(
      'session_not_found',
    );
  });

  it.each([
    [1, 'refresh_token_already_used'],
    [2, 'refresh_token_already_used'],
  ] as const)('revokes the aal1 refresh token of version %s', async (refreshTokenVersion, code) => {
    const on = await openAuthWorld({ refreshTokenVersion, refreshTokenReuseIntervalSeconds: 0 });
    const signedUp = await on.signedUp();
    const { session } = await enrolled(on, signedUp);
    await on.post('/token?grant_type=refresh_token', { refresh_token: session.refresh_token });
    on.advance(1);
    const { body } = await on.post('/token?grant_type=refresh_token', {
      refresh_token: signedUp.refresh_token,
    });
    expect(body.code).toBe(code);
  });

  it('accepts the codes of one step before and after, and no others', async () => {
    const { id, secret, session } = await enrolled();
    const token = session.access_token;
    for (const [steps, status] of [
      [-1, 200],
      [1, 200],
      [2, 422],
    ] as const) {
      const proof = { challenge_id: await challenge(world, id, token), code: codeOf(world, secret, steps) };
      expect((await world.post(`/factors/${id}/verify`, proof, { token })).status).toBe(status);
    }
  });

  it('refuses a replay, another address, an old challenge, a wrong and an empty code', async () => {
    const { id, secret, session } = await enrolled();
    const token = session.access_token;
    const verify = async (body: object, ip = '127.0.0.1') =>
      (await world.post(`/factors/${id}/verify`, body, { token, headers: { 'x-forwarded-for': ip } })).body
        .code;
    const first = { challenge_id: await challenge(world, id, token), code: codeOf(world, secret) };
    expect(await verify(first, '203.0.113.9')).toBe('mfa_ip_address_mismatch');
    expect(await verify({ ...first, code: '' })).toBe('validation_failed');
    expect(await verify({ ...first, code: '12345x' })).toBe('mfa_verification_failed');
    await verify(first);
    expect(await verify(first)).toBe('mfa_ip_address_mismatch');
    const second = await challenge(world, id, token);
    world.advance(301);
    expect(await verify({ challenge_id: second, code: codeOf(world, secret) })).toBe('mfa_challenge_expired');
    expect(await verify({ challenge_id: crypto.randomUUID(), code: '123456' })).toBe('mfa_factor_not_found');
  });

  it('is required for sensitive changes', async () => {
    const { id, session } = await enrolled();
    const { body: low } = await world.post('/token?grant_type=password', {
      email: session.user.email,
      password,
    });
    const token = low.access_token;
    expect(await world.ask('PUT', '/user', { password: 'new password' }, { token })).toMatchObject({
      status: 401,
      body: { code: 'insufficient_aal' },
    });
    const second = await world.post('/factors', { factor_type: 'totp', friendly_name: 'second' }, { token });
    expect(second).toMatchObject({ status: 403, body: { code: 'insufficient_aal' } });
    const removal = await world.ask('DELETE', `/factors/${id}`, undefined, { token });
    expect(removal).toMatchObject({ status: 422, body: { code: 'insufficient_aal' } });
  });

  it('returns its sessions to aal1 when it is removed', async () => {
    const { id, session } = await enrolled();
    const removed = await world.ask('DELETE', `/factors/${id}`, undefined, { token: session.access_token });
    expect(removed).toMatchObject({ status: 200, body: { id } });
    const { body } = await world.post('/token?grant_type=refresh_token', {
      refresh_token: session.refresh_token,
    });
    expect(readClaims(body.access_token)).toMatchObject({ aal: 'aal1', amr: [{ method: 'otp' }] });
  });

  it('is required within a time limit when the project sets one', async () => {
    const on = await openAuthWorld({ sessionLowAalSeconds: 600 });
    const { session } = await enrolled(on);
    const { body: low } = await on.post('/token?grant_type=password', {
      email: session.user.email,
      password,
    });
    expect(low.expires_in).toBe(600);
    on.advance(601);
    const refresh = async (token: string) =>
      on.post('/token?grant_type=refresh_token', { refresh_token: token });
    expect((await refresh(low.refresh_token)).body).toEqual({
      code: 'session_expired',
      message: 'Invalid Refresh Token: Session Expired (Low AAL: User Needs MFA Verification)',
    });
    expect((await refresh(session.refresh_token)).status).toBe(200);
  });

  it('needs a unique name and a permanent user', async () => {
    const { access_token: token } = await world.signedUp();
    const enroll = async (as: string) =>
      world.post('/factors', { factor_type: 'totp', friendly_name: 'x' }, { token: as });
    await enroll(token);
    expect((await enroll(token)).body.code).toBe('mfa_factor_name_conflict');
    const { body: guest } = await world.post('/signup', {});
    expect((await enroll(guest.access_token)).body.code).toBe('no_authorization');
  });

  it('is refused above ten factors', async () => {
    const few = await openAuthWorld({ maxEnrolledFactors: 2 });
    const { access_token: token } = await few.signedUp();
    const codes = [];
    for (const name of ['a', 'b', 'c'])
      codes.push(
        (await few.post('/factors', { factor_type: 'totp', friendly_name: name }, { token })).body.code,
      );
    expect(codes).toEqual([undefined, undefined, 'too_many_enrolled_mfa_factors']);
  });

  it('a TOTP factor of another user is not found', async () => {
    const { id } = await enrolled();
    const { access_token: token } = await world.signedUp();
    expect(await world.post(`/factors/${id}/challenge`, {}, { token })).toMatchObject({
      status: 404,
      body: { code: 'mfa_factor_not_found' },
    });
  });

  it('is refused when the project turns it off', async () => {
    const off = await openAuthWorld({ totpEnrollEnabled: false });
    const { access_token: token } = await off.signedUp();
    expect((await off.post('/factors', { factor_type: 'totp' }, { token })).body.code).toBe(
      'mfa_totp_enroll_not_enabled',
    );
  });
});

describe('a phone factor', () => {
  it('is verified by a text message', async () => {
    const { access_token: token } = await world.signedUp();
    const phone = freshPhone();
    const { body } = await world.post(
      '/factors',
      { factor_type: 'phone', friendly_name: 'p', phone },
      { token },
    );
    expect(body).toMatchObject({ type: 'phone', phone });
    const challengeId = await challenge(world, body.id, token);
    const wrong = await world.post(
      `/factors/${body.id}/verify`,
      { challenge_id: challengeId, code: '1' },
      { token },
    );
    expect(wrong.body.code).toBe('mfa_verification_failed');
    const proof = { challenge_id: challengeId, code: world.codeTo(phone) };
    const verified = await world.post(`/factors/${body.id}/verify`, proof, { token });
    expect(readClaims(verified.body.access_token)).toMatchObject({
      aal: 'aal2',
      amr: [{ method: 'mfa/phone' }, {}],
    });
    const again = await world.post(
      '/factors',
      { factor_type: 'phone', friendly_name: 'q', phone },
      {
        token: verified.body.access_token,
      },
    );
    expect(again.body.code).toBe('mfa_verified_factor_exists');
  });
});
