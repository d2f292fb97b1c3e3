import { beforeAll, describe, expect, it } from 'vitest';

import { freshEmail, openAuthWorld, password, type AuthWorld } from './auth-world.ts';

let world: AuthWorld;
beforeAll(async () => {
  world = await openAuthWorld();
});

describe('the forms of errors', () => {
  const bad = { email: 'unknown@example.com', password };

  it('have the version that the request selects', async () => {
    const current = await world.post('/token?grant_type=password', bad);
    expect(current.body).toEqual({ code: 'invalid_credentials', message: 'Invalid login credentials' });
    expect(current.headers.get('x-supabase-api-version')).toBe('2024-01-01');
    expect(current.headers.get('x-sb-error-code')).toBe('invalid_credentials');
  });

  it.each([null, '2023-12-31', 'nonsense'])(
    'have the first version for the header %s',
    async (apiVersion) => {
      const { body, headers } = await world.post('/token?grant_type=password', bad, { apiVersion });
      expect(body).toEqual({
        code: 400,
        error_code: 'invalid_credentials',
        msg: 'Invalid login credentials',
      });
      expect(headers.get('x-supabase-api-version')).toBeNull();
    },
  );

  it('have the current version for the header of a later version', async () => {
    const { headers } = await world.post('/token?grant_type=password', bad, { apiVersion: '2030-01-01' });
    expect(headers.get('x-supabase-api-version')).toBe('2024-01-01');
  });

  it('are OAuth errors for OAuth grants', async () => {
    const { status, body } = await world.post('/token?grant_type=id_token', { provider: 'google' });
    expect(status).toBe(400);
    expect(body).toEqual({ error: 'invalid request', error_description: 'id_token required' });
  });

  it('distinguish a malformed body, a body of the wrong type and a body that is too large', async () => {
    for (const text of ['{', '', '[]', '7'])
      expect(await world.post('/signup', text)).toMatchObject({ status: 400, body: { code: 'bad_json' } });
    const marked = await world.post('/signup', '\ufeff{}');
    expect(marked).toMatchObject({ status: 400, body: { code: 'bad_json' } });
    const large = await world.post('/signup', { data: 'x'.repeat(1 << 20) });
    expect(large).toMatchObject({ status: 413, body: { code: 'request_entity_too_large' } });
  });

  it.each([
    ['/verify', { type: 'recovery', token_hash: '\0' }],
    ['/token?grant_type=password', { email: 'a\0@example.com', password }],
    ['/signup', { email: 'nul@example.com', password, data: { name: '\0' } }],
  ])('are not server errors for a NUL character: %s', async (path, body) => {
    expect(await world.post(path, body)).toMatchObject({ status: 400, body: { code: 'validation_failed' } });
  });

  it('name the NUL character in the address of a link', async () => {
    const { headers } = await world.get('/verify?type=recovery&token=%00');
    expect(headers.get('location')).toContain('error_code=validation_failed');
  });

  it('only /magiclink, which reads a stream, ignores data after the body', async () => {
    const body = `${JSON.stringify({ email: freshEmail() })} trailing`;
    expect((await world.post('/magiclink', body)).status).toBe(200);
    expect((await world.post('/otp', body)).body.code).toBe('bad_json');
  });

  it('are plain 404s for unknown routes and 405s for other methods', async () => {
    expect((await world.get('/nothing')).status).toBe(404);
    const { status, headers } = await world.ask('PUT', '/verify', {});
    expect(status).toBe(405);
    expect(headers.get('allow')).toBe('GET, POST');
    for (const path of ['/passkeys/registration', '/passkeys/authentication'])
      for (const wrong of ['GET', 'POST', 'PATCH', 'DELETE'])
        expect((await world.ask(wrong, path)).status).toBe(404);
  });
});

describe('the public routes', () => {
  it('return the settings', async () => {
    const { body } = await world.get('/settings');
    expect(body).toMatchObject({
      external: { email: true, phone: true, google: true, gitlab: false, anonymous_users: true },
      disable_signup: false,
      mailer_autoconfirm: false,
      saml_enabled: true,
    });
  });

  it('return the health and the key set, which still contains rotated keys', async () => {
    expect((await world.get('/health')).body).toMatchObject({ name: 'GoTrue' });
    const before = await world.get('/.well-known/jwks.json');
    expect(before.headers.get('cache-control')).toBe('public, max-age=600');
    const { access_token: token } = await world.signedUp();
    await world.keys.rotate();
    const after = await world.get('/.well-known/jwks.json');
    expect(after.body.keys).toHaveLength(before.body.keys.length + 1);
    expect(after.body.keys.every((key) => !('d' in key) && key['kty'] === 'EC')).toBe(true);
    expect((await world.get('/user', { token })).status).toBe(200);
  });
});

describe('captcha', () => {
  it('requires the correct token, except with the service key', async () => {
    const guarded = await openAuthWorld({ captchaToken: 'a human' });
    const signUp = async (captchaToken?: string, token?: string) =>
      guarded.post(
        '/signup',
        {
          email: freshEmail(),
          password,
          ...(captchaToken && { gotrue_meta_security: { captcha_token: captchaToken } }),
        },
        token === undefined ? {} : { token },
      );
    expect((await signUp()).body).toEqual({
      code: 'captcha_failed',
      message: 'captcha protection: request disallowed (no captcha_token found)',
    });
    expect((await signUp('a robot')).body.code).toBe('captcha_failed');
    expect((await signUp('a human')).status).toBe(200);
    expect((await signUp(undefined, guarded.keys.serviceRoleKey)).status).toBe(200);
    const refresh = await guarded.post('/token?grant_type=refresh_token', { refresh_token: 'abcdefghijkl' });
    expect(refresh.body.code).toBe('refresh_token_not_found');
  });

  it.each(['/signup', '/otp', '/magiclink', '/recover', '/resend', '/sso', '/token'])(
    'is required by %s, even if the query contains a grant that needs no captcha',
    async (path) => {
      const guarded = await openAuthWorld({ captchaToken: 'a human' });
      const grants = path === '/token' ? ['password'] : ['pkce', 'refresh_token', 'id_token'];
      for (const grant of grants) {
        const body = { email: freshEmail(), password, type: 'signup' };
        const response = await guarded.post(`${path}?grant_type=${grant}`, body);
        expect(response.body.code).toBe('captcha_failed');
      }
    },
  );
});

describe('rate limits', () => {
  it('allow thirty requests per address and refill over time', async () => {
    const limited = await openAuthWorld({ rateLimits: {} });
    const ask = async (ip = '203.0.113.1') =>
      limited.post(
        '/verify',
        { type: 'email', token: '1', email: 'a@example.com' },
        { headers: { 'x-forwarded-for': ip } },
      );
    const statuses = [];
    for (let request = 0; request < 31; request += 1) statuses.push((await ask()).status);
    expect(statuses.filter((status) => status === 429)).toHaveLength(1);
    expect((await ask()).body).toEqual({
      code: 'over_request_rate_limit',
      message: 'Request rate limit reached',
    });
    expect((await ask('203.0.113.2')).status).toBe(403);
    limited.advance(10);
    expect((await ask()).status).toBe(403);
    expect((await ask()).status).toBe(429);
  });

  it('require a minute between two mails to one user', async () => {
    const limited = await openAuthWorld({ rateLimits: { emailSent: 1000 } });
    const { user } = await limited.signedUp();
    await limited.post('/recover', { email: user.email });
    limited.advance(15);
    expect(await limited.post('/recover', { email: user.email })).toMatchObject({
      status: 429,
      body: {
        code: 'over_email_send_rate_limit',
        message: 'For security purposes, you can only request this after 45 seconds.',
      },
    });
    limited.advance(46);
    expect((await limited.post('/recover', { email: user.email })).status).toBe(200);
  });

  it.each(['/recover', '/otp'])(
    'delay responses to %s equally for known and unknown addresses',
    async (path) => {
      const pauses: (() => void)[] = [];
      const limited = await openAuthWorld({ rateLimits: { emailSent: 1000 } }, undefined, {
        transport: { sleep: async (delayMs) => new Promise((end) => pauses.push(() => end(delayMs))) },
      });
      const { user } = await limited.signedUp();
      const sent = limited.mails.length;
      const statuses: number[] = [];
      const requests = [user.email, freshEmail()].map(async (email) =>
        limited.post(path, { email }).then(({ status }) => statuses.push(status)),
      );
      await expect.poll(() => limited.mails.length).toBeGreaterThan(sent);
      expect(statuses).toEqual([]);
      for (const end of pauses) end();
      await Promise.all(requests);
      expect(statuses).toEqual([200, 200]);
    },
  );

  it('limit the mails per hour, and roll back the refused request', async () => {
    const limited = await openAuthWorld({ rateLimits: { emailSent: 1 } });
    expect((await limited.post('/signup', { email: freshEmail(), password })).status).toBe(200);
    const email = freshEmail();
    const refused = await limited.post('/signup', { email, password });
    expect(refused).toMatchObject({ status: 429, body: { code: 'over_email_send_rate_limit' } });
    expect(await limited.database.query('select id from auth.users where email = $1', [email])).toEqual([]);
    limited.advance(3600);
    expect((await limited.post('/signup', { email, password })).status).toBe(200);
  });
});

describe('the sweep', () => {
  it('deletes expired rows and keeps the others', async () => {
    const own = await openAuthWorld();
    const { refresh_token: old } = await own.signedUp();
    const { body } = await own.post('/token?grant_type=refresh_token', { refresh_token: old });
    await own.get(`/authorize?provider=google`);
    // Worlds share a database, and another world's clock may be ahead of this test's end.
    own.advance(3650 * 86_400);
    await own.service.sweep();
    const left = async (table: string, condition: string) =>
      (await own.database.query(`select 1 from auth.${table} where ${condition}`)).length;
    expect(await left('refresh_tokens', 'revoked')).toBe(0);
    expect(await left('flow_state', 'true')).toBe(0);
    expect(await left('one_time_tokens', 'true')).toBe(0);
    const { status } = await own.post('/token?grant_type=refresh_token', {
      refresh_token: body.refresh_token,
    });
    expect(status).toBe(200);
  });
});
