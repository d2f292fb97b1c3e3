import type { AuthContext } from '../context.ts';
import { type Call, readMember, readText } from '../http/call.ts';
import { AuthHttpError, badRequest, invalid } from '../http/errors.ts';
import { relyingPartyOf } from '../webauthn/relying-party.ts';
import type { Expectation } from '../webauthn/verification.ts';
import { type Ceremony, consumeChallenge } from './challenge.ts';

interface VerificationBody {
  readonly challengeId: string;
  readonly credential: unknown;
}

/** Reads `{challenge_id, credential}`. Throws 400 bad_json, validation_failed. */
async function readVerificationBody(call: Call): Promise<VerificationBody> {
  const body = await call.json();
  const challengeId = readText(body, 'challenge_id');
  const credential = readMember(body, 'credential');
  if (challengeId === '') throw invalid('challenge_id is required');
  if (credential === undefined) throw invalid('credential is required');
  return { challengeId, credential };
}

/** Maps a failure of `task` to 400 webauthn_verification_failed with `message`, unless it already is an HTTP error. */
async function orVerificationFailed<T>(message: string, task: Promise<T>): Promise<T> {
  return task.catch((cause: unknown) => {
    if (cause instanceof AuthHttpError) throw cause;
    throw badRequest('webauthn_verification_failed', message, cause);
  });
}

/** How the credential of a ceremony is checked. */
export interface CeremonyCheck<Parsed, Verified> {
  readonly ceremony: Ceremony;
  /** The user who began the ceremony; null for a sign-in. */
  readonly userId: string | null;
  readonly parse: (credential: unknown) => Promise<Parsed>;
  readonly verify: (response: Parsed, expectation: Expectation) => Promise<Verified>;
}

/**
 * Checks the credential of a request. Its challenge is consumed even if the credential is rejected. Throws 400
 * bad_json, validation_failed, webauthn_challenge_not_found, webauthn_challenge_expired, webauthn_verification_failed.
 */
export async function verifyCredential<Parsed, Verified>(
  context: AuthContext,
  call: Call,
  { ceremony, userId, parse, verify }: CeremonyCheck<Parsed, Verified>,
): Promise<Verified> {
  const { challengeId, credential } = await readVerificationBody(call);
  const session = await consumeChallenge(context, challengeId, ceremony, userId);
  const response = await orVerificationFailed('Invalid credential response', parse(credential));
  const expectation = { session, party: relyingPartyOf(context) };
  return orVerificationFailed('Credential verification failed', verify(response, expectation));
}
