import { type Call, readMember, readText } from '../http/call.ts';
import { AuthHttpError, badRequest, invalid } from '../http/errors.ts';

/** The body of both verifying routes. */
export interface VerificationBody {
  readonly challengeId: string;
  readonly credential: unknown;
}

/** Reads `{challenge_id, credential}`. Throws 400 bad_json, validation_failed. */
export async function readVerificationBody(call: Call): Promise<VerificationBody> {
  const body = await call.json();
  const challengeId = readText(body, 'challenge_id');
  const credential = readMember(body, 'credential');
  if (challengeId === '') throw invalid('challenge_id is required');
  if (credential === undefined) throw invalid('credential is required');
  return { challengeId, credential };
}

/** Answers a failure of `task` with 400 webauthn_verification_failed and `message`, unless it is an HTTP error already. */
export async function orVerificationFailed<T>(message: string, task: Promise<T>): Promise<T> {
  return task.catch((cause: unknown) => {
    if (cause instanceof AuthHttpError) throw cause;
    throw badRequest('webauthn_verification_failed', message, cause);
  });
}
