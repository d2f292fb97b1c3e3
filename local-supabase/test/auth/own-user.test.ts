import { beforeAll, describe, expect, it } from 'vitest';

import { freshEmail, freshPhone, openAuthWorld, password, type AuthWorld } from './auth-world.ts';

let world: AuthWorld;
beforeAll(async () => {
  world = await openAuthWorld();
});

describe('GET /user', () => {
  it('returns the user object itself', async () => {
    const { user, access_token: token } = await world.signedUp();
    expect(await world.get('/user', { token })).toMatchObject({
      status: 200,
      body: { id: user.id, email: user.email },
    });
  });

  it('has a distinct error for each kind of invalid token', async () => {
    expect(await world.get('/user')).toMatchObject({ status: 401, body: { code: 'no_authorization' } });
    expect(await world.get('/user', { token: 'nonsense' })).toMatchObject({
      status: 403,
      body: { code: 'bad_jwt' },
    });
    const { access_token: token } = await world.signedUp();
    world.advance(3601);
    const expired = await world.get('/user', { token });
    expect(expired).toMatchObject({ status: 403, body: { code: 'bad_jwt' } });
    expect(expired.body.message).toContain('token is expired');
    const anon = await world.get('/user', { token: world.keys.anonKey });
    expect(anon).toMatchObject({ status: 403, body: { message: 'invalid claim: missing sub claim' } });
    const stranger = await world.keys.sign({
      sub: crypto.randomUUID(),
      role: 'authenticated',
      aud: 'authenticated',
    });
    expect(await world.get('/user', { token: stranger })).toMatchObject({
      status: 403,
      body: { code: 'user_not_found' },
    });
  });
});

describe('a token without a session', () => {
  it('has the nil id in session_id, or has no such claim', async () => {
    const { user } = await world.signedUp();
    for (const session_id of ['', '00000000-0000-0000-0000-000000000000']) {
      const token = await world.keys.sign({
        sub: user.id,
        role: 'authenticated',
        aud: 'authenticated',
        session_id,
      });
      expect(await world.get('/user', { token })).toMatchObject({ status: 200, body: { id: user.id } });
    }
  });
});

describe('PUT /user', () => {
  it('merges data and removes keys with null', async () => {
    const { access_token: token } = await world.signedUp();
    await world.ask('PUT', '/user', { data: { name: 'Ada', color: 'blue' } }, { token });
    const { body } = await world.ask('PUT', '/user', { data: { color: null } }, { token });
    expect(body).toMatchObject({ user_metadata: { name: 'Ada' } });
    expect(body).not.toHaveProperty('user_metadata.color');
  });

  it('sets a new password, ends the other sessions and deletes pending links', async () => {
    const { user, access_token: token } = await world.signedUp();
    const other = await world.post('/token?grant_type=password', { email: user.email, password });
    await world.post('/recover', { email: user.email });
    const changed = await world.ask('PUT', '/user', { password: 'a new password' }, { token });
    expect(changed.status).toBe(200);
    expect((await world.get('/user', { token })).status).toBe(200);
    expect((await world.get('/user', { token: other.body.access_token })).body.code).toBe(
      'session_not_found',
    );
    const link = await world.get(world.mailTo(user.email).link.href);
    expect(link.location.hash).toContain('otp_expired');
    const old = await world.post('/token?grant_type=password', { email: user.email, password });
    expect(old.body.code).toBe('invalid_credentials');
  });

  it('refuses the same password and a weak one', async () => {
    const { access_token: token } = await world.signedUp();
    expect(await world.ask('PUT', '/user', { password }, { token })).toMatchObject({
      status: 422,
      body: { code: 'same_password', message: 'New password should be different from the old password.' },
    });
    expect((await world.ask('PUT', '/user', { password: 'abc' }, { token })).body.code).toBe('weak_password');
  });

  it('does not let a user write app_metadata', async () => {
    const { access_token: token } = await world.signedUp();
    expect(await world.ask('PUT', '/user', { app_metadata: { admin: true } }, { token })).toMatchObject({
      status: 403,
      body: { code: 'not_admin' },
    });
  });

  it('changes the phone with a code', async () => {
    const { user, access_token: token } = await world.signedUp();
    const phone = freshPhone();
    const { body } = await world.ask('PUT', '/user', { phone }, { token });
    expect(body).toMatchObject({ phone: '', new_phone: phone });
    const { body: verified } = await world.post('/verify', {
      type: 'phone_change',
      phone,
      token: world.codeTo(phone),
    });
    expect(verified.user).toMatchObject({
      id: user.id,
      phone,
      app_metadata: { providers: ['email', 'phone'] },
    });
  });

  it('converts an anonymous user to a permanent one', async () => {
    const { body: guest } = await world.post('/signup', {});
    const email = freshEmail();
    const alone = await world.ask(
      'PUT',
      '/user',
      { password: 'some password' },
      { token: guest.access_token },
    );
    expect(alone).toMatchObject({ status: 422, body: { code: 'validation_failed' } });
    await world.ask('PUT', '/user', { email }, { token: guest.access_token });
    const { body } = await world.post('/verify', {
      type: 'email_change',
      email,
      token: world.mailTo(email).code,
    });
    expect(body.user).toMatchObject({ id: guest.user.id, is_anonymous: false, email });
  });

  it('requires reauthentication a day after the sign-in when the project enables it', async () => {
    const strict = await openAuthWorld({
      passwordUpdateRequiresReauthentication: true,
      jwtExpirySeconds: 200_000,
    });
    const { user, access_token: token } = await strict.signedUp();
    strict.advance(86_401);
    const change = { password: 'another password' };
    expect(await strict.ask('PUT', '/user', change, { token })).toMatchObject({
      status: 400,
      body: { code: 'reauthentication_needed' },
    });
    await strict.get('/reauthenticate', { token });
    const { code: nonce } = strict.mailTo(user.email);
    const wrong = await strict.ask('PUT', '/user', { ...change, nonce: '000000x' }, { token });
    expect(wrong).toMatchObject({ status: 422, body: { code: 'reauthentication_not_valid' } });
    expect((await strict.ask('PUT', '/user', { ...change, nonce }, { token })).status).toBe(200);
  });

  it('requires the current password when the project enables it, except after a recovery', async () => {
    const strict = await openAuthWorld({ passwordUpdateRequiresCurrentPassword: true });
    const { user } = await strict.signedUp();
    const { body } = await strict.post('/token?grant_type=password', { email: user.email, password });
    const change = async (extra: object, token: string) =>
      strict.ask('PUT', '/user', { password: 'another password', ...extra }, { token });
    expect((await change({}, body.access_token)).body.code).toBe('current_password_required');
    expect((await change({ current_password: 'x' }, body.access_token)).body.code).toBe(
      'current_password_invalid',
    );
    expect((await change({ current_password: password }, body.access_token)).status).toBe(200);
    await strict.post('/recover', { email: user.email });
    const recovered = await strict.post('/verify', {
      type: 'recovery',
      email: user.email,
      token: strict.mailTo(user.email).code,
    });
    const { status } = await strict.ask(
      'PUT',
      '/user',
      { password: 'a third one' },
      { token: recovered.body.access_token },
    );
    expect(status).toBe(200);
  });
});

describe('POST /logout', () => {
  it.each([
    ['local', [403, 200]],
    ['others', [200, 403]],
    ['global', [403, 403]],
  ])('ends the sessions of scope %s', async (scope, expected) => {
    const { user, access_token: token } = await world.signedUp();
    const { body: other } = await world.post('/token?grant_type=password', { email: user.email, password });
    expect((await world.post(`/logout?scope=${scope}`, undefined, { token })).status).toBe(204);
    const responses = [token, other.access_token].map(
      async (each) => (await world.get('/user', { token: each })).status,
    );
    expect(await Promise.all(responses)).toEqual(expected);
  });

  it('refuses an unknown scope', async () => {
    const { access_token: token } = await world.signedUp();
    expect(await world.post('/logout?scope=mine', undefined, { token })).toMatchObject({
      status: 400,
      body: { code: 'validation_failed', message: 'Unsupported logout scope "mine"' },
    });
  });
});
