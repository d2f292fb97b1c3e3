import { beforeAll, describe, expect, it } from 'vitest';

import { freshEmail, freshPhone, openAuthWorld, password, siteUrl, type AuthWorld } from './auth-world.ts';

describe('sign-up with confirmation', () => {
  let world: AuthWorld;
  beforeAll(async () => {
    world = await openAuthWorld();
  });

  it('returns a user without tokens and mails a link and a code', async () => {
    const email = freshEmail();
    const { status, body } = await world.post('/signup', { email, password, data: { name: 'Ada' } });
    expect(status).toBe(200);
    expect(body).not.toHaveProperty('access_token');
    expect(body).toMatchObject({
      aud: 'authenticated',
      role: 'authenticated',
      email,
      app_metadata: { provider: 'email', providers: ['email'] },
      user_metadata: { email, email_verified: false, name: 'Ada', phone_verified: false, sub: body.id },
      identities: [{ id: body.id, provider: 'email', identity_data: { sub: body.id, email } }],
      is_anonymous: false,
    });
    expect(body).not.toHaveProperty('email_confirmed_at');
    const { link, code, mail } = world.mailTo(email);
    expect(link.pathname).toBe('/auth/v1/verify');
    expect(link.searchParams.get('type')).toBe('signup');
    expect(code).toMatch(/^\d{6}$/);
    expect(mail.html).toContain(code);
  });

  it('confirms by the code and signs in', async () => {
    const email = freshEmail();
    await world.post('/signup', { email, password });
    const { status, body } = await world.post('/verify', {
      type: 'signup',
      email,
      token: world.mailTo(email).code,
    });
    expect(status).toBe(200);
    expect(body).toMatchObject({ token_type: 'bearer', expires_in: 3600, user: { email } });
    expect(body.user.email_confirmed_at).toBe(new Date(world.nowMs()).toISOString());
    expect(body.user.user_metadata['email_verified']).toBe(true);
    const again = await world.post('/verify', { type: 'signup', email, token: world.mailTo(email).code });
    expect(again).toMatchObject({ status: 403, body: { code: 'otp_expired' } });
  });

  it('redirects a confirmation link with tokens in the fragment', async () => {
    const email = freshEmail();
    await world.post(`/signup?redirect_to=${siteUrl}/home`, { email, password });
    const { status, location } = await world.get(world.mailTo(email).link.href);
    expect(status).toBe(303);
    expect(location.href.startsWith(`${siteUrl}/home#access_token=`)).toBe(true);
    const params = new URLSearchParams(location.hash.slice(1));
    expect(params.get('type')).toBe('signup');
    expect(params.get('sb')).toBe('');
    expect(params.get('expires_in')).toBe('3600');
  });

  it('does not reveal that an address is taken', async () => {
    const { user } = await world.signedUp();
    const sent = world.mails.length;
    const { status, body } = await world.post('/signup', { email: user.email, password });
    expect(status).toBe(200);
    expect(body).toMatchObject({ email: user.email, identities: [] });
    expect(body.id).not.toBe(user.id);
    expect(world.mails).toHaveLength(sent);
  });

  it('does not change an unconfirmed account that signs up again, but mails it again', async () => {
    const email = freshEmail();
    const first = await world.post('/signup', { email, password });
    const second = await world.post('/signup', { email, password: 'another password' });
    expect(second.body.id).toBe(first.body.id);
    await world.post('/verify', { type: 'signup', email, token: world.mailTo(email).code });
    const signedIn = await world.post('/token?grant_type=password', { email, password });
    expect(signedIn.status).toBe(200);
  });

  it.each([
    [
      { email: 'no-address', password },
      400,
      'validation_failed',
      'Unable to validate email address: invalid format',
    ],
    [{ email: 'a@example.com' }, 400, 'validation_failed', 'Signup requires a valid password'],
    [{ email: 'a@example.com', phone: '1', password }, 400, 'validation_failed', undefined],
    [{ phone: 'abc', password }, 400, 'validation_failed', 'Invalid phone number format (E.164 required)'],
    [{ email: 'a@example.com', password: 'x'.repeat(73) }, 400, 'validation_failed', undefined],
    [
      { email: 'a@example.com', password, code_challenge: 'short', code_challenge_method: 's256' },
      400,
      'validation_failed',
      undefined,
    ],
    [
      { email: 'a@example.com', password, code_challenge: 'x'.repeat(43) },
      400,
      'validation_failed',
      undefined,
    ],
    [{ email: 7, password }, 400, 'bad_json', undefined],
  ])('refuses %j', async (body, status, code, message) => {
    const response = await world.post('/signup', body);
    expect(response.status).toBe(status);
    expect(response.body.code).toBe(code);
    expect(response.body.message).toContain(message ?? '');
  });

  it('rolls back an account when its mail cannot be sent', async () => {
    const email = 'a..b@example.com';
    expect(await world.post('/signup', { email, password })).toMatchObject({
      status: 500,
      body: { code: 'unexpected_failure', message: 'Error sending confirmation email' },
    });
    const found = await world.database.query('select from auth.users where email = $1', [email]);
    expect(found).toHaveLength(0);
  });

  it('lists the rules that a weak password violates', async () => {
    const strict = await openAuthWorld({
      passwordMinLength: 8,
      passwordRequiredCharacters: ['0123456789'],
      pwnedPasswords: ['abc'],
    });
    const { status, body } = await strict.post('/signup', { email: freshEmail(), password: 'abc' });
    expect(status).toBe(422);
    expect(body).toEqual({
      code: 'weak_password',
      message:
        'Password should be at least 8 characters. Password should contain at least one character of each: 0123456789. ' +
        'Password is known to be weak and easy to guess, please choose a different one.',
      weak_password: { reasons: ['length', 'characters', 'pwned'] },
    });
  });

  it('signs up by phone and confirms by text message', async () => {
    const phone = freshPhone();
    const { body } = await world.post('/signup', { phone: `+${phone}`, password });
    expect(body).toMatchObject({ phone, email: '', app_metadata: { provider: 'phone' } });
    const verified = await world.post('/verify', { type: 'sms', phone, token: world.codeTo(phone) });
    expect(verified.body.user.phone_confirmed_at).toBeTruthy();
    const signedIn = await world.post('/token?grant_type=password', { phone, password });
    expect(signedIn.status).toBe(200);
  });

  it('signs up anonymously when the project enables it', async () => {
    const { body } = await world.post('/signup', { data: { guest: true } });
    expect(body.user).toMatchObject({
      is_anonymous: true,
      email: '',
      user_metadata: { guest: true },
      identities: [],
    });
    const closed = await openAuthWorld({ anonymousEnabled: false });
    expect(await closed.post('/signup', {})).toMatchObject({
      status: 422,
      body: { code: 'anonymous_provider_disabled' },
    });
  });
});

describe('sign-up without confirmation', () => {
  it('returns a session, and 422 for a taken address', async () => {
    const world = await openAuthWorld({ mailerAutoconfirm: true });
    const email = freshEmail();
    const { body } = await world.post('/signup', { email, password });
    expect(body).toMatchObject({ token_type: 'bearer', user: { email } });
    expect(await world.post('/signup', { email, password })).toMatchObject({
      status: 422,
      body: { code: 'user_already_exists', message: 'User already registered' },
    });
    expect(world.mails).toHaveLength(0);
  });

  it('refuses every sign-up when sign-ups are off', async () => {
    const world = await openAuthWorld({ disableSignup: true });
    for (const body of [{ email: freshEmail(), password }, {}])
      expect(await world.post('/signup', body)).toMatchObject({
        status: 422,
        body: { code: 'signup_disabled' },
      });
  });
});
