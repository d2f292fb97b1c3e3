import { expect } from 'vitest';

import {
  createSoftwareAuthenticator,
  type Deviation,
  type SoftwareAuthenticator,
} from '../../../test/support/software-authenticator.ts';
import {
  type AuthResponse,
  type ResponseBody,
  type ResponseUser,
  type AuthWorld,
  siteUrl,
} from './auth-world.ts';

const refusal = (status: number, code: string, message: string) => ({ status, body: { code, message } });

/** The response to an invalid credential. */
export const verificationFailed = refusal(
  400,
  'webauthn_verification_failed',
  'Credential verification failed',
);
export const invalidCredential = refusal(400, 'webauthn_verification_failed', 'Invalid credential response');
export const challengeNotFound = refusal(
  400,
  'webauthn_challenge_not_found',
  'Challenge not found or already used',
);
export const passkeyNotFound = refusal(404, 'validation_failed', 'Passkey not found');

/** Credentials that a WebAuthn server must reject, by their defect. */
export const invalidProofs: readonly (readonly [string, Deviation])[] = [
  ['another origin', { origin: 'https://evil.example.com' }],
  ['a subdomain of the site', { origin: 'http://evil.localhost:5173' }],
  ['another port', { origin: 'http://localhost:5174' }],
  ['another domain', { rpId: 'evil.example.com' }],
  ['another ceremony', { type: 'payment.get' }],
  ['another challenge', { challenge: Buffer.alloc(32).toString('base64url') }],
  ['an absent user', { isUserPresent: false }],
];

/** The user in registration options, without a name from the profile. */
export const userEntity = ({ id, email }: ResponseUser) => ({
  name: email,
  displayName: email,
  id: Buffer.from(id).toString('base64url'),
});

/** A user with an authenticator that has one passkey. */
export interface PasskeyUser {
  readonly authenticator: SoftwareAuthenticator;
  readonly session: ResponseBody;
  readonly token: string;
  readonly passkeyId: string;
}

export const verifyRegistration = async (
  world: AuthWorld,
  token: string,
  challengeId: string,
  credential: unknown,
): Promise<AuthResponse> =>
  world.post('/passkeys/registration/verify', { challenge_id: challengeId, credential }, { token });

export const verifySignIn = async (
  world: AuthWorld,
  challengeId: string,
  credential: unknown,
): Promise<AuthResponse> =>
  world.post('/passkeys/authentication/verify', { challenge_id: challengeId, credential });

export const renamePasskey = async (
  world: AuthWorld,
  token: string,
  id: string,
  body: unknown,
): Promise<AuthResponse> => world.ask('PATCH', `/passkeys/${id}`, body, { token });

/** Sends both requests of a registration and returns the second response. */
export async function register(
  world: AuthWorld,
  token: string,
  authenticator: SoftwareAuthenticator,
  deviation: Deviation = {},
): Promise<AuthResponse> {
  const { body } = await world.post('/passkeys/registration/options', {}, { token });
  return verifyRegistration(world, token, body.challenge_id, authenticator.create(body.options, deviation));
}

/** Sends both requests of a sign-in and returns the second response. */
export async function signInWithPasskey(
  world: AuthWorld,
  authenticator: SoftwareAuthenticator,
  deviation: Deviation = {},
): Promise<AuthResponse> {
  const { body } = await world.post('/passkeys/authentication/options');
  return verifySignIn(world, body.challenge_id, authenticator.get(body.options, deviation));
}

export async function createPasskeyUser(
  world: AuthWorld,
  deviation: Deviation = {},
  session?: ResponseBody,
): Promise<PasskeyUser> {
  const signedUp = session ?? (await world.signedUp());
  const authenticator = createSoftwareAuthenticator(siteUrl);
  const registered = await register(world, signedUp.access_token, authenticator, deviation);
  expect(registered.status).toBe(200);
  return { authenticator, session: signedUp, token: signedUp.access_token, passkeyId: registered.body.id };
}
