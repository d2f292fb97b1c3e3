import { beforeAll, describe, expect, it } from 'vitest';

import { createSoftwareAuthenticator } from '../../../test/support/software-authenticator.ts';
import { freshEmail, openAuthWorld, siteUrl, type AuthWorld } from './auth-world.ts';
import {
  challengeNotFound,
  createPasskeyUser,
  invalidCredential,
  passkeyNotFound,
  register,
  renamePasskey,
  signInWithPasskey,
  verificationFailed,
  verifyRegistration,
  verifySignIn,
} from './passkey-world.ts';

let world: AuthWorld;
beforeAll(async () => {
  world = await openAuthWorld();
});

describe('the options of a registration', () => {
  it("exclude the user's passkeys and contain the user's name", async () => {
    const { token, authenticator } = await createPasskeyUser(world);
    await world.ask('PUT', '/user', { data: { name: 'Ada' } }, { token });
    const { body } = await world.post('/passkeys/registration/options', {}, { token });
    expect(body.options).toMatchObject({
      user: { displayName: 'Ada' },
      excludeCredentials: authenticator.credentialIds.map((id) => ({ type: 'public-key', id })),
    });
    expect(() => authenticator.create(body.options)).toThrow('already registered');
  });

  it('contain the relying party of the settings', async () => {
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

  it('fail for a site without a web origin', async () => {
    const on = await openAuthWorld({}, [], { siteUrl: 'app://home' });
    const { access_token: token } = await on.signedUp();
    expect(await on.post('/passkeys/registration/options', {}, { token })).toMatchObject({
      status: 500,
      body: { message: 'Failed to initialize WebAuthn' },
    });
  });
});

describe('a registration', () => {
  it('names a passkey of an unknown provider Passkey', async () => {
    const { access_token: token } = await world.signedUp();
    const { body } = await register(world, token, createSoftwareAuthenticator(siteUrl));
    expect(body.friendly_name).toBe('Passkey');
  });

  it('consumes the challenge of a refused proof', async () => {
    const { access_token: token } = await world.signedUp();
    const { body } = await world.post('/passkeys/registration/options', {}, { token });
    const credential = createSoftwareAuthenticator(siteUrl).create(body.options);
    const verify = async (proof: unknown) => verifyRegistration(world, token, body.challenge_id, proof);
    expect(await verify({ garbage: true })).toMatchObject(invalidCredential);
    expect(await verify(credential)).toMatchObject(challengeNotFound);
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

  it.each([
    [false, 422, 'webauthn_credential_exists', 'This credential is already registered'],
    [true, 500, 'unexpected_failure', 'Database error creating passkey'],
  ])(
    'refuses a passkey that another user has registered; with realistic faults: %s',
    async (realisticFaults, status, code, message) => {
      const faulty = await openAuthWorld({ realisticFaults });
      const { access_token: token } = await faulty.signedUp();
      const { access_token: other } = await faulty.signedUp();
      const { body: first } = await faulty.post('/passkeys/registration/options', {}, { token });
      const { body: second } = await faulty.post('/passkeys/registration/options', {}, { token: other });
      const credential = createSoftwareAuthenticator(siteUrl).create(first.options);
      const clientDataJSON = Buffer.from(
        JSON.stringify({ type: 'webauthn.create', challenge: second.options.challenge, origin: siteUrl }),
      ).toString('base64url');
      const copy = { ...credential, response: { ...credential.response, clientDataJSON } };
      expect((await verifyRegistration(faulty, token, first.challenge_id, credential)).status).toBe(200);
      expect(await verifyRegistration(faulty, other, second.challenge_id, copy)).toMatchObject({
        status,
        body: { code, message },
      });
    },
  );

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
    const verify = async ({ body }: typeof first) => {
      const credential = createSoftwareAuthenticator(siteUrl).create(body.options);
      return verifyRegistration(on, token, body.challenge_id, credential);
    };
    expect((await verify(first)).status).toBe(200);
    expect(await verify(second)).toMatchObject(tooMany);
    expect(await on.post('/passkeys/registration/options', {}, { token })).toMatchObject(tooMany);
  });

  it('is refused without a session, and for anonymous and SSO users', async () => {
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

describe('a key', () => {
  it.each(['ES256', 'EdDSA', 'RS256'] as const)('a key of %s registers and signs in', async (algorithm) => {
    const { authenticator } = await createPasskeyUser(world, { algorithm });
    expect((await signInWithPasskey(world, authenticator)).status).toBe(200);
  });

  it('a key with an algorithm that the options do not contain is refused', async () => {
    const { access_token: token } = await world.signedUp();
    const authenticator = createSoftwareAuthenticator(siteUrl);
    expect(await register(world, token, authenticator, { algorithm: 'ES256K' })).toMatchObject(
      verificationFailed,
    );
  });
});

describe('a sign-in', () => {
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
    expect(await verifySignIn(world, body.challenge_id, credential)).toMatchObject(invalidCredential);
  });

  it('refuses the challenge of a registration, and an expired one', async () => {
    const { authenticator, token } = await createPasskeyUser(world);
    const { body: forRegistration } = await world.post('/passkeys/registration/options', {}, { token });
    const { body } = await world.post('/passkeys/authentication/options');
    const credential = authenticator.get(body.options);
    expect(await verifySignIn(world, forRegistration.challenge_id, credential)).toMatchObject(
      challengeNotFound,
    );
    world.advance(301);
    expect((await verifySignIn(world, body.challenge_id, credential)).body.code).toBe(
      'webauthn_challenge_expired',
    );
  });

  it('accepts a changed backup state and refuses a changed backup eligibility', async () => {
    const { authenticator } = await createPasskeyUser(world, { isBackupEligible: true });
    const backedUp = { isBackupEligible: true, isBackedUp: true };
    expect((await signInWithPasskey(world, authenticator, backedUp)).status).toBe(200);
    expect(await signInWithPasskey(world, authenticator)).toMatchObject(verificationFailed);
  });

  it('accepts an unverified user, because verification is only preferred', async () => {
    const { authenticator } = await createPasskeyUser(world, { isUserVerified: false });
    expect((await signInWithPasskey(world, authenticator, { isUserVerified: false })).status).toBe(200);
  });

  it('requires the captcha only for its options', async () => {
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
    const credential = authenticator.get(body.options);
    expect((await verifySignIn(on, body.challenge_id, credential)).status).toBe(200);
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

describe('the passkeys of a user', () => {
  it('have names of 1 to 120 bytes', async () => {
    const { token, passkeyId } = await createPasskeyUser(world);
    for (const [name, status, message] of [
      ['x'.repeat(120), 200, undefined],
      ['x'.repeat(121), 400, 'friendly_name must be 120 characters or less'],
      ['ä'.repeat(61), 400, 'friendly_name must be 120 characters or less'],
      ['', 400, 'friendly_name is required'],
      [null, 400, 'friendly_name is required'],
    ] as const) {
      const response = await renamePasskey(world, token, passkeyId, { friendly_name: name });
      expect([response.status, response.body.message]).toEqual([status, message]);
    }
    expect((await renamePasskey(world, token, passkeyId, '{')).body.code).toBe('bad_json');
  });
});

describe('an administrator', () => {
  it("lists and deletes a user's passkeys even if passkeys are disabled", async () => {
    const { session, passkeyId, authenticator } = await createPasskeyUser(world);
    const on = await openAuthWorld({ passkeysEnabled: false });
    const token = on.keys.serviceRoleKey;
    const path = `/admin/users/${session.user.id}/passkeys`;
    expect(await on.get(path, { token })).toMatchObject({ status: 200, body: [{ id: passkeyId }] });
    for (const id of [crypto.randomUUID(), 'x'])
      expect(await on.ask('DELETE', `${path}/${id}`, undefined, { token })).toMatchObject(passkeyNotFound);
    const removed = await on.ask('DELETE', `${path}/${passkeyId}`, undefined, { token });
    expect(removed.status).toBe(204);
    expect((await signInWithPasskey(world, authenticator)).status).toBe(400);
  });

  it('is required by the admin routes, and the user has to exist', async () => {
    const { session, token, passkeyId } = await createPasskeyUser(world);
    const path = `/admin/users/${session.user.id}/passkeys`;
    expect((await world.get(path, { token })).body.code).toBe('not_admin');
    expect((await world.ask('DELETE', `${path}/${passkeyId}`, undefined, { token })).body.code).toBe(
      'not_admin',
    );
    const unknown = `/admin/users/${crypto.randomUUID()}/passkeys`;
    expect((await world.get(unknown, { token: world.keys.serviceRoleKey })).body.code).toBe('user_not_found');
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
