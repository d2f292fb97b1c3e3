import { isEqualBytes } from '../../../platform/bytes.ts';
import { type Call, sendJson } from '../http/call.ts';
import { recordAudit } from '../rows/audit.ts';
import { type AuthContext, inTransaction, nowDate } from '../context.ts';
import { forbidden } from '../http/errors.ts';
import { isUuid } from '../rows/rows.ts';
import { signIn } from '../sessions/session-tokens.ts';
import { isBanned, type User } from '../rows/user.ts';
import { findUserById } from '../rows/users.ts';
import { promptTimeoutMs } from '../webauthn/options.ts';
import { verifyCredential } from './ceremony.ts';
import { createChallenge } from './challenge.ts';
import { type Credential, listCredentials, recordUse } from './credential.ts';
import { type AssertionResponse, parseAssertionResponse } from '../webauthn/credential-response.ts';
import { relyingPartyOf } from '../webauthn/relying-party.ts';
import { type Expectation, verifyAssertion } from '../webauthn/verification.ts';

/** POST /passkeys/authentication/options: the options of `navigator.credentials.get()`, for any user. */
export async function createAuthenticationOptions(context: AuthContext, call: Call): Promise<Response> {
  const party = relyingPartyOf(context);
  const { id, challenge, expiresAt } = await createChallenge(context, {
    ceremony: 'authentication',
    rpId: party.id,
    userId: null,
  });
  return sendJson(call, {
    challenge_id: id,
    options: { challenge, timeout: promptTimeoutMs, rpId: party.id, userVerification: 'preferred' },
    expires_at: expiresAt,
  });
}

interface VerifiedSignIn {
  readonly user: User;
  readonly credential: Credential;
  readonly signCount: number;
}

/** Finds the user by the user handle and the passkey by its id, and verifies the assertion. Rejects with an `Error`. */
async function verifySignIn(
  { database }: AuthContext,
  response: AssertionResponse,
  expectation: Expectation,
): Promise<VerifiedSignIn> {
  const { userHandle, credentialId } = response;
  const user = isUuid(userHandle) ? await findUserById(database, userHandle) : undefined;
  const credentials = user?.id === userHandle ? await listCredentials(database, userHandle) : [];
  const credential = credentials.find(({ credential_id: id }) => isEqualBytes(id, credentialId));
  if (user === undefined || credential === undefined) throw new Error('No user has this passkey');
  return { user, credential, signCount: await verifyAssertion(response, credential, expectation) };
}

/** Throws 403 email_not_confirmed, phone_not_confirmed, user_banned. */
function checkMaySignIn(user: User, nowMs: number): void {
  if (user.email && user.email_confirmed_at === null)
    throw forbidden('email_not_confirmed', 'Email not confirmed');
  if (user.phone && user.phone_confirmed_at === null)
    throw forbidden('phone_not_confirmed', 'Phone not confirmed');
  if (isBanned(user, nowMs)) throw forbidden('user_banned', 'User is banned');
}

/** POST /passkeys/authentication/verify: `{challenge_id, credential}`; returns a session. */
export async function verifyPasskeyAuthentication(context: AuthContext, call: Call): Promise<Response> {
  const { user, credential, signCount } = await verifyCredential(context, call, {
    ceremony: 'authentication',
    userId: null,
    parse: parseAssertionResponse,
    verify: async (response, expectation) => verifySignIn(context, response, expectation),
  });
  checkMaySignIn(user, context.now());
  const tokens = await inTransaction(context, async ({ sql }) => {
    await recordUse(sql, nowDate(context), credential.id, signCount);
    const details = { traits: { passkey_id: credential.id }, ip: call.ip };
    await recordAudit(context, sql, user, 'login', details);
    return signIn(context, call, sql, user, 'passkey');
  });
  return sendJson(call, tokens);
}
