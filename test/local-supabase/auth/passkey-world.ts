import { expect } from 'vitest';

import {
  createSoftwareAuthenticator,
  type Deviation,
  type SoftwareAuthenticator,
} from '../../support/software-authenticator.ts';
import { type Answer, type AnswerBody, type AuthWorld, siteUrl } from './auth-world.ts';

/** The answer to a proof that is not valid. */
export const verificationFailed = {
  status: 400,
  body: { code: 'webauthn_verification_failed', message: 'Credential verification failed' },
};

/** The answer to a credential that cannot be parsed. */
export const invalidCredential = {
  status: 400,
  body: { code: 'webauthn_verification_failed', message: 'Invalid credential response' },
};

export const challengeNotFound = {
  status: 400,
  body: { code: 'webauthn_challenge_not_found', message: 'Challenge not found or already used' },
};

export const passkeyNotFound = {
  status: 404,
  body: { code: 'validation_failed', message: 'Passkey not found' },
};

/** A user whose authenticator has one passkey. */
export interface PasskeyUser {
  readonly authenticator: SoftwareAuthenticator;
  readonly session: AnswerBody;
  readonly token: string;
  /** The id of the passkey's row. */
  readonly passkeyId: string;
}

/** Sends both requests of a registration and returns the answer to the second. */
export async function register(
  world: AuthWorld,
  token: string,
  authenticator: SoftwareAuthenticator,
  deviation: Deviation = {},
): Promise<Answer> {
  const { body } = await world.post('/passkeys/registration/options', {}, { token });
  const credential = authenticator.create(body.options, deviation);
  return world.post(
    '/passkeys/registration/verify',
    { challenge_id: body.challenge_id, credential },
    { token },
  );
}

/** Sends both requests of a sign-in and returns the answer to the second. */
export async function signInWithPasskey(
  world: AuthWorld,
  authenticator: SoftwareAuthenticator,
  deviation: Deviation = {},
): Promise<Answer> {
  const { body } = await world.post('/passkeys/authentication/options');
  const credential = authenticator.get(body.options, deviation);
  return world.post('/passkeys/authentication/verify', { challenge_id: body.challenge_id, credential });
}

/** Signs up a user with a passkey. */
export async function createPasskeyUser(
  world: AuthWorld,
  deviation: Deviation = {},
  session?: AnswerBody,
): Promise<PasskeyUser> {
  const signedUp = session ?? (await world.signedUp());
  const authenticator = createSoftwareAuthenticator(siteUrl);
  const registered = await register(world, signedUp.access_token, authenticator, deviation);
  expect(registered.status).toBe(200);
  return { authenticator, session: signedUp, token: signedUp.access_token, passkeyId: registered.body.id };
}
