import { describe, expect, it } from 'vitest';
import manifest from '../../src/package.json' with { type: 'json' };
import { createHarness } from './support/harness.ts';
import { page, refusal, sessionReply, userOf } from '../support/wire/replies.ts';

const ADA = { email: 'ada@example.com', password: 'correct horse' };

async function started() {
  const harness = createHarness();
  const opened = harness.open();
  await opened.client.start();
  return { ...harness, ...opened };
}

describe('sign-up', () => {
  it('sign-up with confirmation returns a user without a session or event', async () => {
    const { client, server, events, world } = await started();
    server.next(Response.json(userOf('ada')));
    const result = await client.signUp({ ...ADA, redirectTo: 'http://app.test/home' });
    await world.settle();
    expect(result).toMatchObject({ user: { id: 'ada' }, session: null });
    expect(server.lines).toEqual(['POST /signup?redirect_to=http%3A%2F%2Fapp.test%2Fhome']);
    expect(server.sent[0]?.body).toMatchObject({ ...ADA, code_challenge_method: 's256' });
    expect(server.sent[0]?.body?.['code_challenge']).toHaveLength(43);
    expect(events).toEqual(['INITIAL_SESSION']);
  });

  it('sign-up with autoconfirm stores the session and emits SIGNED_IN once', async () => {
    const { client, server, events, world, stored } = await started();
    server.next(Response.json(sessionReply('ada', 1)));
    const { session } = await client.signUp(ADA);
    await world.settle();
    expect(session?.accessToken).toBe(sessionReply('ada', 1).access_token);
    expect(JSON.stringify(session)).not.toContain('refresh-ada-1');
    expect((await stored())?.['refresh_token']).toBe('refresh-ada-1');
    expect(events).toEqual(['INITIAL_SESSION', 'SIGNED_IN']);
  });

  it('a repeated sign-up accepts the obfuscated user of the server', async () => {
    const { client, server } = await started();
    server.next(Response.json(userOf('no-identities', { identities: [] })));
    const { user, session } = await client.signUp(ADA);
    expect(user.identities).toEqual([]);
    expect(session).toBeNull();
  });

  it('weak_password 422 has the reasons on the error', async () => {
    const { client, server } = await started();
    server.next(
      refusal(422, 'weak_password', {
        message: 'Too short',
        weak_password: { reasons: ['length', 'pwned'] },
      }),
    );
    await expect(client.signUp(ADA)).rejects.toMatchObject({
      code: 'weak_password',
      status: 422,
      message: 'Too short',
      weakPasswordReasons: ['length', 'pwned'],
    });
  });

  it('sign-up by phone sends a channel and no challenge', async () => {
    const { client, server } = await started();
    server.next(Response.json(userOf('ada')));
    await client.signUp({ phone: '+15550100', password: 'correct horse', channel: 'whatsapp' });
    expect(server.sent[0]?.body).toEqual({
      phone: '+15550100',
      password: 'correct horse',
      channel: 'whatsapp',
    });
  });

  it('sends only the data of an anonymous user', async () => {
    const { client, server } = await started();
    server.next(Response.json(sessionReply('guest', 1)));
    await client.signInAnonymously({ data: { theme: 'dark' } });
    expect(server.sent[0]?.body).toEqual({ data: { theme: 'dark' } });
    expect(client.getSnapshot().status).toBe('signed-in');
  });
});

describe('password', () => {
  it('sends email, password and a captcha token to POST /token (password)', async () => {
    const { client, server } = await started();
    server.next(Response.json(sessionReply('ada', 1)));
    await client.signInWithPassword({ ...ADA, captchaToken: 'human' });
    expect(server.lines).toEqual(['POST /token?grant_type=password']);
    expect(server.sent[0]?.body).toEqual({ ...ADA, gotrue_meta_security: { captcha_token: 'human' } });
    const { headers } = server.sent[0] ?? { headers: new Headers() };
    expect(headers.get('apikey')).toBe('publishable');
    expect(headers.get('authorization')).toBeNull();
    expect(headers.get('x-supabase-api-version')).toBe('2024-01-01');
    expect(headers.get('x-client-info')).toBe(`${manifest.name}/${manifest.version}`);
    expect(headers.get('content-type')).toBe('application/json;charset=UTF-8');
  });

  it('a password sign-in by phone sends the number', async () => {
    const { client, server } = await started();
    server.next(Response.json(sessionReply('ada', 1)));
    await client.signInWithPassword({ phone: '+15550100', password: 'correct horse' });
    expect(server.sent[0]?.body).toEqual({ phone: '+15550100', password: 'correct horse' });
  });

  it('weak_password on a successful sign-in is returned beside the session', async () => {
    const { client, server } = await started();
    const weak_password = { message: 'known', reasons: ['pwned'] };
    server.next(Response.json(sessionReply('ada', 1, { weak_password })));
    const session = await client.signInWithPassword(ADA);
    expect(session.weakPasswordReasons).toEqual(['pwned']);
    expect(client.getSnapshot().status).toBe('signed-in');
  });

  it.each([
    [
      'the current form',
      refusal(400, 'invalid_credentials', { message: 'Invalid login credentials' }),
      'invalid_credentials',
    ],
    [
      'the legacy form',
      Response.json(
        { code: 400, error_code: 'invalid_credentials', msg: 'Invalid login credentials' },
        { status: 400 },
      ),
      'invalid_credentials',
    ],
    [
      "OAuth's form",
      Response.json(
        { error: 'invalid_grant', error_description: 'Invalid login credentials' },
        { status: 400 },
      ),
      'oauth-error',
    ],
    [
      'a legacy error without a code',
      Response.json({ code: 400, msg: 'Invalid login credentials' }, { status: 400 }),
      'unknown',
    ],
  ])('rejects with the code and the message of %s', async (_name, response, code) => {
    const { client, server } = await started();
    server.next(response);
    await expect(client.signInWithPassword(ADA)).rejects.toMatchObject({
      name: 'AuthError',
      code,
      status: 400,
      message: 'Invalid login credentials',
    });
    expect(client.getSnapshot().status).toBe('signed-out');
  });

  it("a proxy's page is an invalid response with its status", async () => {
    const { client, server } = await started();
    server.next(page(502));
    await expect(client.signInWithPassword(ADA)).rejects.toMatchObject({
      code: 'not-the-service',
      status: 502,
    });
  });

  it('a 429 has the seconds that its message names', async () => {
    const { client, server } = await started();
    const text = 'For security purposes, you can only request this after 42 seconds.';
    server.next(refusal(429, 'over_email_send_rate_limit', { message: text }));
    await expect(client.resetPasswordForEmail({ email: ADA.email })).rejects.toMatchObject({
      code: 'over_email_send_rate_limit',
      retryAfterSeconds: 42,
    });
  });

  it('a 429 is not retried', async () => {
    const { client, server } = await started();
    server.next(refusal(429, 'over_request_rate_limit'));
    await expect(client.signInWithPassword(ADA)).rejects.toMatchObject({ code: 'over_request_rate_limit' });
    expect(server.lines).toHaveLength(1);
  });

  it.each([
    ['network', () => Promise.reject<Response>(new TypeError('Failed to fetch'))],
    ['timeout', () => new Promise<Response>(() => {})],
  ] as const)('%s has a code and a cause', async (code, response) => {
    const { client, server, world } = await started();
    server.next(response);
    const outcome = client.signInWithPassword(ADA).catch((problem: unknown) => problem);
    await world.clock.advance(15_000);
    expect(await outcome).toMatchObject({ code, status: null, cause: expect.anything() });
  });

  it('an aborted sign-in has its own code', async () => {
    const { client, server } = await started();
    server.next(() => new Promise<Response>(() => {}));
    const caller = new AbortController();
    const outcome = client.signInWithPassword(ADA, { signal: caller.signal });
    caller.abort();
    await expect(outcome).rejects.toMatchObject({ code: 'aborted' });
  });
});

describe('one-time codes', () => {
  it('a request by email carries a PKCE challenge', async () => {
    const { client, server } = await started();
    server.next(Response.json({}));
    await client.signInWithOtp({ email: ADA.email, createUser: false });
    expect(server.sent[0]?.body).toEqual({
      email: ADA.email,
      create_user: false,
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge_method: 's256',
    });
  });

  it('a request by phone returns message_id and sends no challenge', async () => {
    const { client, server } = await started();
    server.next(Response.json({ message_id: 'sms-1' }));
    expect(await client.signInWithOtp({ phone: '+15550100' })).toEqual({ messageId: 'sms-1' });
    expect(server.sent[0]?.body).toEqual({ phone: '+15550100', create_user: true, channel: 'sms' });
  });

  it('a verification by token_hash sends exactly type and token_hash', async () => {
    const { client, server } = await started();
    server.next(Response.json(sessionReply('ada', 1)));
    await client.verifyOtp({ type: 'email', tokenHash: 'pkce_abc' });
    expect(server.sent[0]?.body).toEqual({ type: 'email', token_hash: 'pkce_abc' });
  });

  it('a verified recovery emits PASSWORD_RECOVERY once, in effect until the password is set', async () => {
    const { client, server, events, world, open } = await started();
    server.next(Response.json(sessionReply('ada', 1)));
    await client.verifyOtp({ type: 'recovery', email: ADA.email, token: '123456' });
    await world.settle();
    expect(events).toEqual(['INITIAL_SESSION', 'PASSWORD_RECOVERY']);
    server.next(Response.json(sessionReply('ada', 2)));
    await client.refreshSession();
    const reloaded = open();
    await reloaded.client.start();
    expect(reloaded.client.getSnapshot().recovery).toBe(true);
    server.next(Response.json(userOf('ada')));
    await client.updateUser({ password: 'a better horse' });
    await world.settle();
    expect(client.getSnapshot().recovery).toBe(false);
    expect(reloaded.client.getSnapshot().recovery).toBe(false);
    expect(events).toEqual(['INITIAL_SESSION', 'PASSWORD_RECOVERY', 'TOKEN_REFRESHED', 'USER_UPDATED']);
  });

  it('the first half of an email change returns a message and no session', async () => {
    const { client, server, events, world } = await started();
    server.next(Response.json({ msg: 'Confirm the other address too', code: '200' }));
    expect(await client.verifyOtp({ type: 'email_change', email: ADA.email, token: '1' })).toEqual({
      session: null,
      message: 'Confirm the other address too',
    });
    await world.settle();
    expect(events).toEqual(['INITIAL_SESSION']);
  });

  it('resending by email sends the type and a PKCE challenge', async () => {
    const { client, server } = await started();
    server.next(Response.json({}));
    await client.resend({ type: 'signup', email: ADA.email });
    expect(server.sent[0]?.body).toMatchObject({
      type: 'signup',
      email: ADA.email,
      code_challenge_method: 's256',
    });
  });

  it('a password reset sends the redirect in the query', async () => {
    const { client, server } = await started();
    server.next(Response.json({}));
    await client.resetPasswordForEmail({ email: ADA.email, redirectTo: 'http://app.test/reset-password' });
    expect(server.lines).toEqual(['POST /recover?redirect_to=http%3A%2F%2Fapp.test%2Freset-password']);
  });
});

describe('an invalid call is refused before a request is sent', () => {
  it('signing in with a one-time code needs an email or a phone number', async () => {
    const { client, server } = await started();
    await expect(client.signInWithOtp({} as never)).rejects.toMatchObject({
      code: 'invalid-argument',
      message: 'You must provide either an email or phone number.',
    });
    expect(server.lines).toEqual([]);
  });

  it('resending a confirmation needs an email or phone plus a type', async () => {
    const { client, server } = await started();
    const code = 'invalid-argument';
    await expect(client.resend({ type: 'signup' } as never)).rejects.toMatchObject({ code });
    await expect(client.resend({ email: ADA.email } as never)).rejects.toMatchObject({ code });
    expect(server.lines).toEqual([]);
  });

  it('a session set by hand needs both an access token and a refresh token', async () => {
    const { client, server } = await started();
    const code = 'invalid-argument';
    await expect(client.setSession({ accessToken: 'a', refreshToken: '' })).rejects.toMatchObject({ code });
    await expect(client.setSession({ accessToken: '', refreshToken: 'r' })).rejects.toMatchObject({ code });
    expect(server.lines).toEqual([]);
  });

  it.each([
    [{ url: '' }, 'Supabase configuration incomplete: url is not set'],
    [{ apiKey: '' }, 'Supabase configuration incomplete: apiKey is not set'],
    [
      { url: 'ftp://project.test' },
      'Supabase configuration incomplete: url is not set (it must be an http or https URL)',
    ],
    [
      { url: 'project' },
      'Supabase configuration incomplete: url is not set (it must be an http or https URL)',
    ],
  ])('the configuration %j is refused', (options, message) => {
    expect(() => createHarness().open(options)).toThrow(
      expect.objectContaining({ code: 'invalid-options', message }),
    );
  });
});

describe('user', () => {
  it('a call as the user carries the token, and a refused token is refreshed once', async () => {
    const { signedIn, server } = createHarness();
    const { client } = await signedIn();
    server.next(refusal(403, 'bad_jwt'), Response.json(sessionReply('ada', 2)), Response.json(userOf('ada')));
    expect((await client.getUser()).id).toBe('ada');
    expect(server.lines.slice(1)).toEqual(['GET /user', 'POST /token?grant_type=refresh_token', 'GET /user']);
    expect(server.sent[3]?.headers.get('authorization')).toBe(
      `Bearer ${sessionReply('ada', 2).access_token}`,
    );
  });

  it('reading the user without a session throws missing-session and sends nothing', async () => {
    const { client, server } = await started();
    await expect(client.getUser()).rejects.toMatchObject({ code: 'missing-session' });
    expect(server.lines).toEqual([]);
  });

  it('updateUser sends PUT, changes the stored user and emits USER_UPDATED once', async () => {
    const { signedIn, server, world, stored } = createHarness();
    const { client, reasons } = await signedIn();
    server.next(Response.json(userOf('ada', { user_metadata: { name: 'Ada' } })));
    await client.updateUser({ data: { name: 'Ada' }, currentPassword: 'old', nonce: '123456' });
    await world.settle();
    expect(server.lines[1]).toBe('PUT /user');
    expect(server.sent[1]?.body).toEqual({ data: { name: 'Ada' }, current_password: 'old', nonce: '123456' });
    expect(await stored()).toMatchObject({ user: { user_metadata: { name: 'Ada' } } });
    expect(client.getSnapshot().user?.user_metadata).toEqual({ name: 'Ada' });
    expect(reasons).toEqual(['USER_UPDATED/call']);
  });

  it('setSession reads the user of the tokens', async () => {
    const { client, server, events, world } = await started();
    server.next(Response.json(userOf('ada')));
    const { access_token: accessToken } = sessionReply('ada', 1);
    const session = await client.setSession({ accessToken, refreshToken: 'r' });
    await world.settle();
    expect(session.user.id).toBe('ada');
    expect(events).toEqual(['INITIAL_SESSION', 'SIGNED_IN']);
  });

  it('reauthenticate sends its request, and getSettings returns the settings', async () => {
    const { signedIn, server } = createHarness();
    const { client } = await signedIn();
    server.next(
      Response.json({}),
      Response.json({ external: { email: true, google: false }, disable_signup: false }),
    );
    await client.reauthenticate();
    expect((await client.getSettings()).external).toEqual({ email: true, google: false });
    expect(server.lines.slice(1)).toEqual(['GET /reauthenticate', 'GET /settings']);
  });
});
