import { Secret, TOTP } from 'otpauth';
import { beforeAll, describe, expect, it } from 'vitest';

import { freshEmail, openAuthWorld, password, type AuthWorld } from './auth-world.ts';

/** Surprising details of GoTrue, observed on the real server. */
let world: AuthWorld;
let admin: { readonly token: string };
beforeAll(async () => {
  world = await openAuthWorld();
  admin = { token: world.keys.serviceRoleKey };
});

async function linkTo(page: string): Promise<string> {
  const { user } = await world.signedUp();
  const { body } = await world.post('/admin/generate_link', { type: 'magiclink', email: user.email }, admin);
  return `/verify?token=${body.hashed_token}&type=magiclink&redirect_to=${encodeURIComponent(page)}`;
}

describe('a mailed link', () => {
  it.each(['/日本?x=日', '/grüße#ü', '/😀'])('redirects to %s, percent-encoded', async (path) => {
    const page = `http://localhost:5173${path}`;
    const { status, headers } = await world.get(await linkTo(page));
    expect(status).toBe(303);
    const location = headers.get('location') ?? '';
    expect(location).toMatch(/^[\u0021-\u007e]+$/);
    expect(decodeURIComponent(location)).toContain(`${page}#access_token=`);
  });

  it('a mailed link of an unknown type redirects with server_error instead of a JSON response', async () => {
    const silent = await openAuthWorld();
    const { status, location } = await silent.get('/verify?token=pkce_x&type=nonsense');
    expect(status).toBe(303);
    expect(Object.fromEntries(location.searchParams)).toMatchObject({
      error: 'server_error',
      error_code: 'unexpected_failure',
    });
  });

  it('does not redirect to a page with a broken percent-encoding', async () => {
    const { location } = await world.get(
      '/verify?token=x&type=signup&redirect_to=http://localhost:5173/%25zz',
    );
    expect(location.pathname).toBe('/');
  });
});

describe('JSON members', () => {
  it('are read without regard to case; of several spellings the last one counts', async () => {
    const email = freshEmail();
    const made = await world.post('/signup', { EMAIL: 'x@example.com', Email: email, PassWord: password });
    expect(made.body).toMatchObject({ email });
    expect((await world.post('/verify', { TYPE: 'signup', Token_Hash: 'x' })).body.code).toBe('otp_expired');
  });
});

describe('a slash at the end of a path', () => {
  it.each(['/user/', '/factors/', '/signup/', '/admin/users/', '/verify/', '/reauthenticate/'])(
    'is accepted for %s',
    async (path) => expect((await world.get(path)).status).not.toBe(404),
  );

  it.each(['/token/', '/otp/', '/settings/', '/health/'])('is not found for %s', async (path) =>
    expect((await world.post(path)).status).toBe(404),
  );
});

describe('concurrent sign-ups', () => {
  it('create one account: one succeeds, the others fail in the database', async () => {
    const email = freshEmail();
    const responses = await Promise.all([1, 2, 3, 4].map(() => world.post('/signup', { email, password })));
    expect(responses.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 500, 500, 500]);
    const failed = responses.find(({ status }) => status === 500);
    expect(failed?.body).toMatchObject({
      code: 'unexpected_failure',
      message: 'Database error saving new user',
    });
  });

  it('are refused with 400 for a text with NUL, where the real service responds 500', async () => {
    const data = { name: 'a\u0000b' };
    const { status, body } = await world.post('/signup', { email: freshEmail(), password, data });
    expect([status, body.message]).toEqual([400, 'A text contains a NUL character']);
  });
});

describe('a sign-up that is confirmed at once', () => {
  it('has a verified email in the response but not in the stored identity', async () => {
    const quick = await openAuthWorld({ mailerAutoconfirm: true });
    const { body } = await quick.post('/signup', { email: freshEmail(), password });
    const verified = { identity_data: { email_verified: true } };
    expect(body.user).toMatchObject({ user_metadata: { email_verified: true }, identities: [verified] });
    expect(body.user).not.toHaveProperty('confirmed_at');
    const stored = await quick.get('/user', { token: body.access_token });
    expect(stored.body).toMatchObject({ identities: [{ identity_data: { email_verified: false } }] });
  });
});

describe('an administrator', () => {
  it('cannot create a user with a password over 72 bytes', async () => {
    const wanted = { email: freshEmail(), password: 'x'.repeat(73) };
    const { status, body } = await world.post('/admin/users', wanted, admin);
    expect([status, body.message]).toEqual([500, 'Internal Server Error']);
  });

  it.each([
    ['page=-1', 400, 'parsing "-1": invalid syntax'],
    ['page=99999999999999999999', 400, 'value out of range'],
    ['page=9223372036854775807', 500, 'Database error finding users'],
    ['per_page=0', 500, 'Internal Server Error'],
    ['sort=email', 400, "bad field for sort 'email'"],
    ['sort=created_at%20up', 400, "bad direction for sort 'up'"],
    ['sort=created_at%20asc%20x', 400, "bad direction for sort 'asc x'"],
  ])('cannot read a page of users with %s', async (query, status, message) => {
    const reply = await world.get(`/admin/users?${query}`, admin);
    expect(reply.status).toBe(status);
    expect(reply.body.message).toContain(message);
  });

  it('may spell the direction of a sort in any case', async () => {
    const emails = [freshEmail(), freshEmail()];
    for (const email of emails) {
      await world.post('/admin/users', { email, password }, admin);
      world.advance(1);
    }
    const read = async (sort: string) => {
      const { body } = await world.get(`/admin/users?per_page=100&sort=created_at%20${sort}`, admin);
      const listed = (body.users as readonly { email: string }[]).map(({ email }) => email);
      return listed.filter((email) => emails.includes(email));
    };
    expect(await read('ASC')).toEqual(emails);
    expect(await read('Desc')).toEqual(emails.toReversed());
  });

  it('receives links with sorted parameters, and page 1 as the one after page 0', async () => {
    await world.signedUp();
    const { headers } = await world.get('/admin/users?sort=created_at%20asc&per_page=1&page=0', admin);
    expect(headers.get('link')).toContain('</admin/users?page=1&per_page=1&sort=created_at+asc>; rel="next"');
  });

  it('may name a user by a UUID without dashes or in braces', async () => {
    const { user } = await world.signedUp();
    for (const id of [user.id.replaceAll('-', ''), `%7B${user.id}%7D`])
      expect((await world.get(`/admin/users/${id}`, admin)).body.id).toBe(user.id);
    expect((await world.get(`/admin/users/%7B${user.id}`, admin)).status).toBe(404);
  });
});

describe('an access token', () => {
  it('may have an iat in the future, but no nbf', async () => {
    const { user } = await world.signedUp();
    const now = Math.floor(world.nowMs() / 1000);
    const claims = { sub: user.id, aud: 'authenticated', role: 'authenticated', exp: now + 7200 };
    const statusOf = async (extra: Record<string, number>) =>
      (await world.get('/user', { token: await world.keys.sign({ ...claims, ...extra }) })).status;
    expect(await statusOf({ iat: now + 3600 })).toBe(200);
    expect(await statusOf({ nbf: now + 3600 })).toBe(403);
  });
});

describe('PUT /user', () => {
  it('ignores a code challenge unless the email changes, and does not check its length', async () => {
    const { access_token: token } = await world.signedUp();
    const put = async (body: object) => (await world.ask('PUT', '/user', body, { token })).status;
    expect(await put({ data: {}, code_challenge: 'short' })).toBe(200);
    expect(await put({ email: freshEmail(), code_challenge: 'short', code_challenge_method: 's256' })).toBe(
      200,
    );
  });
});

describe('a challenge', () => {
  async function enrolled() {
    const { access_token: token } = await world.signedUp();
    const { body } = await world.post('/factors', { factor_type: 'totp', friendly_name: 'a' }, { token });
    const totp = new TOTP({ secret: Secret.fromBase32(body.totp.secret) });
    const verify = async (code: string, on?: string) => {
      const opened = on ?? (await world.post(`/factors/${body.id}/challenge`, {}, { token })).body.id;
      return world.post(`/factors/${body.id}/verify`, { challenge_id: opened, code }, { token });
    };
    return { token, id: body.id, verify, code: () => totp.generate({ timestamp: world.nowMs() }) };
  }

  it('is deleted when it has expired: the second attempt reports it as unknown', async () => {
    const { token, id, verify, code } = await enrolled();
    const opened = (await world.post(`/factors/${id}/challenge`, {}, { token })).body.id;
    world.advance(301);
    expect((await verify(code(), opened)).body.code).toBe('mfa_challenge_expired');
    expect((await verify(code(), opened)).body.code).toBe('mfa_factor_not_found');
  });

  it.each(['４２８４２５', '42842', '4284256', '428 42', '+42842', 'abcdef'])(
    'refuses the code %s',
    async (code) => {
      const { verify } = await enrolled();
      expect((await verify(code)).body.code).toBe('mfa_verification_failed');
    },
  );

  it('accepts a code with surrounding spaces', async () => {
    const { verify, code } = await enrolled();
    expect((await verify(` ${code()}\n`)).status).toBe(200);
  });
});

describe('an ID token', () => {
  it.each(['github', 'discord'])('is rejected for %s, which issues no ID tokens', async (provider) => {
    const body = { provider, id_token: 'x' };
    const reply = await world.post('/token?grant_type=id_token', body);
    expect(reply.body).toMatchObject({
      code: 'validation_failed',
      message: `Custom OIDC provider "${provider}" not allowed`,
    });
  });
});
