import { createHash } from 'node:crypto';

import { SignJWT, decodeProtectedHeader, importJWK, type JWTHeaderParameters } from 'jose';
import { beforeAll, describe, expect, it } from 'vitest';

import {
  createVerifier,
  freshEmail,
  openAuthWorld,
  password,
  readClaims,
  type AuthWorld,
} from './auth-world.ts';

it('the password grant takes as long for an unknown address as it takes to compare a password', async () => {
  const world = await openAuthWorld({ bcryptCost: 9 });
  const startedMs = performance.now();
  const { status } = await world.post('/token?grant_type=password', { email: freshEmail(), password });
  expect(status).toBe(400);
  // Without bcrypt a rejection takes a few milliseconds; with this cost no machine needs less than 50.
  expect(performance.now() - startedMs).toBeGreaterThan(50);
});

describe('the password grant', () => {
  let world: AuthWorld;
  beforeAll(async () => {
    world = await openAuthWorld({ passwordMinLength: 6 });
  });

  it('returns a session with a token that has the claims of the real service', async () => {
    const { user } = await world.signedUp();
    const { body, headers } = await world.post('/token?grant_type=password', { email: user.email, password });
    const now = Math.floor(world.nowMs() / 1000);
    expect(body).toMatchObject({
      token_type: 'bearer',
      expires_in: 3600,
      expires_at: now + 3600,
      weak_password: null,
    });
    expect(body.refresh_token).toMatch(/^[a-z0-9]{12}$/);
    expect(headers.get('sb-auth-user-id')).toBe(user.id);
    const claims = readClaims(body.access_token);
    expect(claims).toMatchObject({
      iss: 'http://project.test/auth/v1',
      sub: user.id,
      aud: 'authenticated',
      role: 'authenticated',
      email: user.email,
      phone: '',
      iat: now,
      exp: now + 3600,
      aal: 'aal1',
      amr: [{ method: 'password', timestamp: now }],
      is_anonymous: false,
      app_metadata: { provider: 'email', providers: ['email'] },
    });
    expect(await world.keys.verify(body.access_token)).toMatchObject({ ok: true });
  });

  it.each([
    [{ password: 'wrong password' }, 'invalid_credentials', 'Invalid login credentials'],
    [{ email: 'unknown@example.com' }, 'invalid_credentials', 'Invalid login credentials'],
    [
      { phone: '15550001' },
      'validation_failed',
      'Only an email address or phone number should be provided on login.',
    ],
    [{ email: '' }, 'validation_failed', 'missing email or phone'],
  ])('refuses %j', async (change, code, message) => {
    const { user } = await world.signedUp();
    const response = await world.post('/token?grant_type=password', {
      email: user.email,
      password,
      ...change,
    });
    expect(response).toMatchObject({ status: 400, body: { code, message } });
  });

  it('refuses an address that is not confirmed', async () => {
    const email = freshEmail();
    await world.post('/signup', { email, password });
    expect(await world.post('/token?grant_type=password', { email, password })).toMatchObject({
      status: 400,
      body: { code: 'email_not_confirmed', message: 'Email not confirmed' },
    });
  });

  it('accepts a password that has become too weak, and reports the weakness', async () => {
    const { user } = await world.signedUp();
    const strict = await openAuthWorld({ passwordMinLength: 40 });
    const { body } = await strict.post('/token?grant_type=password', { email: user.email, password });
    expect(body).toMatchObject({ weak_password: { reasons: ['length'] }, user: { id: user.id } });
  });

  it('accepts a hash made by pgcrypto in a seed', async () => {
    const email = freshEmail();
    const id = crypto.randomUUID();
    await world.database.query(
      `insert into auth.users (instance_id, id, aud, role, email, encrypted_password, email_confirmed_at,
         raw_app_meta_data, raw_user_meta_data, created_at, updated_at, confirmation_token, recovery_token,
         email_change_token_new, email_change)
       values ('00000000-0000-0000-0000-000000000000', $1, 'authenticated', 'authenticated', $2,
         extensions.crypt('seeded password', extensions.gen_salt('bf', 4)), now(), '{}', '{}', now(), now(), '', '', '', '')`,
      [id, email],
    );
    const { status, body } = await world.post('/token?grant_type=password', {
      email,
      password: 'seeded password',
    });
    expect(status).toBe(200);
    expect(body.user.id).toBe(id);
  });

  it('requires a kid in tokens of the key set, and accepts any kid in legacy tokens', async () => {
    const { access_token: issued } = await world.signedUp();
    const claims = readClaims(issued);
    const { kid = '' } = decodeProtectedHeader(issued);
    const [saved = {}] = (await world.keys.export()).keys;
    const signAs = async (header: JWTHeaderParameters, key: Parameters<SignJWT['sign']>[0]) =>
      new SignJWT(claims).setProtectedHeader(header).sign(key);
    const withoutKid = await signAs({ alg: 'ES256' }, await importJWK(saved, 'ES256'));
    expect(await world.get('/user', { token: withoutKid })).toMatchObject({
      status: 403,
      body: { code: 'bad_jwt' },
    });
    const secret = new TextEncoder().encode('super-secret-jwt-token-with-at-least-32-characters-long');
    const legacy = await signAs({ alg: 'HS256', kid }, secret);
    expect((await world.get('/user', { token: legacy })).status).toBe(200);
  });

  it('refuses an unknown grant', async () => {
    expect(await world.post('/token?grant_type=magic')).toMatchObject({
      status: 400,
      body: { code: 'invalid_credentials', message: 'unsupported_grant_type' },
    });
  });
});

const refresh = async (world: AuthWorld, token: string) =>
  world.post('/token?grant_type=refresh_token', { refresh_token: token });

describe('refresh tokens of version 1', () => {
  let world: AuthWorld;
  beforeAll(async () => {
    world = await openAuthWorld();
  });

  it('rotate at every use and keep the session', async () => {
    const first = await world.signedUp();
    world.advance(60);
    const { body } = await refresh(world, first.refresh_token);
    expect(body.refresh_token).toMatch(/^[a-z0-9]{12}$/);
    expect(body.refresh_token).not.toBe(first.refresh_token);
    expect(readClaims(body.access_token)['session_id']).toBe(readClaims(first.access_token)['session_id']);
  });

  it('return the active successor again after a lost response, at any later time', async () => {
    const first = await world.signedUp();
    const second = await refresh(world, first.refresh_token);
    world.advance(3600);
    const again = await refresh(world, first.refresh_token);
    expect(again.body.refresh_token).toBe(second.body.refresh_token);
  });

  it('revoke the family when an older token is reused after the interval', async () => {
    const first = await world.signedUp();
    const second = await refresh(world, first.refresh_token);
    const third = await refresh(world, second.body.refresh_token);
    world.advance(11);
    expect(await refresh(world, first.refresh_token)).toMatchObject({
      status: 400,
      body: { code: 'refresh_token_already_used', message: 'Invalid Refresh Token: Already Used' },
    });
    world.advance(11);
    expect((await refresh(world, third.body.refresh_token)).body.code).toBe('refresh_token_already_used');
  });

  it('may be used again within the interval', async () => {
    const first = await world.signedUp();
    const second = await refresh(world, first.refresh_token);
    await refresh(world, second.body.refresh_token);
    world.advance(9);
    expect((await refresh(world, first.refresh_token)).status).toBe(200);
  });

  it('give fifty concurrent requests the same successor', async () => {
    const { refresh_token: token } = await world.signedUp();
    const responses = await Promise.all(Array.from({ length: 50 }, async () => refresh(world, token)));
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200]));
    expect(new Set(responses.map(({ body }) => body.refresh_token)).size).toBe(1);
  });

  it.each([
    ['short', 'validation_failed', 'Refresh token is not valid'],
    ['ABCDEFGHIJKL', 'validation_failed', 'Refresh token is not valid'],
    ['not-a-token-at-all', 'validation_failed', 'Refresh token is not valid'],
    ['abcdefghijkl', 'refresh_token_not_found', 'Invalid Refresh Token: Refresh Token Not Found'],
  ])('are refused when they are %s', async (token, code, message) => {
    expect(await refresh(world, token)).toMatchObject({ status: 400, body: { code, message } });
  });
});

describe('refresh tokens of version 2', () => {
  let world: AuthWorld;
  beforeAll(async () => {
    world = await openAuthWorld({ refreshTokenVersion: 2 });
  });

  it('contain version, session, counter, signature and checksum', async () => {
    const { refresh_token: token, access_token: accessToken } = await world.signedUp();
    const { body } = await refresh(world, token);
    const bytes = Buffer.from(body.refresh_token, 'base64url');
    expect(bytes).toHaveLength(1 + 16 + 1 + 16 + 4);
    expect(bytes[0]).toBe(0);
    expect(bytes.subarray(1, 17).toString('hex')).toBe(
      String(readClaims(accessToken)['session_id']).replaceAll('-', ''),
    );
    expect(bytes[17]).toBe(1);
    expect(bytes.subarray(-4)).toEqual(
      createHash('sha256').update(bytes.subarray(0, -4)).digest().subarray(0, 4),
    );
  });

  it('are accepted one step behind at any time', async () => {
    const first = await world.signedUp();
    const second = await refresh(world, first.refresh_token);
    world.advance(86_400);
    expect((await refresh(world, first.refresh_token)).body.refresh_token).toBe(second.body.refresh_token);
  });

  it('end the session when they are further behind after the interval', async () => {
    const first = await world.signedUp();
    const second = await refresh(world, first.refresh_token);
    const third = await refresh(world, second.body.refresh_token);
    world.advance(11);
    expect((await refresh(world, first.refresh_token)).body.code).toBe('refresh_token_already_used');
    expect((await refresh(world, third.body.refresh_token)).body.code).toBe('refresh_token_not_found');
    expect(await world.get('/user', { token: third.body.access_token })).toMatchObject({
      status: 403,
      body: { code: 'session_not_found' },
    });
  });

  it('are accepted at any distance behind within the interval', async () => {
    const first = await world.signedUp();
    const second = await refresh(world, first.refresh_token);
    const third = await refresh(world, second.body.refresh_token);
    expect((await refresh(world, first.refresh_token)).body.refresh_token).toBe(third.body.refresh_token);
  });

  it('cannot be forged', async () => {
    const { refresh_token: token } = await world.signedUp();
    const bytes = Buffer.from(token, 'base64url').subarray(0, -4);
    bytes[17] = 5;
    const forged = Buffer.concat([bytes, createHash('sha256').update(bytes).digest().subarray(0, 4)]);
    expect((await refresh(world, forged.toString('base64url'))).body.code).toBe('refresh_token_not_found');
  });

  it('replace those of version 1', async () => {
    const { refresh_token: old } = await (await openAuthWorld()).signedUp();
    const { body } = await refresh(world, old);
    expect(body.refresh_token).toHaveLength(51);
    expect((await refresh(world, body.refresh_token)).status).toBe(200);
  });
});

describe('the limits of a session', () => {
  it.each([
    [{ sessionTimeboxSeconds: 3600 }, 'Invalid Refresh Token: Session Expired'],
    [{ sessionInactivitySeconds: 3600 }, 'Invalid Refresh Token: Session Expired (Inactivity)'],
  ])('%j end the session', async (settings, message) => {
    const world = await openAuthWorld(settings);
    const { refresh_token: token } = await world.signedUp();
    world.advance(1800);
    const { status, body } = await refresh(world, token);
    expect(status).toBe(200);
    world.advance(3601);
    expect(await refresh(world, body.refresh_token)).toMatchObject({
      status: 400,
      body: { code: 'session_expired', message },
    });
  });

  it('allow one session per user when the project limits them', async () => {
    const world = await openAuthWorld({ sessionSinglePerUser: true });
    const first = await world.signedUp();
    world.advance(1);
    await world.post('/token?grant_type=password', { email: first.user.email, password });
    expect((await refresh(world, first.refresh_token)).body.message).toBe(
      'Invalid Refresh Token: Session Expired (Revoked by Newer Login)',
    );
  });
});

describe('the PKCE grant', () => {
  let world: AuthWorld;
  beforeAll(async () => {
    world = await openAuthWorld();
  });

  async function openMail(challenge: string, path = '/recover'): Promise<{ code: string; email: string }> {
    const { user } = await world.signedUp();
    await world.post(path, { email: user.email, code_challenge: challenge, code_challenge_method: 's256' });
    const { location } = await world.get(world.mailTo(user.email).link.href);
    return { code: location.searchParams.get('code') ?? '', email: user.email };
  }

  it('exchanges a mail link’s code once, with the right verifier', async () => {
    const { verifier, challenge } = createVerifier();
    const { code, email } = await openMail(challenge);
    expect(world.mailTo(email).link.searchParams.get('token')).toMatch(/^pkce_[\da-f]{56}$/);
    const wrong = await world.post('/token?grant_type=pkce', {
      auth_code: code,
      code_verifier: 'x'.repeat(43),
    });
    expect(wrong).toMatchObject({ status: 400, body: { code: 'bad_code_verifier' } });
    const { body } = await world.post('/token?grant_type=pkce', { auth_code: code, code_verifier: verifier });
    expect(readClaims(body.access_token)['amr']).toMatchObject([{ method: 'recovery' }]);
    const again = await world.post('/token?grant_type=pkce', { auth_code: code, code_verifier: verifier });
    expect(again).toMatchObject({ status: 404, body: { code: 'flow_state_not_found' } });
  });

  it('expires 300 seconds after the request, or for a magic link after the click', async () => {
    const { verifier, challenge } = createVerifier();
    const { code } = await openMail(challenge);
    world.advance(301);
    const late = await world.post('/token?grant_type=pkce', { auth_code: code, code_verifier: verifier });
    expect(late).toMatchObject({ status: 422, body: { code: 'flow_state_expired' } });
    const { user } = await world.signedUp();
    const body = { email: user.email, code_challenge: challenge, code_challenge_method: 's256' };
    await world.post('/magiclink', body);
    world.advance(1000);
    const { location } = await world.get(world.mailTo(user.email).link.href);
    const exchanged = await world.post('/token?grant_type=pkce', {
      auth_code: location.searchParams.get('code'),
      code_verifier: verifier,
    });
    expect(exchanged.status).toBe(200);
  });

  it('resolves a link to the user’s latest flow instead of the link’s own', async () => {
    const { user } = await world.signedUp();
    const [older, newer] = [createVerifier(), createVerifier()];
    const requestMail = async (challenge: string) =>
      world.post('/recover', { email: user.email, code_challenge: challenge, code_challenge_method: 's256' });
    await requestMail(older.challenge);
    await requestMail(newer.challenge);
    const { location } = await world.get(world.mailTo(user.email).link.href);
    const code = location.searchParams.get('code');
    const exchange = async (verifier: string) =>
      world.post('/token?grant_type=pkce', { auth_code: code, code_verifier: verifier });
    expect((await exchange(older.verifier)).status).toBe(400);
    expect((await exchange(newer.verifier)).status).toBe(200);
  });

  it('refuses an incomplete request', async () => {
    expect(await world.post('/token?grant_type=pkce', { auth_code: 'x' })).toMatchObject({
      status: 400,
      body: { code: 'validation_failed' },
    });
  });
});
