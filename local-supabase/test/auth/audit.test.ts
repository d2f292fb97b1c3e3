import { Secret, TOTP } from 'otpauth';
import { beforeEach, describe, expect, it } from 'vitest';

import { type ResponseBody, type AuthWorld, freshEmail, openAuthWorld, password } from './auth-world.ts';

interface Entry {
  readonly payload: Readonly<Record<string, unknown>>;
  readonly ip_address: string;
}

let world: AuthWorld;
beforeEach(async () => {
  world = await openAuthWorld();
  await world.database.query('delete from auth.audit_log_entries');
});

const admin = () => ({ token: world.keys.serviceRoleKey });
const read = async (query = ''): Promise<readonly Entry[]> =>
  (await world.get(`/admin/audit?${query}`, admin())).body as unknown as readonly Entry[];
/** The recorded actions with their traits, oldest first. */
const actionsOf = async (query = ''): Promise<readonly unknown[]> =>
  (await read(query))
    .map(({ payload: { action, traits } }) => (traits ? [action, traits] : action))
    .toReversed();

describe('the log of actions', () => {
  it('names the actor and the action', async () => {
    const email = freshEmail();
    await world.post('/signup', { email, password, data: { full_name: 'Ada' } });
    const [entry] = await read();
    const { body: user } = await world.post('/verify', {
      type: 'signup',
      email,
      token: world.mailTo(email).code,
    });
    expect(entry).toEqual({
      id: expect.any(String) as string,
      created_at: '2026-01-01T00:00:00.000Z',
      ip_address: '',
      payload: {
        action: 'user_confirmation_requested',
        actor_id: user.user.id,
        actor_name: 'Ada',
        actor_username: email,
        actor_via_sso: false,
        log_type: 'user',
        traits: { provider: 'email' },
      },
    });
  });

  it('contains the actions of an account and its sessions in order', async () => {
    const email = freshEmail();
    await world.signedUp(email);
    await world.post('/signup', { email, password });
    const { body: session } = await world.post('/token?grant_type=password', { email, password });
    const { body: refreshed } = await world.post('/token?grant_type=refresh_token', session);
    const options = { token: refreshed.access_token };
    await world.ask('PUT', '/user', { password: 'another horse' }, options);
    await world.post('/logout', {}, options);
    await world.post('/recover', { email });
    expect(await actionsOf()).toEqual([
      ['user_confirmation_requested', { provider: 'email' }],
      ['user_signedup', { provider: 'email' }],
      ['user_repeated_signup', { provider: 'email' }],
      ['login', { provider: 'email' }],
      'token_refreshed',
      'token_revoked',
      'user_updated_password',
      'user_modified',
      'logout',
      'user_recovery_requested',
    ]);
  });

  it('contains the actions on factors with the address of the caller', async () => {
    const options = { token: (await world.signedUp()).access_token };
    const { body: factor } = await world.post('/factors', { factor_type: 'totp' }, options);
    const { body: challenge } = await world.post(`/factors/${factor.id}/challenge`, {}, options);
    const totp = new TOTP({ secret: Secret.fromBase32(factor.totp.secret) });
    const proof = { challenge_id: challenge.id, code: totp.generate({ timestamp: world.nowMs() }) };
    const { body: raised } = await world.post(`/factors/${factor.id}/verify`, proof, options);
    await world.ask('DELETE', `/factors/${factor.id}`, undefined, { token: raised.access_token });
    expect((await actionsOf('query=type:factor')).flat().filter((part) => typeof part === 'string')).toEqual([
      'factor_in_progress',
      'challenge_created',
      'verification_attempted',
      'factor_unenrolled',
    ]);
    expect((await read('query=type:factor')).map(({ ip_address: ip }) => ip)).toEqual(
      Array(4).fill('127.0.0.1'),
    );
  });

  it('names an administrator by the role, and the user in the traits', async () => {
    const email = freshEmail();
    const { body: user } = await world.post('/admin/users', { email }, admin());
    const { id } = user as unknown as ResponseBody['user'];
    await world.ask('DELETE', `/admin/users/${id}`, undefined, admin());
    const traits = { user_id: id, user_email: email, user_phone: '' };
    expect(await actionsOf('query=author:service_ROLE')).toEqual([
      ['user_signedup', { ...traits, provider: 'email' }],
      ['user_deleted', traits],
    ]);
  });

  it('can be read by page and searched', async () => {
    for (let count = 0; count < 3; count += 1) await world.post('/signup', { email: freshEmail(), password });
    const { headers, body } = await world.get('/admin/audit?per_page=2&query=action:confirmation', admin());
    expect(body).toHaveLength(2);
    expect(headers.get('x-total-count')).toBe('3');
    expect(headers.get('link')).toContain('page=2&per_page=2&query=action%3Aconfirmation>; rel="next"');
    expect(await read('query=action:nothing')).toEqual([]);
    for (const [query, message] of [
      ['query=ip:1', 'Invalid query scope: ip:1'],
      ['query=action', 'Invalid query scope: action'],
      ['page=x', 'Bad Pagination Parameters: strconv.ParseUint: parsing "x": invalid syntax'],
    ])
      expect((await world.get(`/admin/audit?${query}`, admin())).body.message).toBe(message);
    const { access_token: token } = await world.signedUp();
    expect((await world.get('/admin/audit', { token })).status).toBe(403);
  });

  it('stays empty if it is disabled', async () => {
    await (await openAuthWorld({ auditLogEnabled: false })).signedUp();
    expect(await read()).toEqual([]);
  });
});
