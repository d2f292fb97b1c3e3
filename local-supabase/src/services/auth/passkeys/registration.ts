import { encodeBase64Url } from '../../../platform/base64.ts';
import { type Caller, requireNonAnonymousCaller } from '../sessions/authentication.ts';
import { type Call, sendJson } from '../http/call.ts';
import { recordAudit } from '../rows/audit.ts';
import { type AuthContext, inTransaction } from '../context.ts';
import { unprocessable } from '../http/errors.ts';
import type { User } from '../rows/user.ts';
import { credentialParameters, describeCredential, promptTimeoutMs } from '../webauthn/options.ts';
import { verifyCredential } from './ceremony.ts';
import { createChallenge } from './challenge.ts';
import { checkPasskeyCount, encodePasskey, insertCredential, listCredentials } from './credential.ts';
import { parseRegistrationResponse } from '../webauthn/credential-response.ts';
import { requireManagementLevel } from './management.ts';
import { relyingPartyOf } from '../webauthn/relying-party.ts';
import { verifyRegistration } from '../webauthn/verification.ts';

/**
 * Returns the caller, who must be allowed to register a passkey. Throws 422 validation_failed for a user of SSO; 403
 * insufficient_aal.
 */
async function requireRegistrant(context: AuthContext, call: Call): Promise<Caller> {
  const caller = await requireNonAnonymousCaller(context, call);
  if (caller.user.is_sso_user) throw unprocessable('validation_failed', 'SSO users cannot register passkeys');
  requireManagementLevel(caller);
  return caller;
}

/** The user as the authenticator stores it: each sign-in returns `id` as the user handle. */
function encodeUserEntity(user: User): Record<string, string> {
  const address = user.email || user.phone || '';
  const name = user.raw_user_meta_data?.['name'];
  return {
    name: address,
    displayName: typeof name === 'string' && name !== '' ? name : address,
    id: encodeBase64Url(user.id),
  };
}

/** POST /passkeys/registration/options: the options of `navigator.credentials.create()`. */
export async function createRegistrationOptions(context: AuthContext, call: Call): Promise<Response> {
  const { user } = await requireRegistrant(context, call);
  const { database, settings } = context;
  const credentials = await listCredentials(database, user.id);
  checkPasskeyCount(credentials, settings.maxPasskeysPerUser);
  const party = relyingPartyOf(context);
  const stored = await createChallenge(context, {
    ceremony: 'registration',
    rpId: party.id,
    userId: user.id,
    credParams: credentialParameters,
  });
  const excludeCredentials = credentials.map(({ credential_id: id }) => describeCredential(id));
  return sendJson(call, {
    challenge_id: stored.id,
    options: {
      rp: { name: party.name, id: party.id },
      user: encodeUserEntity(user),
      challenge: stored.challenge,
      pubKeyCredParams: credentialParameters,
      timeout: promptTimeoutMs,
      ...(excludeCredentials.length > 0 && { excludeCredentials }),
      authenticatorSelection: { residentKey: 'required', userVerification: 'preferred' },
      attestation: 'none',
    },
    expires_at: stored.expiresAt,
  });
}

/** POST /passkeys/registration/verify: `{challenge_id, credential}`; stores the passkey. */
export async function verifyPasskeyRegistration(context: AuthContext, call: Call): Promise<Response> {
  const { user } = await requireRegistrant(context, call);
  const verified = await verifyCredential(context, call, {
    ceremony: 'registration',
    userId: user.id,
    parse: parseRegistrationResponse,
    verify: verifyRegistration,
  });
  const passkey = await inTransaction(context, async ({ sql }) => {
    checkPasskeyCount(await listCredentials(sql, user.id), context.settings.maxPasskeysPerUser);
    const created = await insertCredential(context, sql, user.id, verified);
    const details = { traits: { passkey_id: created.id }, ip: call.ip };
    await recordAudit(context, sql, user, 'passkey_created', details);
    return created;
  });
  return sendJson(call, encodePasskey(passkey));
}
