import { beforeAll, describe, expect, it } from 'vitest';

import {
  createSoftwareAuthenticator,
  type SoftwareAuthenticator,
} from '../../../test/support/software-authenticator.ts';
import {
  type ResponseBody,
  type AuthWorld,
  openAuthWorld,
  password,
  readClaims,
  siteUrl,
} from './auth-world.ts';
import { invalidProofs, userEntity } from './passkey-world.ts';

let world: AuthWorld;
beforeAll(async () => {
  world = await openAuthWorld();
});

const enroll = async (token: string, name = 'key') =>
  world.post('/factors', { factor_type: 'webauthn', friendly_name: name }, { token });

const enrolledId = async (token: string, name?: string) => (await enroll(token, name)).body.id;

const challenge = async (token: string, factorId: string) =>
  (await world.post(`/factors/${factorId}/challenge`, {}, { token })).body;

const verify = async (token: string, factorId: string, challengeId: string, webauthn: object) =>
  world.post(`/factors/${factorId}/verify`, { challenge_id: challengeId, webauthn }, { token });

interface KeyUser {
  readonly authenticator: SoftwareAuthenticator;
  readonly factorId: string;
  /** A session of aal2. */
  readonly session: ResponseBody;
}

/** A user with a session of aal2 and a new security key. */
async function createKeyUser(signedUp?: ResponseBody): Promise<KeyUser> {
  const { access_token: token } = signedUp ?? (await world.signedUp());
  const authenticator = createSoftwareAuthenticator(siteUrl);
  const factorId = await enrolledId(token);
  const { id, webauthn } = await challenge(token, factorId);
  const credential = authenticator.create(webauthn.credential_options.publicKey, { signCount: 5 });
  const verified = await verify(token, factorId, id, { type: 'create', credential_response: credential });
  expect(verified.status).toBe(200);
  return { authenticator, factorId, session: verified.body };
}

/** Signs the user in again, with aal1. */
async function signInLow({ session }: KeyUser): Promise<string> {
  const { body } = await world.post('/token?grant_type=password', { email: session.user.email, password });
  return body.access_token;
}

describe('a WebAuthn factor', () => {
  it('is enrolled, and creates its key with the options of the first challenge', async () => {
    const { access_token: token, user } = await world.signedUp();
    const enrolled = await enroll(token);
    expect(enrolled).toMatchObject({ status: 200 });
    expect(enrolled.body).toEqual({
      id: expect.any(String),
      type: 'webauthn',
      friendly_name: 'key',
    });
    const body = await challenge(token, enrolled.body.id);
    expect(body).toEqual({
      id: expect.any(String),
      type: 'webauthn',
      expires_at: Math.floor(world.nowMs() / 1000) + 300,
      webauthn: {
        type: 'create',
        credential_options: {
          publicKey: {
            rp: { name: 'Local Supabase', id: 'localhost' },
            user: userEntity(user),
            challenge: expect.stringMatching(/^[\w-]{43}$/),
            pubKeyCredParams: expect.arrayContaining([{ type: 'public-key', alg: -7 }]),
            timeout: 300_000,
            authenticatorSelection: {},
          },
        },
      },
    });
  });

  it('raises the session to aal2, and is listed with its last ceremony', async () => {
    const { session, factorId } = await createKeyUser();
    expect(readClaims(session.access_token)).toMatchObject({
      aal: 'aal2',
      amr: [{ method: 'mfa/webauthn' }, { method: 'otp' }],
    });
    expect(session.user).toMatchObject({
      factors: [
        {
          id: factorId,
          status: 'verified',
          factor_type: 'webauthn',
          web_authn_aaguid: '00000000-0000-0000-0000-000000000000',
          last_webauthn_challenge_data: { type: 'create', challenge: { factor_id: factorId } },
        },
      ],
    });
  });

  it('raises a later session with a signature of the key, regardless of its counter', async () => {
    const user = await createKeyUser();
    const token = await signInLow(user);
    const { id, webauthn } = await challenge(token, user.factorId);
    expect(webauthn).toEqual({
      type: 'request',
      credential_options: {
        publicKey: {
          challenge: expect.stringMatching(/^[\w-]{43}$/),
          timeout: 300_000,
          rpId: 'localhost',
          allowCredentials: [
            { type: 'public-key', id: user.authenticator.credentialIds[0], transports: ['internal'] },
          ],
        },
      },
    });
    const credential = user.authenticator.get(webauthn.credential_options.publicKey, { signCount: 1 });
    const proof = { type: 'request', credential_response: credential };
    const raised = await verify(token, user.factorId, id, proof);
    expect(raised.status).toBe(200);
    expect(readClaims(raised.body.access_token)).toMatchObject({
      aal: 'aal2',
      amr: [{ method: 'mfa/webauthn' }, { method: 'password' }],
    });
    expect(await verify(token, user.factorId, id, proof)).toMatchObject({
      status: 422,
      body: { code: 'mfa_factor_not_found' },
    });
  });

  it('excludes the keys of the user’s other factors', async () => {
    const { session, authenticator } = await createKeyUser();
    const token = session.access_token;
    const { webauthn } = await challenge(token, await enrolledId(token, 'second'));
    expect(webauthn.credential_options.publicKey).toMatchObject({
      excludeCredentials: [
        { type: 'public-key', id: authenticator.credentialIds[0], transports: ['usb', 'nfc'] },
      ],
    });
  });
});

describe('a proof of a WebAuthn factor', () => {
  let user: KeyUser;
  beforeAll(async () => {
    user = await createKeyUser();
  });

  it.each(invalidProofs)('a proof of a WebAuthn factor for %s is refused', async (_, deviation) => {
    const { access_token: fresh } = await world.signedUp();
    const newFactor = await enrolledId(fresh);
    const created = await challenge(fresh, newFactor);
    const creation = createSoftwareAuthenticator(siteUrl).create(
      created.webauthn.credential_options.publicKey,
      deviation,
    );
    expect(
      await verify(fresh, newFactor, created.id, { type: 'create', credential_response: creation }),
    ).toMatchObject({ status: 500, body: { code: 'unexpected_failure' } });
    const token = await signInLow(user);
    const { id, webauthn } = await challenge(token, user.factorId);
    const credential = user.authenticator.get(webauthn.credential_options.publicKey, deviation);
    expect(
      await verify(token, user.factorId, id, { type: 'request', credential_response: credential }),
    ).toMatchObject({ status: 500, body: { message: 'Failed to validate WebAuthn MFA response' } });
  });

  it.each([
    [undefined, 'WebAuthn config required'],
    [null, 'WebAuthn config required'],
    [{}, 'WebAuthn type must be create or request'],
    [{ type: 'sign' }, 'WebAuthn type must be create or request'],
    [{ type: 'request' }, 'credential_response required'],
    [{ type: 'request', credential_response: null }, 'Invalid credential_response'],
    [{ type: 'create', credential_response: {} }, 'Invalid credential_response'],
  ])('a proof of a WebAuthn factor of the form %j is refused', async (webauthn, message) => {
    const token = await signInLow(user);
    const { id } = await challenge(token, user.factorId);
    expect(
      await world.post(`/factors/${user.factorId}/verify`, { challenge_id: id, webauthn }, { token }),
    ).toMatchObject({ status: 400, body: { code: 'validation_failed', message } });
  });

  it('does not verify an unverified factor by a key of another one', async () => {
    const { access_token: token } = user.session;
    const factorId = await enrolledId(token, 'second');
    const { id, webauthn } = await challenge(token, factorId);
    const { challenge: bytes } = webauthn.credential_options.publicKey;
    const credential = user.authenticator.get({ challenge: bytes, rpId: 'localhost' });
    expect(
      await verify(token, factorId, id, { type: 'request', credential_response: credential }),
    ).toMatchObject({ status: 500 });
  });

  it('does not replace the key of a verified factor', async () => {
    const token = await signInLow(user);
    const { id, webauthn } = await challenge(token, user.factorId);
    const { challenge: bytes } = webauthn.credential_options.publicKey;
    const credential = createSoftwareAuthenticator(siteUrl).create({
      challenge: bytes,
      rp: { id: 'localhost' },
      user: { id: Buffer.from(user.session.user.id).toString('base64url') },
    });
    expect(
      await verify(token, user.factorId, id, { type: 'create', credential_response: credential }),
    ).toMatchObject({ status: 500 });
  });

  it('a proof of a WebAuthn factor of another user’s key is refused', async () => {
    const other = await createKeyUser();
    const token = await signInLow(user);
    const { id, webauthn } = await challenge(token, user.factorId);
    const { challenge: bytes } = webauthn.credential_options.publicKey;
    const credential = other.authenticator.get({ challenge: bytes, rpId: 'localhost' });
    expect(
      await verify(token, user.factorId, id, { type: 'request', credential_response: credential }),
    ).toMatchObject({ status: 500 });
  });
});

it('a project without WebAuthn factors refuses them', async () => {
  const on = await openAuthWorld({ webauthnFactorEnrollEnabled: false, webauthnFactorVerifyEnabled: false });
  const { access_token: token } = await on.signedUp();
  expect(await on.post('/factors', { factor_type: 'webauthn' }, { token })).toMatchObject({
    status: 422,
    body: { code: 'mfa_webauthn_enroll_not_enabled', message: 'MFA enroll is disabled for WebAuthn' },
  });
  const { access_token: other } = await world.signedUp();
  const factorId = await enrolledId(other);
  const asOther = await on.post('/token?grant_type=password', {
    email: String(readClaims(other)['email']),
    password,
  });
  const refused = { status: 422, body: { message: 'MFA verification is disabled for WebAuthn' } };
  const session = { token: asOther.body.access_token };
  expect(await on.post(`/factors/${factorId}/challenge`, {}, session)).toMatchObject(refused);
  expect(await on.post(`/factors/${factorId}/verify`, {}, session)).toMatchObject(refused);
});
