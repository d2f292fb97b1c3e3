import { decodeBase64 } from '../../../platform/base64.ts';
import type { ClientData, AssertionResponse, RegistrationResponse } from './credential-response.ts';
import { isAllowedOrigin, type RelyingParty } from './relying-party.ts';
import type { WebAuthnSession } from './session.ts';

/** The COSE algorithms of registrable keys, in the order of go-webauthn. */
export const algorithms: readonly number[] = [-7, -35, -36, -257, -258, -259, -37, -38, -39, -8];

export interface VerifiedRegistration {
  readonly credentialId: Uint8Array;
  /** A COSE key (RFC 9052). */
  readonly publicKey: Uint8Array;
  readonly attestationFormat: string;
  /** The AAGUID; zeros when the authenticator does not reveal its model. */
  readonly aaguid: string;
  readonly signCount: number;
  readonly transports: readonly string[];
  readonly isBackupEligible: boolean;
  readonly isBackedUp: boolean;
}

/** The part of a registration that sign-ins are verified with. */
export interface RegisteredKey {
  /** A COSE key (RFC 9052). */
  readonly public_key: Uint8Array<ArrayBuffer>;
  readonly sign_count: number;
  readonly backup_eligible: boolean;
}

/** The ceremony and the relying party that a credential must match. */
export interface Expectation {
  readonly session: Pick<WebAuthnSession, 'challenge' | 'userVerification'>;
  readonly party: RelyingParty;
}

/** Encodes the expectation for the library. Throws for an origin that the relying party does not allow. */
function bindTo({ session, party }: Expectation, { origin }: ClientData) {
  if (!isAllowedOrigin(origin, party.origins)) throw new Error(`The origin ${origin} is not allowed`);
  return {
    expectedChallenge: session.challenge,
    expectedOrigin: origin,
    expectedRPID: party.id,
    requireUserVerification: session.userVerification === 'required',
  };
}

/** Verifies a registration (WebAuthn section 7.1). Rejects with an `Error` if it is invalid. */
export async function verifyRegistration(
  { json, clientData, transports }: RegistrationResponse,
  expectation: Expectation,
): Promise<VerifiedRegistration> {
  const expected = bindTo(expectation, clientData);
  const { verifyRegistrationResponse } = await import('@simplewebauthn/server');
  const { registrationInfo } = await verifyRegistrationResponse({
    ...expected,
    response: json,
    supportedAlgorithmIDs: [...algorithms],
  });
  if (registrationInfo === undefined) throw new Error('The attestation is not valid');
  const { credential, fmt, aaguid, credentialDeviceType, credentialBackedUp } = registrationInfo;
  return {
    credentialId: decodeBase64(credential.id),
    publicKey: credential.publicKey,
    attestationFormat: fmt,
    aaguid,
    signCount: credential.counter,
    transports,
    isBackupEligible: credentialDeviceType === 'multiDevice',
    isBackedUp: credentialBackedUp,
  };
}

/** Verifies a sign-in (WebAuthn section 7.2) and returns the counter to store. Rejects with an `Error` if it is invalid. */
export async function verifyAssertion(
  { json, clientData, isBackupEligible, signCount }: AssertionResponse,
  credential: RegisteredKey,
  expectation: Expectation,
): Promise<number> {
  const expected = bindTo(expectation, clientData);
  const { verifyAuthenticationResponse } = await import('@simplewebauthn/server');
  const { verified } = await verifyAuthenticationResponse({
    ...expected,
    response: json,
    ...(clientData.topOrigin !== undefined && { expectedTopOrigin: clientData.topOrigin }),
    // The library rejects a counter that did not increase, except with a stored counter of 0.
    credential: { id: json.id, publicKey: credential.public_key, counter: 0 },
  });
  if (!verified) throw new Error('The signature is not valid');
  if (isBackupEligible !== credential.backup_eligible)
    throw new Error('The backup eligibility differs from that of the registration');
  // A counter that did not increase may mean a copied key: go-webauthn keeps the stored value and accepts the sign-in.
  return Math.max(credential.sign_count, signCount);
}
