import { beforeAll, describe, expect, it } from 'vitest';

import {
  createVerifier,
  freshEmail,
  freshPhone,
  openAuthWorld,
  password,
  siteUrl,
  type AuthWorld,
} from './auth-world.ts';

describe('verification', () => {
  let world: AuthWorld;
  beforeAll(async () => {
    world = await openAuthWorld();
  });

  it.each(['recovery', 'magiclink', 'email'])('accepts the code of a mail as %s', async (type) => {
    const { user } = await world.signedUp();
    await world.post(type === 'recovery' ? '/recover' : '/otp', { email: user.email });
    const response = await world.post('/verify', {
      type,
      email: user.email,
      token: world.mailTo(user.email).code,
    });
    expect(response.status).toBe(200);
    expect(response.body.user.id).toBe(user.id);
  });

  it('accepts a token hash once, with its type and no other field', async () => {
    const { user } = await world.signedUp();
    await world.post('/recover', { email: user.email });
    const tokenHash = world.mailTo(user.email).link.searchParams.get('token');
    const mixed = await world.post('/verify', { type: 'recovery', token_hash: tokenHash, email: user.email });
    expect(mixed.body.message).toBe('Only the token_hash and type should be provided');
    expect((await world.post('/verify', { type: 'signup', token_hash: tokenHash })).body.code).toBe(
      'otp_expired',
    );
    expect((await world.post('/verify', { type: 'recovery', token_hash: tokenHash })).status).toBe(200);
    expect(await world.post('/verify', { type: 'recovery', token_hash: tokenHash })).toMatchObject({
      status: 403,
      body: { code: 'otp_expired', message: 'Email link is invalid or has expired' },
    });
  });

  it('refuses a code after an hour', async () => {
    const { user } = await world.signedUp();
    await world.post('/otp', { email: user.email });
    const { code } = world.mailTo(user.email);
    world.advance(3601);
    expect(await world.post('/verify', { type: 'email', email: user.email, token: code })).toMatchObject({
      status: 403,
      body: { code: 'otp_expired', message: 'Token has expired or is invalid' },
    });
  });

  it.each([
    [{ token: '1', email: 'a@example.com' }, 400, 'Verify requires a verification type'],
    [{ type: 'email' }, 400, 'Verify requires either a token or a token hash'],
    [{ type: 'email', token: '1', token_hash: '2' }, 400, 'Verify requires either a token or a token hash'],
    [
      { type: 'email', token: '1' },
      400,
      'Only an email address or phone number should be provided on verify',
    ],
    [{ type: 'email', token: '1', email: 'nonsense' }, 422, 'Invalid email format'],
    [{ type: 'nonsense', token_hash: 'abc' }, 400, 'Invalid email verification type'],
    [{ type: 'sms', token: '1', phone: 'abc' }, 400, 'Invalid phone number format (E.164 required)'],
  ])('refuses %j', async (body, status, message) => {
    expect(await world.post('/verify', body)).toMatchObject({
      status,
      body: { code: 'validation_failed', message },
    });
  });

  it('redirects a used link to the page with the error in the fragment', async () => {
    const { user } = await world.signedUp();
    await world.post(`/recover?redirect_to=${siteUrl}/reset-password`, { email: user.email });
    const { link } = world.mailTo(user.email);
    await world.get(link.href);
    const { status, location } = await world.get(link.href);
    expect(status).toBe(303);
    expect(location.href).toBe(
      `${siteUrl}/reset-password#error=access_denied&error_code=otp_expired` +
        '&error_description=Email+link+is+invalid+or+has+expired&sb=',
    );
  });

  it('repeats the error in the query for a link of a PKCE flow', async () => {
    const { user } = await world.signedUp();
    await world.post('/recover', {
      email: user.email,
      code_challenge: createVerifier().challenge,
      code_challenge_method: 's256',
    });
    const { link } = world.mailTo(user.email);
    await world.get(link.href);
    const { location } = await world.get(link.href);
    expect(location.searchParams.get('error_code')).toBe('otp_expired');
    expect(location.hash).toContain('error_code=otp_expired');
  });

  it.each([
    ['https://evil.example.com/', siteUrl],
    ['https://app.example.com/deep/path?x=1', 'https://app.example.com/deep/path?x=1'],
    ['http://127.0.0.1:4000/here', 'http://127.0.0.1:4000/here'],
    ['http://localhost:9/', 'http://localhost:9/'],
    ['javascript:alert(1)', siteUrl],
    ['', siteUrl],
  ])('redirects a link with the target %s to %s', async (requested, target) => {
    const { user } = await world.signedUp();
    await world.post(`/recover?redirect_to=${encodeURIComponent(requested)}`, { email: user.email });
    const { location } = await world.get(world.mailTo(user.email).link.href);
    expect(location.href.split('#')[0]?.replace(/\/$/, '')).toBe(target.replace(/\/$/, ''));
  });

  it.each([
    'http://localhost:x@evil%2Ecom/p',
    'http://localhost:x@evil/p',
    'https://evil%2Ecom/x',
    'https://evil%2Ecom\\.example.com/x',
    'https://evil.com\\.example.com/x',
    'https://evil\uFF0Ecom/x',
    'https://evil\u3002com/x',
    'https:evil.com',
    'https://ev\til.example.com/x',
    'https://a b.example.com/x',
    'https://not_a_host.example.com/x',
    'http://2130706433/',
    'http://127.1/',
    'http://0x7f.0.0.1/',
    'http://[::2]/',
    'javascript://localhost/%0Aalert(1)',
    'ftp://localhost/',
    'other://callback',
  ])('does not redirect to %j, although a pattern may match it', async (requested) => {
    const patterns = ['http://localhost:*/**', 'https://*.example.com/**', 'https://*/x', 'app://callback'];
    const wide = await openAuthWorld({}, patterns);
    const { location } = await wide.get(
      `/verify?type=signup&token=none&redirect_to=${encodeURIComponent(requested)}`,
    );
    expect(location.origin).toBe(siteUrl);
  });

  it.each([
    'http://[::1]:4000/here',
    'https://own.example.com:8443/x',
    'https://OWN.example.com/x',
    'app://callback',
    'app://under_score/x',
  ])('redirects to %s, which a pattern or the local machine allows', async (requested) => {
    const wide = await openAuthWorld({}, [
      'https://*.example.com:*/**',
      'https://OWN.example.com/x',
      'app://**',
    ]);
    const { location } = await wide.get(
      `/verify?type=signup&token=none&redirect_to=${encodeURIComponent(requested)}`,
    );
    expect(location.href.split(/[?#]/)[0]).toBe(new URL(requested).href);
  });

  it('responds the same for unknown addresses and sends nothing', async () => {
    const sent = world.mails.length;
    for (const path of ['/recover', '/resend']) {
      const response = await world.post(path, { email: freshEmail(), type: 'signup' });
      expect(response).toMatchObject({ status: 200, body: {} });
    }
    expect(world.mails).toHaveLength(sent);
  });

  it('signs an unknown address up by one-time code, unless create_user is false', async () => {
    const email = freshEmail();
    expect(await world.post('/otp', { email, create_user: false })).toMatchObject({
      status: 422,
      body: { code: 'otp_disabled', message: 'Signups not allowed for otp' },
    });
    await world.post('/otp', { email, data: { name: 'Grace' } });
    const { body } = await world.post('/verify', { type: 'email', email, token: world.mailTo(email).code });
    expect(body.user.user_metadata).toMatchObject({ name: 'Grace', email_verified: true });
  });

  it('sends codes by text message, with an id for test numbers', async () => {
    const phone = freshPhone();
    await world.post('/otp', { phone });
    expect((await world.post('/verify', { type: 'sms', phone, token: world.codeTo(phone) })).status).toBe(
      200,
    );
    await world.post('/otp', { phone });
    world.advance(61);
    const late = await world.post('/verify', { type: 'sms', phone, token: world.codeTo(phone) });
    expect(late.body.code).toBe('otp_expired');
    const testPhone = freshPhone();
    const fixed = await openAuthWorld({ smsTestOtp: { [testPhone]: '424242' } });
    await fixed.post('/signup', { phone: testPhone, password });
    expect((await fixed.post('/resend', { type: 'sms', phone: testPhone })).body).toEqual({
      message_id: 'test-otp',
    });
    expect((await fixed.post('/verify', { type: 'sms', phone: testPhone, token: '424242' })).status).toBe(
      200,
    );
    expect(fixed.texts).toHaveLength(0);
  });

  it('refuses an unknown channel', async () => {
    const response = await world.post('/otp', { phone: freshPhone(), channel: 'whatsapp' });
    expect(response).toMatchObject({ status: 400, body: { code: 'validation_failed' } });
  });

  it('resends the confirmation with a new code; the old one no longer works', async () => {
    const email = freshEmail();
    await world.post('/signup', { email, password });
    const old = world.mailTo(email).code;
    await world.post('/resend', { type: 'signup', email });
    const fresh = world.mailTo(email).code;
    const tries = [old, fresh].map(async (token) => world.post('/verify', { type: 'signup', email, token }));
    expect((await Promise.all(tries)).filter(({ status }) => status === 200)).toHaveLength(1);
  });
});

describe('a change of email', () => {
  let world: AuthWorld;
  beforeAll(async () => {
    world = await openAuthWorld();
  });

  it('requires both addresses, in either order', async () => {
    const { user, access_token: token } = await world.signedUp();
    const email = freshEmail();
    const { body } = await world.ask('PUT', '/user', { email }, { token });
    expect(body).toMatchObject({ email: user.email, new_email: email });
    const half = await world.post('/verify', {
      type: 'email_change',
      email,
      token: world.mailTo(email).code,
    });
    expect(half).toMatchObject({ status: 200, body: { code: '200' } });
    expect(half.body).not.toHaveProperty('access_token');
    const whole = await world.post('/verify', {
      type: 'email_change',
      email: user.email,
      token: world.mailTo(user.email).code,
    });
    expect(whole.body.user).toMatchObject({ id: user.id, email, identities: [{ identity_data: { email } }] });
    expect((await world.post('/token?grant_type=password', { email, password })).status).toBe(200);
  });

  it('does not accept one code for both addresses', async () => {
    const { access_token: token } = await world.signedUp();
    const email = freshEmail();
    const { challenge } = createVerifier();
    await world.ask(
      'PUT',
      '/user',
      { email, code_challenge: challenge, code_challenge_method: 's256' },
      { token },
    );
    const proof = { type: 'email_change', email, token: world.mailTo(email).code };
    expect((await world.post('/verify', proof)).body.code).toBe('200');
    expect((await world.post('/verify', proof)).body.code).toBe('otp_expired');
  });

  it('reports in the link’s redirect that the other address is pending', async () => {
    const { access_token: token } = await world.signedUp();
    const email = freshEmail();
    await world.ask('PUT', '/user', { email }, { token });
    const { location } = await world.get(world.mailTo(email).link.href);
    expect(location.hash).toBe(
      '#message=Confirmation+link+accepted.+Please+proceed+to+confirm+link+sent+to+the+other+email&sb=',
    );
  });

  it('requires only the new address without secure email change', async () => {
    const simple = await openAuthWorld({ secureEmailChange: false });
    const { access_token: token } = await simple.signedUp();
    const email = freshEmail();
    await simple.ask('PUT', '/user', { email }, { token });
    const { body } = await simple.post('/verify', {
      type: 'email_change',
      email,
      token: simple.mailTo(email).code,
    });
    expect(body.user.email).toBe(email);
  });

  it('refuses an address that is taken', async () => {
    const { access_token: token } = await world.signedUp();
    const other = await world.signedUp();
    expect(await world.ask('PUT', '/user', { email: other.user.email }, { token })).toMatchObject({
      status: 422,
      body: { code: 'email_exists' },
    });
  });
});
