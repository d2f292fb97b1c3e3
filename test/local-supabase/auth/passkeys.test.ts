import { beforeAll, describe, expect, it } from 'vitest';

import { createSoftwareAuthenticator, type Deviation } from '../../support/software-authenticator.ts';
import { freshEmail, openAuthWorld, readClaims, siteUrl, type AuthWorld } from './auth-world.ts';
import { createPasskeyUser, register, signInWithPasskey, type PasskeyUser } from './passkey-world.ts';

let world: AuthWorld;
beforeAll(async () => {
  world = await openAuthWorld();
});

const failed = (message: string) => ({
  status: 400,
  body: { code: 'webauthn_verification_failed', message },
});
const verificationFailed = failed('Credential verification failed');
const challengeNotFound = {
  status: 400,
  body: { code: 'webauthn_challenge_not_found', message: 'Challenge not found or already used' },
};

const invalidProofs: readonly (readonly [string, Deviation])[] = [
  ['another origin', { origin: 'https://evil.example.com' }],
  ['a subdomain of the site', { origin: 'http://evil.localhost:5173' }],
  ['another port', { origin: 'http://localhost:5174' }],
  ['another domain', { rpId: 'evil.example.com' }],
  ['another ceremony', { type: 'payment.get' }],
  ['another challenge', { challenge: Buffer.alloc(32).toString('base64url') }],
  ['an absent user', { isUserPresent: false }],
];

describe('the options of a registration', () => {
  it('name the site, the user and the algorithms as go-webauthn does', async () => {
    const { access_token: token, user } = await world.signedUp();
    const { status, body } = await world.post('/passkeys/registration/options', {}, { token });
    expect(status).toBe(200);
    expect(body).toEqual({
      challenge_id: expect.stringMatching(/^[\da-f-]{36}$/),
      options: {
        rp: { name: 'Local Supabase', id: 'localhost' },
        user: {
          name: user.email,
          displayName: user.email,
          id: Buffer.from(user.id).toString('base64url'),
        },
        challenge: expect.stringMatching(/^[\w-]{43}$/),
        pubKeyCredParams: [-7, -35, -36, -257, -258, -259, -37, -38, -39, -8].map((alg) => ({
          type: 'public-key',
          alg,
        })),
        timeout: 300_000,
        authenticatorSelection: { residentKey: 'required', userVerification: 'preferred' },
        attestation: 'none',
      },
      expires_at: Math.floor(world.nowMs() / 1000) + 300,
    });
  });

  it('exclude the passkeys of the user and show the name of the user', async () => {
    const { token, authenticator } = await createPasskeyUser(world);
    await world.ask('PUT', '/user', { data: { name: 'Ada' } }, { token });
    const { body } = await world.post('/passkeys/registration/options', {}, { token });
    expect(body.options).toMatchObject({
      user: { displayName: 'Ada' },
      excludeCredentials: authenticator.credentialIds.map((id) => ({ type: 'public-key', id })),
    });
    expect(() => authenticator.create(body.options)).toThrow('already registered');
  });

  it('take the relying party from the settings', async () => {
    const on = await openAuthWorld({
      webauthnRpId: 'example.com',
      webauthnRpDisplayName: 'Example',
      webauthnRpOrigins: ['https://App.example.com:443/', 'android:apk-key-hash:abc'],
    });
    const { access_token: token } = await on.signedUp();
    const { body } = await on.post('/passkeys/registration/options', {}, { token });
    expect(body.options.rp).toEqual({ name: 'Example', id: 'example.com' });
    for (const [origin, status] of [
      ['https://app.example.com', 200],
      ['android:apk-key-hash:abc', 200],
      ['android:apk-key-hash:abcd', 400],
      ['https://example.com', 400],
    ] as const)
      expect((await register(on, token, createSoftwareAuthenticator(origin))).status).toBe(status);
  });

  it('fail for a site that has no web origin', async () => {
    const on = await openAuthWorld({}, [], { siteUrl: 'app://home' });
    const { access_token: token } = await on.signedUp();
    expect(await on.post('/passkeys/registration/options', {}, { token })).toMatchObject({
      status: 500,
      body: { message: 'Failed to initialize WebAuthn' },
    });
  });
});

describe('a proof for', () => {
  let user: PasskeyUser;
  beforeAll(async () => {
    user = await createPasskeyUser(world);
  });

  it.each(invalidProofs)('%s is refused at a registration and at a sign-in', async (_, deviation) => {
    const { token, authenticator, passkeyId } = user;
    const other = createSoftwareAuthenticator(siteUrl);
    expect(await register(world, token, other, deviation)).toMatchObject(verificationFailed);
    expect(await signInWithPasskey(world, authenticator, deviation)).toMatchObject(verificationFailed);
    expect((await world.get('/passkeys', { token })).body).toMatchObject([{ id: passkeyId }]);
  });
});

describe('a registration', () => {
  it('stores the passkey under the name of its provider', async () => {
    const { access_token: token, user } = await world.signedUp();
    const authenticator = createSoftwareAuthenticator(siteUrl);
    const { status, body } = await register(world, token, authenticator, {
      aaguid: 'd548826e-79b4-db40-a3d8-11116f7e8349',
      signCount: 7,
      isBackupEligible: true,
      isBackedUp: true,
    });
    expect(status).toBe(200);
    expect(body).toEqual({
      id: expect.any(String),
      friendly_name: 'Bitwarden',
      created_at: new Date(world.nowMs()).toISOString(),
    });
    const [row] = await world.database.query(
      `select *, encode(credential_id, 'hex') as hex from auth.webauthn_credentials where user_id = $1`,
      [user.id],
    );
    expect(row).toMatchObject({
      id: body.id,
      hex: Buffer.from(authenticator.credentialIds[0] ?? '', 'base64url').toString('hex'),
      attestation_type: 'none',
      aaguid: 'd548826e-79b4-db40-a3d8-11116f7e8349',
      sign_count: 7,
      transports: ['internal'],
      backup_eligible: true,
      backed_up: true,
      last_used_at: null,
    });
  });

  it('names a passkey of an unknown provider Passkey', async () => {
    const { access_token: token } = await world.signedUp();
    const { body } = await register(world, token, createSoftwareAuthenticator(siteUrl));
    expect(body.friendly_name).toBe('Passkey');
  });

  it('accepts a challenge once', async () => {
    const { access_token: token } = await world.signedUp();
    const { body } = await world.post('/passkeys/registration/options', {}, { token });
    const credential = createSoftwareAuthenticator(siteUrl).create(body.options);
    const proof = { challenge_id: body.challenge_id, credential };
    expect((await world.post('/passkeys/registration/verify', proof, { token })).status).toBe(200);
    expect(await world.post('/passkeys/registration/verify', proof, { token })).toMatchObject(
      challengeNotFound,
    );
  });

  it('consumes the challenge of a refused proof', async () => {
    const { access_token: token } = await world.signedUp();
    const { body } = await world.post('/passkeys/registration/options', {}, { token });
    const credential = createSoftwareAuthenticator(siteUrl).create(body.options);
    const verify = async (proof: unknown) =>
      world.post(
        '/passkeys/registration/verify',
        { challenge_id: body.challenge_id, credential: proof },
        { token },
      );
    expect(await verify({ garbage: true })).toMatchObject(failed('Invalid credential response'));
    expect(await verify(credential)).toMatchObject(challengeNotFound);
  });

  it('refuses the challenge of another user and of a sign-in', async () => {
    const [{ access_token: token }, { access_token: other }] = [
      await world.signedUp(),
      await world.signedUp(),
    ];
    const { body: foreign } = await world.post('/passkeys/registration/options', {}, { token: other });
    const { body: forSignIn } = await world.post('/passkeys/authentication/options');
    for (const challengeId of [foreign.challenge_id, forSignIn.challenge_id]) {
      const credential = createSoftwareAuthenticator(siteUrl).create(foreign.options);
      const proof = { challenge_id: challengeId, credential };
      expect(await world.post('/passkeys/registration/verify', proof, { token })).toMatchObject(
        challengeNotFound,
      );
    }
  });

  it('refuses a challenge after five minutes', async () => {
    const { access_token: token } = await world.signedUp();
    const { body } = await world.post('/passkeys/registration/options', {}, { token });
    const credential = createSoftwareAuthenticator(siteUrl).create(body.options);
    world.advance(301);
    const proof = { challenge_id: body.challenge_id, credential };
    expect(await world.post('/passkeys/registration/verify', proof, { token })).toMatchObject({
      status: 400,
      body: { code: 'webauthn_challenge_expired', message: 'Challenge has expired' },
    });
  });

  it.each([
    [{}, 'challenge_id is required'],
    [{ credential: {} }, 'challenge_id is required'],
    [{ challenge_id: crypto.randomUUID() }, 'credential is required'],
    [{ challenge_id: 'x', credential: {} }, 'challenge_id must be a valid UUID'],
  ])('refuses the body %j', async (body, message) => {
    const { access_token: token } = await world.signedUp();
    const refusal = { status: 400, body: { code: 'validation_failed', message } };
    expect(await world.post('/passkeys/registration/verify', body, { token })).toMatchObject(refusal);
    expect(await world.post('/passkeys/authentication/verify', body)).toMatchObject(refusal);
  });

  it('refuses bodies that are not JSON', async () => {
    const { access_token: token } = await world.signedUp();
    for (const path of ['registration', 'authentication'])
      expect(await world.post(`/passkeys/${path}/verify`, '{', { token })).toMatchObject({
        status: 400,
        body: { code: 'bad_json' },
      });
  });

  it('refuses a passkey that another user has registered', async () => {
    const { access_token: token } = await world.signedUp();
    const { access_token: other } = await world.signedUp();
    const { body: first } = await world.post('/passkeys/registration/options', {}, { token });
    const { body: second } = await world.post('/passkeys/registration/options', {}, { token: other });
    const credential = createSoftwareAuthenticator(siteUrl).create(first.options);
    const clientDataJSON = Buffer.from(
      JSON.stringify({ type: 'webauthn.create', challenge: second.options.challenge, origin: siteUrl }),
    ).toString('base64url');
    const copy = { ...credential, response: { ...credential.response, clientDataJSON } };
    const verify = async (challengeId: string, proof: object, as: string) =>
      world.post(
        '/passkeys/registration/verify',
        { challenge_id: challengeId, credential: proof },
        { token: as },
      );
    expect((await verify(first.challenge_id, credential, token)).status).toBe(200);
    expect(await verify(second.challenge_id, copy, other)).toMatchObject({
      status: 422,
      body: { code: 'webauthn_credential_exists', message: 'This credential is already registered' },
    });
  });

  it('counts the passkeys at both requests', async () => {
    const on = await openAuthWorld({ maxPasskeysPerUser: 1 });
    const { access_token: token } = await on.signedUp();
    const [first, second] = [
      await on.post('/passkeys/registration/options', {}, { token }),
      await on.post('/passkeys/registration/options', {}, { token }),
    ];
    const tooMany = {
      status: 422,
      body: { code: 'too_many_passkeys', message: 'Maximum number of passkeys reached' },
    };
    const verify = async ({ body }: typeof first) =>
      on.post(
        '/passkeys/registration/verify',
        {
          challenge_id: body.challenge_id,
          credential: createSoftwareAuthenticator(siteUrl).create(body.options),
        },
        { token },
      );
    expect((await verify(first)).status).toBe(200);
    expect(await verify(second)).toMatchObject(tooMany);
    expect(await on.post('/passkeys/registration/options', {}, { token })).toMatchObject(tooMany);
  });

  it('is refused without a session, to anonymous users and to users of SSO', async () => {
    const { body: anonymous } = await world.post('/signup', {});
    const { access_token: token, user } = await world.signedUp();
    await world.database.query('update auth.users set is_sso_user = true where id = $1', [user.id]);
    for (const path of ['/passkeys/registration/options', '/passkeys/registration/verify']) {
      expect(await world.post(path)).toMatchObject({ status: 401, body: { code: 'no_authorization' } });
      expect(await world.post(path, {}, { token: anonymous.access_token })).toMatchObject({
        status: 403,
        body: { code: 'no_authorization' },
      });
      expect(await world.post(path, {}, { token })).toMatchObject({
        status: 422,
        body: { code: 'validation_failed', message: 'SSO users cannot register passkeys' },
      });
    }
  });
});

describe('a sign-in', () => {
  it('gets options for any user and starts a session of aal1 by passkey', async () => {
    const { authenticator, session, token } = await createPasskeyUser(world);
    world.advance(60);
    const { status, body } = await world.post('/passkeys/authentication/options');
    expect(status).toBe(200);
    expect(body).toEqual({
      challenge_id: expect.any(String),
      options: {
        challenge: expect.stringMatching(/^[\w-]{43}$/),
        timeout: 300_000,
        rpId: 'localhost',
        userVerification: 'preferred',
      },
      expires_at: Math.floor(world.nowMs() / 1000) + 300,
    });
    const proof = { challenge_id: body.challenge_id, credential: authenticator.get(body.options) };
    const signedIn = await world.post('/passkeys/authentication/verify', proof);
    expect(signedIn.status).toBe(200);
    expect(signedIn.body.user.id).toBe(session.user.id);
    expect(readClaims(signedIn.body.access_token)).toMatchObject({
      aal: 'aal1',
      amr: [{ method: 'passkey' }],
    });
    const { body: renewed } = await world.post('/token?grant_type=refresh_token', {
      refresh_token: signedIn.body.refresh_token,
    });
    expect(readClaims(renewed.access_token)).toMatchObject({ amr: [{ method: 'passkey' }] });
    expect((await world.get('/passkeys', { token })).body).toMatchObject([
      { last_used_at: new Date(world.nowMs()).toISOString() },
    ]);
    expect(await world.post('/passkeys/authentication/verify', proof)).toMatchObject(challengeNotFound);
  });

  it('refuses a signature over other authenticator data', async () => {
    const { authenticator } = await createPasskeyUser(world);
    const { body } = await world.post('/passkeys/authentication/options');
    const credential = authenticator.get(body.options);
    const { authenticatorData } = authenticator.get(body.options).response;
    const proof = { ...credential, response: { ...credential.response, authenticatorData } };
    expect(
      await world.post('/passkeys/authentication/verify', {
        challenge_id: body.challenge_id,
        credential: proof,
      }),
    ).toMatchObject(verificationFailed);
  });

  it('refuses an unknown passkey, and the passkey of another user', async () => {
    const { authenticator } = await createPasskeyUser(world);
    const { session: other } = await createPasskeyUser(world);
    for (const handle of [other.user.id, crypto.randomUUID(), 'not a user', ''])
      expect(
        await signInWithPasskey(world, authenticator, {
          userHandle: Buffer.from(handle).toString('base64url'),
        }),
      ).toMatchObject(verificationFailed);
  });

  it.each([
    ['null', null],
    ['a text', 'credential'],
    ['no members', {}],
    ['another type', { id: 'aaaa', rawId: 'aaaa', type: 'password', response: {} }],
    ['no client data', { id: 'aaaa', rawId: 'aaaa', type: 'public-key', response: {} }],
    [
      'authenticator data that is too short',
      {
        id: 'aaaa',
        rawId: 'aaaa',
        type: 'public-key',
        response: { clientDataJSON: Buffer.from('{}').toString('base64url'), authenticatorData: 'aaaa' },
      },
    ],
  ])('refuses a credential that is %s', async (_, credential) => {
    const { body } = await world.post('/passkeys/authentication/options');
    expect(
      await world.post('/passkeys/authentication/verify', { challenge_id: body.challenge_id, credential }),
    ).toMatchObject(failed('Invalid credential response'));
  });

  it('refuses the challenge of a registration, and an expired one', async () => {
    const { authenticator, token } = await createPasskeyUser(world);
    const { body: forRegistration } = await world.post('/passkeys/registration/options', {}, { token });
    const { body } = await world.post('/passkeys/authentication/options');
    const credential = authenticator.get(body.options);
    const verify = async (challengeId: string) =>
      world.post('/passkeys/authentication/verify', { challenge_id: challengeId, credential });
    expect(await verify(forRegistration.challenge_id)).toMatchObject(challengeNotFound);
    world.advance(301);
    expect((await verify(body.challenge_id)).body.code).toBe('webauthn_challenge_expired');
  });

  it('accepts a counter that does not rise, and keeps the highest', async () => {
    const { authenticator, passkeyId } = await createPasskeyUser(world, { signCount: 5 });
    const storedCount = async () => {
      const [row] = await world.database.query<{ sign_count: number }>(
        'select sign_count from auth.webauthn_credentials where id = $1',
        [passkeyId],
      );
      return row?.sign_count;
    };
    for (const [signCount, stored] of [
      [9, 9],
      [9, 9],
      [3, 9],
      [0, 9],
      [10, 10],
    ] as const) {
      expect((await signInWithPasskey(world, authenticator, { signCount })).status).toBe(200);
      expect(await storedCount()).toBe(stored);
    }
  });

  it('accepts a changed backup state and refuses a changed backup eligibility', async () => {
    const { authenticator } = await createPasskeyUser(world, { isBackupEligible: true });
    const backedUp = { isBackupEligible: true, isBackedUp: true };
    expect((await signInWithPasskey(world, authenticator, backedUp)).status).toBe(200);
    expect(await signInWithPasskey(world, authenticator)).toMatchObject(verificationFailed);
  });

  it('accepts a user who was not verified, because verification is only preferred', async () => {
    const { authenticator } = await createPasskeyUser(world, { isUserVerified: false });
    expect((await signInWithPasskey(world, authenticator, { isUserVerified: false })).status).toBe(200);
  });

  it.each([
    ['email_not_confirmed', 'Email not confirmed', 'email_confirmed_at = null'],
    ['phone_not_confirmed', 'Phone not confirmed', `phone = '1555' || abs(hashtext(id::text))`],
    ['user_banned', 'User is banned', `banned_until = '2100-01-01'`],
  ])('is refused as %s', async (code, message, change) => {
    const { authenticator, session } = await createPasskeyUser(world);
    await world.database.query(`update auth.users set ${change} where id = $1`, [session.user.id]);
    expect(await signInWithPasskey(world, authenticator)).toMatchObject({
      status: 403,
      body: { code, message },
    });
  });

  it.each([false, true])('is refused after the user was deleted (softly: %s)', async (isSoft) => {
    const { authenticator, session } = await createPasskeyUser(world);
    const token = world.keys.serviceRoleKey;
    await world.ask('DELETE', `/admin/users/${session.user.id}`, { should_soft_delete: isSoft }, { token });
    expect(await signInWithPasskey(world, authenticator)).toMatchObject(verificationFailed);
    const rows = await world.database.query('select from auth.webauthn_credentials where user_id = $1', [
      session.user.id,
    ]);
    expect(rows).toEqual([]);
  });

  it('needs the captcha for its options only', async () => {
    const on = await openAuthWorld({ captchaToken: 'a human', mailerAutoconfirm: true });
    const captcha = { gotrue_meta_security: { captcha_token: 'a human' } };
    const { body: session } = await on.post('/signup', {
      email: freshEmail(),
      password: 'secret1',
      ...captcha,
    });
    const { authenticator } = await createPasskeyUser(on, {}, session);
    expect((await on.post('/passkeys/authentication/options')).body.code).toBe('captcha_failed');
    const { body } = await on.post('/passkeys/authentication/options', captcha);
    const proof = { challenge_id: body.challenge_id, credential: authenticator.get(body.options) };
    expect((await on.post('/passkeys/authentication/verify', proof)).status).toBe(200);
  });

  it('is limited to 30 options for each address', async () => {
    const on = await openAuthWorld({ rateLimits: {} });
    const ask = async (ip: string) =>
      (await on.post('/passkeys/authentication/options', {}, { headers: { 'x-forwarded-for': ip } })).status;
    for (let count = 0; count < 30; count += 1) expect(await ask('203.0.113.1')).toBe(200);
    expect(await ask('203.0.113.1')).toBe(429);
    expect(await ask('203.0.113.2')).toBe(200);
  });
});

it('sweeping deletes expired challenges', async () => {
  const on = await openAuthWorld();
  const { body: old } = await on.post('/passkeys/authentication/options');
  on.advance(200);
  const { body: open } = await on.post('/passkeys/authentication/options');
  on.advance(101);
  await on.service.sweep();
  const rows = await on.database.query('select id from auth.webauthn_challenges where id = any($1::uuid[])', [
    `{${old.challenge_id},${open.challenge_id}}`,
  ]);
  expect(rows).toEqual([{ id: open.challenge_id }]);
});
