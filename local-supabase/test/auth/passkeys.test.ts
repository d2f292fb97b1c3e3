import { Secret, TOTP } from 'otpauth';
import { beforeAll, describe, expect, it } from 'vitest';

import { createSoftwareAuthenticator } from '../../../test/support/software-authenticator.ts';
import { type ResponseBody, openAuthWorld, readClaims, siteUrl, type AuthWorld } from './auth-world.ts';
import {
  challengeNotFound,
  createPasskeyUser,
  invalidProofs,
  passkeyNotFound,
  register,
  renamePasskey,
  signInWithPasskey,
  type PasskeyUser,
  userEntity,
  verificationFailed,
  verifyRegistration,
  verifySignIn,
} from './passkey-world.ts';

let world: AuthWorld;
beforeAll(async () => {
  world = await openAuthWorld();
});

const insufficientAal = {
  status: 403,
  body: {
    code: 'insufficient_aal',
    message: 'AAL2 session is required to manage passkeys when MFA is enabled',
  },
};

const remove = async (token: string, id: string) =>
  world.ask('DELETE', `/passkeys/${id}`, undefined, { token });

describe('the options of a registration', () => {
  it('contain the site, the user and the algorithms as in go-webauthn', async () => {
    const { access_token: token, user } = await world.signedUp();
    const { status, body } = await world.post('/passkeys/registration/options', {}, { token });
    expect(status).toBe(200);
    expect(body).toEqual({
      challenge_id: expect.stringMatching(/^[\da-f-]{36}$/),
      options: {
        rp: { name: 'Local Supabase', id: 'localhost' },
        user: userEntity(user),
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

  it('refuses an id that is longer than 1,023 bytes', async () => {
    const { access_token: token } = await world.signedUp();
    const responses = await Promise.all(
      [1_023, 1_024].map((idBytes) =>
        register(world, token, createSoftwareAuthenticator(siteUrl), { idBytes }),
      ),
    );
    expect(responses.map(({ status }) => status)).toEqual([200, 400]);
  });

  it('accepts a challenge once', async () => {
    const { access_token: token } = await world.signedUp();
    const { body } = await world.post('/passkeys/registration/options', {}, { token });
    const credential = createSoftwareAuthenticator(siteUrl).create(body.options);
    const verify = async () => verifyRegistration(world, token, body.challenge_id, credential);
    expect((await verify()).status).toBe(200);
    expect(await verify()).toMatchObject(challengeNotFound);
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
      expect(await verifyRegistration(world, token, challengeId, credential)).toMatchObject(
        challengeNotFound,
      );
    }
  });

  it('refuses a challenge after five minutes', async () => {
    const { access_token: token } = await world.signedUp();
    const { body } = await world.post('/passkeys/registration/options', {}, { token });
    const credential = createSoftwareAuthenticator(siteUrl).create(body.options);
    world.advance(301);
    expect(await verifyRegistration(world, token, body.challenge_id, credential)).toMatchObject({
      status: 400,
      body: { code: 'webauthn_challenge_expired', message: 'Challenge has expired' },
    });
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
    const credential = authenticator.get(body.options);
    const signedIn = await verifySignIn(world, body.challenge_id, credential);
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
    expect(await verifySignIn(world, body.challenge_id, credential)).toMatchObject(challengeNotFound);
  });

  it('refuses a signature over other authenticator data', async () => {
    const { authenticator } = await createPasskeyUser(world);
    const { body } = await world.post('/passkeys/authentication/options');
    const credential = authenticator.get(body.options);
    const { authenticatorData } = authenticator.get(body.options).response;
    const proof = { ...credential, response: { ...credential.response, authenticatorData } };
    expect(await verifySignIn(world, body.challenge_id, proof)).toMatchObject(verificationFailed);
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

  it('accepts a counter that does not increase, and keeps the highest', async () => {
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
});

describe('the passkeys of a user', () => {
  it('are listed oldest first, without those of other users', async () => {
    await createPasskeyUser(world);
    const { token, passkeyId, session } = await createPasskeyUser(world);
    world.advance(1);
    const { passkeyId: second } = await createPasskeyUser(world, {}, session);
    const { status, body } = await world.get('/passkeys', { token });
    expect(status).toBe(200);
    expect(body).toEqual([
      {
        id: passkeyId,
        friendly_name: 'Passkey',
        created_at: new Date(world.nowMs() - 1000).toISOString(),
      },
      { id: second, friendly_name: 'Passkey', created_at: new Date(world.nowMs()).toISOString() },
    ]);
    expect((await world.get('/passkeys/', { token })).body).toEqual(body);
  });

  it('are renamed', async () => {
    const { token, passkeyId } = await createPasskeyUser(world);
    expect(await renamePasskey(world, token, passkeyId, { friendly_name: 'Laptop' })).toMatchObject({
      status: 200,
      body: { id: passkeyId, friendly_name: 'Laptop' },
    });
    expect((await world.get('/passkeys', { token })).body).toMatchObject([{ friendly_name: 'Laptop' }]);
  });

  it('are deleted, and no longer sign in', async () => {
    const { token, passkeyId, authenticator } = await createPasskeyUser(world);
    const removed = await remove(token, passkeyId);
    expect(removed.status).toBe(204);
    expect((await world.get('/passkeys', { token })).body).toEqual([]);
    expect((await signInWithPasskey(world, authenticator)).body.code).toBe('webauthn_verification_failed');
    expect(await remove(token, passkeyId)).toMatchObject(passkeyNotFound);
  });

  it('cannot be changed by another user, without a session, or under another id', async () => {
    const { passkeyId, token: owner } = await createPasskeyUser(world);
    const { access_token: token } = await world.signedUp();
    for (const id of [passkeyId, crypto.randomUUID(), 'x']) {
      expect(await renamePasskey(world, token, id, { friendly_name: 'mine' })).toMatchObject(passkeyNotFound);
      expect(await remove(token, id)).toMatchObject(passkeyNotFound);
    }
    for (const [method, path] of [
      ['GET', '/passkeys'],
      ['PATCH', `/passkeys/${passkeyId}`],
      ['DELETE', `/passkeys/${passkeyId}`],
    ] as const)
      expect(await world.ask(method, path)).toMatchObject({
        status: 401,
        body: { code: 'no_authorization' },
      });
    expect((await world.get('/passkeys', { token: owner })).body).toMatchObject([
      { friendly_name: 'Passkey' },
    ]);
  });
});

describe('for a user with a verified factor', () => {
  /** Raises a session to aal2 with a new TOTP factor. */
  async function raise(session: ResponseBody): Promise<ResponseBody> {
    const token = session.access_token;
    const { body: factor } = await world.post(
      '/factors',
      { factor_type: 'totp', friendly_name: 'a' },
      { token },
    );
    const { body: challenge } = await world.post(`/factors/${factor.id}/challenge`, {}, { token });
    const code = new TOTP({ secret: Secret.fromBase32(factor.totp.secret) }).generate({
      timestamp: world.nowMs(),
    });
    const proof = { challenge_id: challenge.id, code };
    return (await world.post(`/factors/${factor.id}/verify`, proof, { token })).body;
  }

  it('a session by passkey is of aal1 and may list and rename, not register and delete', async () => {
    const { authenticator, passkeyId, session } = await createPasskeyUser(world);
    const raised = await raise(session);
    const { body: low } = await signInWithPasskey(world, authenticator);
    const token = low.access_token;
    expect(readClaims(token)['aal']).toBe('aal1');
    expect((await world.get('/passkeys', { token })).status).toBe(200);
    expect((await renamePasskey(world, token, passkeyId, { friendly_name: 'Laptop' })).status).toBe(200);
    for (const path of ['/passkeys/registration/options', '/passkeys/registration/verify'])
      expect(await world.post(path, {}, { token })).toMatchObject(insufficientAal);
    expect(await remove(token, 'x')).toMatchObject(insufficientAal);
    expect(await remove(raised.access_token, passkeyId)).toMatchObject({ status: 204 });
    expect((await register(world, raised.access_token, authenticator)).status).toBe(200);
  });
});

describe('passkeys that are disabled', () => {
  it.each([
    ['POST', '/passkeys/authentication/options'],
    ['POST', '/passkeys/authentication/verify'],
    ['POST', '/passkeys/registration/options'],
    ['POST', '/passkeys/registration/verify'],
    ['GET', '/passkeys'],
    ['PATCH', '/passkeys/x'],
    ['DELETE', '/passkeys/x'],
    ['GET', '/passkeys/unknown/route'],
  ])('respond to %s %s with 404', async (method, path) => {
    const on = await openAuthWorld({ passkeysEnabled: false });
    expect(await on.ask(method, path)).toMatchObject({
      status: 404,
      body: { code: 'passkey_disabled', message: 'Passkeys are disabled' },
    });
  });

  it('are shown in the settings', async () => {
    const on = await openAuthWorld({ passkeysEnabled: false });
    expect((await on.get('/settings')).body).toMatchObject({ passkeys_enabled: false });
    expect((await world.get('/settings')).body).toMatchObject({ passkeys_enabled: true });
  });
});
