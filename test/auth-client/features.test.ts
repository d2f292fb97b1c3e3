import { describe, expect, it } from 'vitest';
import { createIdentities } from '../../src/auth-client/features/identities.ts';
import { createIdToken } from '../../src/auth-client/features/id-token.ts';
import { createMfa } from '../../src/auth-client/features/mfa.ts';
import { createSso } from '../../src/auth-client/features/sso.ts';
import { createSignInMessage, createWeb3 } from '../../src/auth-client/features/web3.ts';
import { serverErrorCodes } from '../../src/auth-client/errors.ts';
import { isServerErrorCode } from '../../src/auth-client/wire/server-error-codes.ts';
import { createHarness } from './support/harness.ts';
import { deferred, refusal, sessionReply, tokenOf, userOf } from '../support/wire/replies.ts';

const factorId = 'f0000000-0000-4000-8000-000000000001';
const identityId = '1d000000-0000-4000-8000-000000000002';

describe('second factors', () => {
  it('enroll sends friendly_name, factor_type and issuer or phone to POST /factors', async () => {
    const { signedIn, server } = createHarness();
    const mfa = createMfa((await signedIn()).client);
    const totp = { qr_code: '<svg>#</svg>', secret: 'JBSWY3DP', uri: 'otpauth://totp/x' };
    server.next(
      Response.json({ id: 'f1', type: 'totp', friendly_name: 'phone app', totp }),
      Response.json({ id: 'f2', type: 'phone', phone: '15550100' }),
    );
    expect(await mfa.enroll({ factorType: 'totp', friendlyName: 'phone app', issuer: 'Inbox' })).toEqual({
      id: 'f1',
      type: 'totp',
      friendlyName: 'phone app',
      phone: null,
      totp: {
        qrCodeUrl: 'data:image/svg+xml;utf-8,%3Csvg%3E%23%3C%2Fsvg%3E',
        secret: 'JBSWY3DP',
        uri: 'otpauth://totp/x',
      },
    });
    await mfa.enroll({ factorType: 'phone', phone: '+15550100' });
    expect(server.sent.slice(1).map(({ body }) => body)).toEqual([
      { factor_type: 'totp', friendly_name: 'phone app', issuer: 'Inbox' },
      { factor_type: 'phone', phone: '+15550100' },
    ]);
  });

  it('replaces the tokens after a verification, and emits MFA_CHALLENGE_VERIFIED once in every tab', async () => {
    const { signedIn, open, server, world, stored } = createHarness();
    const { client, events } = await signedIn();
    const other = open();
    await other.client.start();
    server.next(
      Response.json({ id: 'c1', type: 'totp', expires_at: 1_767_225_900 }),
      Response.json(sessionReply('ada', 2)),
    );
    const session = await createMfa(client).challengeAndVerify({ factorId, code: '123456' });
    await world.settle();
    expect(session.accessToken).toBe(sessionReply('ada', 2).access_token);
    expect(server.lines.slice(1)).toEqual([
      `POST /factors/${factorId}/challenge`,
      `POST /factors/${factorId}/verify`,
    ]);
    expect(server.sent[2]?.body).toEqual({ challenge_id: 'c1', code: '123456' });
    expect((await stored())?.['refresh_token']).toBe('refresh-ada-2');
    expect(events).toEqual(['MFA_CHALLENGE_VERIFIED']);
    expect(other.events).toEqual(['INITIAL_SESSION', 'MFA_CHALLENGE_VERIFIED']);
  });

  it('verification waits for a refresh in flight, and a refresh for the verification', async () => {
    const { signedIn, server, world } = createHarness();
    const { client } = await signedIn();
    const reply = deferred<Response>();
    server.next(() => reply.promise);
    const refreshing = client.refreshSession();
    await world.settle();
    const verifying = createMfa(client).verify({ factorId, challengeId: 'c1', code: '1' });
    await world.settle();
    expect(server.lines.filter((line) => line.includes('/verify'))).toEqual([]);
    server.next(Response.json(sessionReply('ada', 3)));
    reply.resolve(Response.json(sessionReply('ada', 2)));
    await refreshing;
    await verifying;
    expect(client.getSnapshot().session?.accessToken).toBe(sessionReply('ada', 3).access_token);
  });

  it('a wrong code leaves the session unchanged', async () => {
    const { signedIn, server } = createHarness();
    const { client, events } = await signedIn();
    server.next(refusal(422, 'mfa_verification_failed'));
    const verifying = createMfa(client).verify({ factorId, challengeId: 'c1', code: '0' });
    await expect(verifying).rejects.toMatchObject({ code: 'mfa_verification_failed' });
    expect(client.getSnapshot().session?.accessToken).toBe(sessionReply('ada', 1).access_token);
    expect(events).toEqual([]);
  });

  it('webauthn returns options and accepts a credential', async () => {
    const { signedIn, server } = createHarness();
    const { client } = await signedIn();
    const mfa = createMfa(client);
    const webauthn = { type: 'request', credential_options: { publicKey: { challenge: 'x' } } };
    server.next(
      Response.json({ id: 'c1', type: 'webauthn', expires_at: 1, webauthn }),
      Response.json(sessionReply('ada', 2)),
    );
    const challenge = await mfa.challenge({ factorId });
    expect(challenge.webauthn).toEqual({ type: 'request', options: { publicKey: { challenge: 'x' } } });
    await mfa.verify({
      factorId,
      challengeId: 'c1',
      webauthn: { type: 'request', credential: { id: 'k' } },
    });
    expect(server.sent.at(-1)?.body).toEqual({
      challenge_id: 'c1',
      webauthn: { type: 'request', credential_response: { id: 'k' } },
    });
  });

  it('unenroll sends DELETE /factors/{id}, and refreshes to fall back to aal1', async () => {
    const { signedIn, server } = createHarness();
    const { client } = await signedIn();
    server.next(Response.json({ id: 'f1' }), Response.json(sessionReply('ada', 2)));
    await createMfa(client).unenroll({ factorId });
    expect(server.lines.slice(1)).toEqual([
      `DELETE /factors/${factorId}`,
      'POST /token?grant_type=refresh_token',
    ]);
  });

  it('lists the verified factors by type', async () => {
    const { signedIn, server } = createHarness();
    const { client } = await signedIn();
    const factors = [
      { id: '1', factor_type: 'totp', status: 'verified' },
      { id: '2', factor_type: 'totp', status: 'unverified' },
      { id: '3', factor_type: 'phone', status: 'verified' },
    ];
    server.next(Response.json(userOf('ada', { factors })));
    const list = await createMfa(client).listFactors();
    expect([
      list.all.length,
      list.totp.map(({ id }) => id),
      list.phone.map(({ id }) => id),
      list.webauthn,
    ]).toEqual([3, ['1'], ['3'], []]);
  });

  it('returns the current and the next assurance level', async () => {
    const { open, server } = createHarness();
    const { client } = open();
    const mfa = createMfa(client);
    expect(await mfa.getAuthenticatorAssuranceLevel()).toEqual({
      currentLevel: null,
      nextLevel: null,
      methods: [],
    });
    const amr = [{ method: 'password', timestamp: 1 }];
    const user = userOf('ada', { factors: [{ id: '1', factor_type: 'totp', status: 'verified' }] });
    server.next(
      Response.json(sessionReply('ada', 1, { user, access_token: tokenOf('ada', 1, { aal: 'aal1', amr }) })),
    );
    await client.signInWithPassword({ email: 'ada@example.com', password: 'correct horse' });
    expect(await mfa.getAuthenticatorAssuranceLevel()).toEqual({
      currentLevel: 'aal1',
      nextLevel: 'aal2',
      methods: amr,
    });
  });
});

it('the assurance level of a given token uses the factors of its user', async () => {
  const { open, server } = createHarness();
  const { client } = open();
  const accessToken = tokenOf('bob', 1, { aal: 'aal1' });
  const factors = [{ id: '1', factor_type: 'totp', status: 'verified' }];
  server.next(Response.json(userOf('bob', { factors })));
  expect(await createMfa(client).getAuthenticatorAssuranceLevel({ accessToken })).toEqual({
    currentLevel: 'aal1',
    nextLevel: 'aal2',
    methods: [],
  });
  expect(server.sent[0]?.headers.get('authorization')).toBe(`Bearer ${accessToken}`);
});

describe('calls with tokens of another session', () => {
  it('getUser returns the user of a given access token, without a session', async () => {
    const { open, server } = createHarness();
    server.next(Response.json(userOf('bob')));
    expect((await open().client.getUser({ accessToken: 'given' })).id).toBe('bob');
    expect(server.lines).toEqual(['GET /user']);
    expect(server.sent[0]?.headers.get('authorization')).toBe('Bearer given');
  });

  it('refreshSession signs in with a given refresh token', async () => {
    const { signedIn, server, stored } = createHarness();
    const { client, events } = await signedIn();
    server.next(Response.json(sessionReply('bob', 5)));
    const session = await client.refreshSession({ refreshToken: 'refresh-bob-4' });
    expect(session.user.id).toBe('bob');
    expect(server.sent[1]?.body).toEqual({ refresh_token: 'refresh-bob-4' });
    expect((await stored())?.['refresh_token']).toBe('refresh-bob-5');
    await new Promise((resolve) => setImmediate(resolve));
    expect(events).toEqual(['SIGNED_IN']);
  });

  it('links an identity by ID token as the signed-in user', async () => {
    const { signedIn, server } = createHarness();
    const { client } = await signedIn();
    const user = userOf('ada', { identities: [{ identity_id: 'i2', provider: 'google' }] });
    server.next(Response.json(sessionReply('ada', 2, { user })));
    const session = await createIdToken(client).linkIdentityWithIdToken({ provider: 'google', token: 'jwt' });
    expect(session.user.identities).toHaveLength(1);
    expect(server.lines[1]).toBe('POST /token?grant_type=id_token');
    expect(server.sent[1]?.body).toEqual({ provider: 'google', id_token: 'jwt', link_identity: true });
    expect(server.sent[1]?.headers.get('authorization')).toBe(
      `Bearer ${sessionReply('ada', 1).access_token}`,
    );
  });
});

describe('identities', () => {
  it('linking sends GET /user/identities/authorize, unlinking DELETE /user/identities/{identity_id}', async () => {
    const { signedIn, server } = createHarness();
    const { client, events } = await signedIn();
    const identities = createIdentities(client);
    const user = userOf('ada', { identities: [{ identity_id: 'i1', provider: 'email' }] });
    server.next(
      Response.json({ url: 'https://github.test/login' }),
      Response.json({}),
      Response.json(user),
      Response.json(user),
    );
    expect(await identities.linkIdentity({ provider: 'github' })).toMatchObject({
      url: 'https://github.test/login',
    });
    expect(server.lines[1]).toMatch(
      /^GET \/user\/identities\/authorize\?provider=github&skip_http_redirect=true&code_challenge=[\w-]{43}&code_challenge_method=s256$/,
    );
    await identities.unlinkIdentity({ identity_id: identityId });
    expect(server.lines[2]).toBe(`DELETE /user/identities/${identityId}`);
    expect(client.getSnapshot().user?.identities).toHaveLength(1);
    expect(await identities.getUserIdentities()).toMatchObject([{ identity_id: 'i1' }]);
    expect(events).toEqual(['USER_UPDATED']);
  });
});

describe('other ways to sign in', () => {
  it('a sign-in by ID token sends provider, id_token, access_token and nonce to POST /token', async () => {
    const { open, server } = createHarness();
    const { client } = open();
    server.next(Response.json(sessionReply('ada', 1)));
    await createIdToken(client).signInWithIdToken({
      provider: 'google',
      token: 't',
      accessToken: 'a',
      nonce: 'n',
      captchaToken: 'c',
    });
    expect(server.lines).toEqual(['POST /token?grant_type=id_token']);
    expect(server.sent[0]?.body).toEqual({
      provider: 'google',
      id_token: 't',
      access_token: 'a',
      nonce: 'n',
      gotrue_meta_security: { captcha_token: 'c' },
    });
    expect(client.getSnapshot().status).toBe('signed-in');
  });

  it('a sign-in by wallet sends chain, message and signature to POST /token', async () => {
    const { open, server } = createHarness();
    const { client } = open();
    server.on('POST /token', () => Response.json(sessionReply('ada', 1)));
    await createWeb3(client).signInWithWeb3({
      chain: 'ethereum',
      message: 'm',
      signature: Uint8Array.of(0, 171),
    });
    await createWeb3(client).signInWithWeb3({
      chain: 'solana',
      message: 'm',
      signature: Uint8Array.of(251, 255),
    });
    expect(server.sent.map(({ body }) => body)).toEqual([
      { chain: 'ethereum', message: 'm', signature: '0x00ab' },
      { chain: 'solana', message: 'm', signature: '-_8' },
    ]);
  });

  it.each([
    ['solana', 'solana:mainnet'],
    ['ethereum', '1'],
  ] as const)('the default chain id of %s is one that the server accepts: %s', (chain, chainId) => {
    const message = createSignInMessage({
      chain,
      domain: 'app.test',
      address: 'a',
      uri: 'https://app.test',
      issuedAtMs: 0,
    });
    expect(message.split('\n')).toContain(`Chain ID: ${chainId}`);
  });

  it('writes the message of EIP-4361', () => {
    const message = createSignInMessage({
      chain: 'ethereum',
      domain: 'app.test',
      address: '0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2',
      uri: 'https://app.test/login',
      issuedAtMs: 0,
      statement: 'Sign in to Inbox',
      nonce: '32891756',
    });
    expect(message).toBe(
      [
        'app.test wants you to sign in with your Ethereum account:',
        '0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2',
        '',
        'Sign in to Inbox',
        '',
        'URI: https://app.test/login',
        'Version: 1',
        'Chain ID: 1',
        'Nonce: 32891756',
        'Issued At: 1970-01-01T00:00:00.000Z',
      ].join('\n'),
    );
  });

  it('SSO returns the URL for a domain or provider, and is refused without either before the request', async () => {
    const { open, server } = createHarness();
    const { client } = open();
    server.on('POST /sso', () => Response.json({ url: 'https://idp.test' }));
    expect(
      await createSso(client).signInWithSso({ domain: 'example.com', redirectTo: 'http://app.test/home' }),
    ).toMatchObject({
      url: 'https://idp.test',
    });
    expect(server.sent[0]?.body).toEqual({
      domain: 'example.com',
      redirect_to: 'http://app.test/home',
      skip_http_redirect: true,
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge_method: 's256',
    });
    await expect(createSso(client).signInWithSso({ domain: '' })).rejects.toMatchObject({
      code: 'invalid-argument',
    });
    expect(server.lines).toHaveLength(1);
  });
});

it('knows the 113 codes of the server', () => {
  expect(serverErrorCodes).toHaveLength(113);
  expect(isServerErrorCode('user_banned')).toBe(true);
  expect(isServerErrorCode('toString')).toBe(false);
});

describe('a second factor', () => {
  it('stores a verification whose caller has stopped waiting', async () => {
    const { signedIn, server, stored, world } = createHarness();
    const { client } = await signedIn();
    const slow = deferred<Response>();
    server.on(`POST /factors/${factorId}/verify`, () => slow.promise);
    const abort = new AbortController();
    const verification = createMfa(client).verify(
      { factorId, challengeId: 'c', code: '123456' },
      { signal: abort.signal },
    );
    verification.catch(() => undefined);
    await world.settle();
    abort.abort();
    await expect(verification).rejects.toMatchObject({ code: 'aborted' });
    slow.resolve(Response.json(sessionReply('ada', 2)));
    await world.settle();
    expect(await stored()).toMatchObject({ refresh_token: sessionReply('ada', 2).refresh_token });
    client.close();
  });

  it('stays removed when the following refresh fails', async () => {
    const { signedIn, server } = createHarness();
    const { client } = await signedIn();
    server.on(`DELETE /factors/${factorId}`, () => Response.json({ id: 'f' }));
    server.on('POST /token', () => refusal(429, 'over_request_rate_limit'));
    await expect(createMfa(client).unenroll({ factorId })).resolves.toBeUndefined();
    expect(server.lines.at(-1)).toBe('POST /token?grant_type=refresh_token');
    client.close();
  });

  it('a second factor with bare method names (RFC 8176) is recognized', async () => {
    const { open, server } = createHarness();
    const { client } = open();
    await client.start();
    const access_token = tokenOf('ada', 1, { aal: 'aal1', amr: ['pwd', { method: 'totp', timestamp: 7 }] });
    server.next(Response.json(sessionReply('ada', 1, { access_token })));
    await client.signInWithPassword({ email: 'ada@example.com', password: 'x' });
    expect((await createMfa(client).getAuthenticatorAssuranceLevel()).methods).toEqual([
      { method: 'pwd', timestamp: null },
      { method: 'totp', timestamp: 7 },
    ]);
    client.close();
  });
});

it('a message of EIP-4361 without a statement has two empty lines', () => {
  const message = createSignInMessage({
    chain: 'ethereum',
    domain: 'app.test',
    address: '0xabc',
    uri: 'https://app.test',
    issuedAtMs: 0,
  });
  expect(message.split('\n').slice(1, 5)).toEqual(['0xabc', '', '', 'URI: https://app.test']);
});
