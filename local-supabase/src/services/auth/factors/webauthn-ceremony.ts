import { hexToBytes } from '@noble/hashes/utils.js';
import { decodeBase64, encodeBase64, encodeBase64Url } from '../../../platform/base64.ts';
import type { AuthContext } from '../context.ts';
import { type JsonObject, readMember, readObject, readText } from '../http/call.ts';
import { unexpectedMessage } from '../http/error-response.ts';
import { AuthHttpError, internal, invalid } from '../http/errors.ts';
import type { User } from '../rows/user.ts';
import { parseAssertionResponse, parseRegistrationResponse } from '../webauthn/credential-response.ts';
import { credentialParameters, describeCredential, promptTimeoutMs } from '../webauthn/options.ts';
import { relyingPartyOf } from '../webauthn/relying-party.ts';
import { createWebAuthnSession, type WebAuthnSession } from '../webauthn/session.ts';
import { verifyAssertion, verifyRegistration } from '../webauthn/verification.ts';
import type { Factor, WebAuthnCredential } from '../rows/factor.ts';

/** The options for the browser, and the state to store with the challenge. */
export interface WebAuthnCeremony {
  readonly options: {
    readonly type: 'create' | 'request';
    readonly credential_options: { readonly publicKey: Readonly<Record<string, unknown>> };
  };
  readonly session: WebAuthnSession;
}

/** The keys of the user's verified WebAuthn factors. */
const credentialsOf = (user: User): WebAuthnCredential[] =>
  user.factors.flatMap(({ status, web_authn_credential: credential }) =>
    status === 'verified' && credential !== null ? [credential] : [],
  );

/** Begins the ceremony of a factor: a registration for an unverified factor, an assertion for a verified one. */
export function createCeremony(context: AuthContext, user: User, factor: Factor): WebAuthnCeremony {
  const party = relyingPartyOf(context);
  const credentials = credentialsOf(user);
  const email = user.email ?? '';
  const common = { rpId: party.id, userId: user.id, userVerification: '' };
  if (factor.status === 'verified') {
    const session = createWebAuthnSession({
      ...common,
      allowed_credentials: credentials.map(({ id }) => id),
    });
    const allowed = credentials.map(({ id, transport }) => describeCredential(decodeBase64(id), transport));
    const publicKey = {
      challenge: session.challenge,
      timeout: promptTimeoutMs,
      rpId: party.id,
      allowCredentials: allowed,
    };
    return {
      options: { type: 'request', credential_options: { publicKey } },
      session,
    };
  }
  const session = createWebAuthnSession({ ...common, credParams: credentialParameters });
  const excluded = credentials.map(({ id }) => describeCredential(decodeBase64(id), ['usb', 'nfc']));
  const publicKey = {
    rp: { name: party.name, id: party.id },
    user: { name: email, displayName: email, id: encodeBase64Url(user.id) },
    challenge: session.challenge,
    pubKeyCredParams: credentialParameters,
    timeout: promptTimeoutMs,
    ...(excluded.length > 0 && { excludeCredentials: excluded }),
    authenticatorSelection: {},
  };
  return {
    options: { type: 'create', credential_options: { publicKey } },
    session,
  };
}

/** The browser's credential in the request. */
export interface WebAuthnProof {
  readonly type: 'create' | 'request';
  readonly credential: unknown;
}

/** Reads `{webauthn: {type, credential_response}}`. Throws 400 validation_failed, bad_json. */
export function readWebAuthnProof(body: JsonObject): WebAuthnProof {
  const fields = readObject(body, 'webauthn');
  if (fields === undefined) throw invalid('WebAuthn config required');
  const type = readText(fields, 'type');
  if (type !== 'create' && type !== 'request') throw invalid('WebAuthn type must be create or request');
  const credential = readMember(fields, 'credential_response');
  if (credential === undefined) throw invalid('credential_response required');
  return { type, credential };
}

async function parse<T>(parsing: Promise<T>): Promise<T> {
  return parsing.catch((cause: unknown) => {
    throw invalid('Invalid credential_response', cause);
  });
}

async function verifyCreation(
  context: AuthContext,
  session: WebAuthnSession,
  credential: unknown,
): Promise<Partial<Factor>> {
  const response = await parse(parseRegistrationResponse(credential));
  const expectation = { session, party: relyingPartyOf(context) };
  const verified = await verifyRegistration(response, expectation);
  return {
    web_authn_aaguid: verified.aaguid,
    web_authn_credential: {
      id: encodeBase64(verified.credentialId),
      publicKey: encodeBase64(verified.publicKey),
      attestationType: verified.attestationFormat,
      transport: verified.transports,
      flags: { backupEligible: verified.isBackupEligible, backupState: verified.isBackedUp },
      authenticator: {
        AAGUID: encodeBase64(hexToBytes(verified.aaguid.replaceAll('-', ''))),
        signCount: verified.signCount,
      },
    },
  };
}

async function verifyRequest(
  context: AuthContext,
  user: User,
  session: WebAuthnSession,
  credential: unknown,
): Promise<void> {
  const response = await parse(parseAssertionResponse(credential));
  const id = encodeBase64(response.credentialId);
  const key = credentialsOf(user).find((own) => own.id === id);
  if (key === undefined || !session.allowed_credentials?.includes(id))
    throw new Error('The user has no factor with this key');
  if (response.userHandle !== '' && response.userHandle !== user.id)
    throw new Error('The user handle belongs to another user');
  await verifyAssertion(
    response,
    {
      public_key: decodeBase64(key.publicKey),
      sign_count: key.authenticator.signCount,
      backup_eligible: key.flags.backupEligible,
    },
    { session, party: relyingPartyOf(context) },
  );
}

/**
 * Verifies the credential for a factor and returns the values to store. Throws 400 validation_failed; 500
 * unexpected_failure for an invalid credential, and for one whose type does not fit the factor's status.
 */
export async function verifyWebAuthnProof(
  context: AuthContext,
  user: User,
  factor: Factor,
  session: WebAuthnSession,
  { type, credential }: WebAuthnProof,
): Promise<Partial<Factor>> {
  const isNew = factor.status !== 'verified';
  const message = type === 'create' ? unexpectedMessage : 'Failed to validate WebAuthn MFA response';
  try {
    if (type === 'create') {
      const created = await verifyCreation(context, session, credential);
      if (!isNew || session.allowed_credentials) throw new Error('The factor has a key already');
      return created;
    }
    await verifyRequest(context, user, session, credential);
    if (isNew) throw new Error('The factor has no key yet');
    return {};
  } catch (error) {
    if (error instanceof AuthHttpError) throw error;
    throw internal(message, error);
  }
}
