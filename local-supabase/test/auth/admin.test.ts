import { beforeAll, describe, expect, it } from 'vitest';

import { freshEmail, freshPhone, openAuthWorld, password, type AuthWorld } from './auth-world.ts';

let world: AuthWorld;
let admin: { readonly token: string };
beforeAll(async () => {
  world = await openAuthWorld();
  admin = { token: world.keys.serviceRoleKey };
});

const create = async (fields: object = {}) =>
  world.post('/admin/users', { email: freshEmail(), password, email_confirm: true, ...fields }, admin);

describe('the admin routes', () => {
  it('require the service key', async () => {
    const { access_token: token } = await world.signedUp();
    expect(await world.get('/admin/users')).toMatchObject({
      status: 401,
      body: { code: 'no_authorization' },
    });
    expect(await world.get('/admin/users', { token })).toMatchObject({
      status: 403,
      body: { code: 'not_admin' },
    });
    const anon = await world.get('/admin/users', { token: world.keys.anonKey });
    expect(anon).toMatchObject({ status: 403, body: { code: 'not_admin' } });
  });

  it('create users that can sign in', async () => {
    const { body } = await create({ user_metadata: { name: 'Ada' }, app_metadata: { plan: 'pro' } });
    expect(body).toMatchObject({
      user_metadata: { name: 'Ada' },
      app_metadata: { plan: 'pro', provider: 'email' },
    });
    const { email } = body as unknown as { email: string };
    expect((await world.post('/token?grant_type=password', { email, password })).status).toBe(200);
    expect(await create({ email })).toMatchObject({ status: 422, body: { code: 'email_exists' } });
    const id = crypto.randomUUID();
    expect((await create({ id, phone: freshPhone() })).body.id).toBe(id);
  });

  it('accept a password hash', async () => {
    const { body: first } = await create();
    const [row] = await world.database.query<{ encrypted_password: string }>(
      'select encrypted_password from auth.users where id = $1',
      [first.id],
    );
    const email = freshEmail();
    await world.post(
      '/admin/users',
      { email, email_confirm: true, password_hash: row?.encrypted_password },
      admin,
    );
    expect((await world.post('/token?grant_type=password', { email, password })).status).toBe(200);
  });

  it('list users by page', async () => {
    await create();
    await create();
    const { body, headers } = await world.get('/admin/users?page=1&per_page=1', admin);
    expect(body.users).toHaveLength(1);
    expect(Number(headers.get('x-total-count'))).toBeGreaterThan(1);
    expect(headers.get('link')).toContain('rel="next"');
    expect((await world.get('/admin/users?page=x', admin)).body.code).toBe('validation_failed');
  });

  it('ban, change and unban users', async () => {
    const { body } = await create();
    const email = freshEmail();
    const put = async (fields: object) => world.ask('PUT', `/admin/users/${body.id}`, fields, admin);
    await put({ email, ban_duration: '1h30m' });
    const signIn = async () => world.post('/token?grant_type=password', { email, password });
    expect(await signIn()).toMatchObject({
      status: 400,
      body: { code: 'user_banned', message: 'User is banned' },
    });
    await put({ ban_duration: 'none' });
    const { body: session } = await signIn();
    await put({ ban_duration: '1h' });
    expect((await world.get('/user', { token: session.access_token })).body.code).toBe('user_banned');
    const refreshed = await world.post('/token?grant_type=refresh_token', {
      refresh_token: session.refresh_token,
    });
    expect(refreshed.body.code).toBe('user_banned');
    for (const [wrong, problem] of [
      ['soon', 'invalid duration "soon"'],
      ['9999999h', 'invalid duration "9999999h"'],
      ['5', 'missing unit in duration "5"'],
      ['1d', 'unknown unit "d" in duration "1d"'],
    ])
      expect(await put({ ban_duration: wrong })).toMatchObject({
        status: 400,
        body: { code: 'validation_failed', message: `invalid format for ban duration: time: ${problem}` },
      });
    for (const right of ['.5h', '1.h', '2562047h'])
      expect((await put({ ban_duration: right })).status).toBe(200);
    await put({ ban_duration: 'none', password: 'set by an admin' });
    expect((await world.get('/user', { token: session.access_token })).body.code).toBe('session_not_found');
  });

  it('delete users, hard or soft', async () => {
    const { user, access_token: token } = await world.signedUp();
    await world.ask('DELETE', `/admin/users/${user.id}`, { should_soft_delete: true }, admin);
    const { body } = await world.get(`/admin/users/${user.id}`, admin);
    expect(body).toHaveProperty('deleted_at');
    expect(body).not.toHaveProperty('identities.0.identity_data');
    expect(JSON.stringify(body)).not.toContain(user.email);
    expect((await world.get('/user', { token })).status).toBe(403);
    expect((await world.ask('DELETE', `/admin/users/${user.id}`, undefined, admin)).status).toBe(200);
    expect(await world.get(`/admin/users/${user.id}`, admin)).toMatchObject({
      status: 404,
      body: { code: 'user_not_found' },
    });
  });

  it('list, rename and remove factors', async () => {
    const { user, access_token: token } = await world.signedUp();
    const { body } = await world.post('/factors', { factor_type: 'totp', friendly_name: 'a' }, { token });
    const path = `/admin/users/${user.id}/factors`;
    await world.ask('PUT', `${path}/${body.id}`, { friendly_name: 'b' }, admin);
    expect((await world.get(path, admin)).body).toMatchObject([{ id: body.id, friendly_name: 'b' }]);
    await world.ask('DELETE', `${path}/${body.id}`, undefined, admin);
    expect((await world.get(path, admin)).body).toEqual([]);
  });
});

describe('generated links', () => {
  it.each(['magiclink', 'recovery', 'invite', 'signup'])(
    'generated links of type %s open a session',
    async (type) => {
      const email =
        type === 'invite' || type === 'signup' ? freshEmail() : (await world.signedUp()).user.email;
      const { body } = await world.post('/admin/generate_link', { type, email, password }, admin);
      expect(body).toMatchObject({ verification_type: type, email });
      const { location } = await world.get(body.action_link);
      expect(location.hash).toContain('access_token=');
    },
  );

  it('contain the code and hash of a mail', async () => {
    const { user } = await world.signedUp();
    const { body } = await world.post(
      '/admin/generate_link',
      { type: 'magiclink', email: user.email },
      admin,
    );
    const byHash = { type: 'magiclink', token_hash: body.hashed_token };
    expect((await world.post('/verify', byHash)).status).toBe(200);
    const sent = await world.post('/admin/generate_link', { type: 'magiclink', email: user.email }, admin);
    const byCode = { type: 'email', email: user.email, token: sent.body.email_otp };
    expect((await world.post('/verify', byCode)).status).toBe(200);
  });

  it('confirm both halves of a change of email', async () => {
    const { user } = await world.signedUp();
    const fields = { email: user.email, new_email: freshEmail() };
    const links = [];
    for (const type of ['email_change_current', 'email_change_new'])
      links.push((await world.post('/admin/generate_link', { type, ...fields }, admin)).body.action_link);
    const hashes = [];
    for (const link of links) hashes.push((await world.get(link)).location.hash);
    expect(hashes).toEqual([expect.stringContaining('message='), expect.stringContaining('access_token=')]);
    expect((await world.get(`/admin/users/${user.id}`, admin)).body).toMatchObject({
      email: fields.new_email,
    });
  });

  it('are refused for unknown users and types', async () => {
    const ask = async (type: string) =>
      world.post('/admin/generate_link', { type, email: freshEmail() }, admin);
    expect((await ask('recovery')).body.code).toBe('user_not_found');
    expect((await ask('nonsense')).body.code).toBe('validation_failed');
  });
});

describe('an invitation', () => {
  it('mails a link and a code that confirm the account', async () => {
    const email = freshEmail();
    const { body } = await world.post('/invite', { email, data: { team: 'blue' } }, admin);
    expect(body).toMatchObject({ email, user_metadata: { team: 'blue' } });
    const { link, code } = world.mailTo(email);
    expect(link.searchParams.get('type')).toBe('invite');
    const accepted = await world.post('/verify', { type: 'invite', email, token: code });
    expect(accepted.body.user.email_confirmed_at).toBeTruthy();
    expect(await world.post('/invite', { email }, admin)).toMatchObject({
      status: 422,
      body: { code: 'email_exists' },
    });
  });
});
