import { createHash } from 'node:crypto';

import { beforeEach, describe, expect, it } from 'vitest';

import { accountChanges } from '../../src/services/auth/mail/mail-template.ts';
import { type AuthWorld, freshEmail, freshPhone, openAuthWorld, origin, password } from './auth-world.ts';

interface Payload {
  readonly metadata: { readonly name: string };
  readonly user: Readonly<Record<string, unknown>>;
  readonly email_data: Readonly<Record<string, string>>;
  readonly sms: Readonly<Record<string, string>>;
}

const uri = 'https://hooks.example.com/auth';
const hooks = { send_email: { uri }, send_sms: { uri }, before_user_created: { uri } };
const sent: Payload[] = [];
let respond: (payload: Payload) => Response;
let world: AuthWorld;
beforeEach(async () => {
  sent.length = 0;
  respond = () => new Response(null, { status: 204 });
  world = await openAuthWorld({ hooks, accountChangeMails: accountChanges }, [], {
    transport: {
      async fetch(request) {
        const payload = (await request.json()) as Payload;
        sent.push(payload);
        return respond(payload);
      },
      sleep: async () => undefined,
    },
  });
});

const hash = (address: string, code: string | undefined): string =>
  createHash('sha224')
    .update(address + code)
    .digest('hex');

function lastOf(name: string): Payload {
  const payload = sent.findLast(({ metadata }) => metadata.name === name);
  if (payload === undefined) throw new Error(`The hook ${name} was not called`);
  return payload;
}
const lastMail = () => lastOf('send-email').email_data;

describe('the hook send_email', () => {
  it('replaces the mails of a sign-up, a password and a change of email, and its codes work', async () => {
    const [email, next] = [freshEmail(), freshEmail()];
    await world.post('/signup', { email, password });
    const { token = '' } = lastMail();
    expect(lastOf('send-email').user['email']).toBe(email);
    expect(lastMail()).toEqual({
      token,
      token_hash: hash(email, token),
      email_action_type: 'signup',
      redirect_to: 'http://localhost:5173',
      site_url: `${origin}/auth/v1`,
      token_new: '',
      token_hash_new: '',
      old_email: '',
      old_phone: '',
      provider: '',
      factor_type: '',
    });
    const { body: session } = await world.post('/verify', { type: 'signup', email, token });
    await world.ask('PUT', '/user', { password: 'another horse' }, { token: session.access_token });
    expect(lastMail()['email_action_type']).toBe('password_changed_notification');
    await world.ask('PUT', '/user', { email: next }, { token: session.access_token });
    const change = lastMail();
    expect(lastOf('send-email').user['new_email']).toBe(next);
    expect(change).toMatchObject({
      email_action_type: 'email_change',
      token_hash: hash(next, change['token_new']),
      token_hash_new: hash(email, change['token']),
    });
    expect(world.mails).toEqual([]);
  });

  it('rolls back the sign-up when it fails', async () => {
    const email = freshEmail();
    respond = ({ metadata }) =>
      metadata.name === 'send-email'
        ? new Response(null, { status: 400 })
        : new Response(null, { status: 204 });
    const { status, body } = await world.post('/signup', { email, password });
    expect([status, body.message]).toEqual([500, 'Invalid payload sent to hook']);
    expect(await world.database.query('select 1 from auth.users where email = $1', [email])).toEqual([]);
  });
});

describe('the hook send_sms', () => {
  it('receives the codes of sign-ups by phone, for any channel, and of factors', async () => {
    const phone = freshPhone();
    await world.post('/otp', { phone, channel: 'pigeon' });
    const { sms } = lastOf('send-sms');
    expect(sms).toEqual({ otp: sms['otp'], phone });
    const { body: session } = await world.post('/verify', { type: 'sms', phone, token: sms['otp'] });
    const options = { token: session.access_token };
    const { body: factor } = await world.post(
      '/factors',
      { factor_type: 'phone', phone: '+15551112222' },
      options,
    );
    const { body: challenge } = await world.post(`/factors/${factor.id}/challenge`, {}, options);
    expect(lastOf('send-sms').sms).toMatchObject({ sms_type: 'mfa', phone: '15551112222' });
    const code = lastOf('send-sms').sms['otp'];
    const { status } = await world.post(
      `/factors/${factor.id}/verify`,
      { challenge_id: challenge.id, code },
      options,
    );
    expect(status).toBe(200);
    respond = () => Response.json({ error: { http_code: 403, message: 'No' } });
    const refused = await world.post(`/factors/${factor.id}/challenge`, {}, options);
    expect([refused.status, refused.body.message]).toEqual([500, 'error invoking hook']);
    expect(world.texts).toEqual([]);
  });
});

describe('the hook before_user_created', () => {
  const admin = () => ({ token: world.keys.serviceRoleKey });
  const providerSignIn = async (email: string) => {
    const query = new URLSearchParams({ provider: 'github', prompt: 'none', login_hint: email });
    const begun = await world.get(`/authorize?${query}`);
    return world.get((await world.get(begun.location.href)).location.href);
  };

  it('receives the account with its final id', async () => {
    const email = freshEmail();
    const { body } = await world.post('/signup', { email, password, data: { team: 'blue' } });
    expect(lastOf('before-user-created').user).toEqual({
      id: body.id,
      aud: 'authenticated',
      role: '',
      email,
      phone: '',
      app_metadata: { provider: 'email', providers: ['email'] },
      user_metadata: { team: 'blue' },
      identities: [],
      created_at: '0001-01-01T00:00:00Z',
      updated_at: '0001-01-01T00:00:00Z',
      is_anonymous: false,
    });
  });

  it.each([
    ['an invitation', (email: string) => world.post('/invite', { email }, admin())],
    ['a link', (email: string) => world.post('/admin/generate_link', { type: 'invite', email }, admin())],
    ['an anonymous sign-in', () => world.post('/signup', {})],
    ['a magic link', (email: string) => world.post('/magiclink', { email })],
  ])('refuses %s', async (_, act) => {
    respond = () => Response.json({ error: { http_code: 403, message: 'Members only' } });
    const { status, body } = await act(freshEmail());
    expect([status, body.code, body.message]).toEqual([403, 'unknown', 'Members only']);
  });

  it("can reject a provider's new account, and is not called for a known one", async () => {
    const email = freshEmail();
    respond = () => Response.json({ error: { message: 'Members only' } });
    expect((await providerSignIn(email)).location.searchParams.get('error_description')).toBe('Members only');
    respond = () => new Response(null, { status: 204 });
    expect((await providerSignIn(email)).location.hash).toContain('access_token=');
    expect((await providerSignIn(email)).location.hash).toContain('access_token=');
    expect(sent).toHaveLength(2);
  });
});
