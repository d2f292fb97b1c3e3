import { isEqualText } from '../../../platform/bytes.ts';
import { Secret, TOTP } from 'otpauth';

import { requireNonAnonymousCaller } from '../sessions/authentication.ts';
import { type Call, readText, sendJson } from '../http/call.ts';
import { recordAudit } from '../rows/audit.ts';
import { inTransaction, nowDate, type AuthContext, type Transaction } from '../context.ts';
import { encodeCounterToken } from '../sessions/counter-token.ts';
import { internal, invalid, unprocessable } from '../http/errors.ts';
import { checkFactorAttempt } from '../hooks/verification-attempt.ts';
import { findActiveRefreshToken, rotateRefreshToken } from '../sessions/refresh-token.ts';
import { notifyOfChange } from '../mail/account-change.ts';
import { updateRow } from '../rows/rows.ts';
import { addMethod, readMethods, type Session, updateSession } from '../rows/session.ts';
import { createSessionTokens, type SessionTokens } from '../sessions/session-tokens.ts';
import type { User } from '../rows/user.ts';
import { loadUser } from '../rows/users.ts';
import { type Challenge, checkVerifyEnabled, loadChallenge } from './challenge.ts';
import { type Factor, methodOfFactor } from '../rows/factor.ts';
import { requireFactor } from './factor-caller.ts';
import { readWebAuthnProof, verifyWebAuthnProof, type WebAuthnProof } from './webauthn-ceremony.ts';

const allowedSteps = 1;

function isTotpCode(factor: Factor, code: string, nowMs: number): boolean {
  const totp = new TOTP({ secret: Secret.fromBase32(factor.secret ?? '') });
  const token = code.trim();
  // otpauth throws for non-ASCII digits, which have more bytes than characters.
  if (!/^\d{6}$/.test(token)) return false;
  return totp.validate({ token, timestamp: nowMs, window: allowedSteps }) !== null;
}

async function checkCode(
  context: AuthContext,
  call: Call,
  user: User,
  factor: Factor,
  challenge: Challenge,
  code: string,
): Promise<void> {
  const isTotp = factor.factor_type === 'totp';
  const isValid = isTotp
    ? isTotpCode(factor, code, context.now())
    : challenge.otp_code !== null && isEqualText(challenge.otp_code, code);
  await checkFactorAttempt(context, call, user.id, factor, isValid);
  if (isValid) return;
  const message = isTotp ? 'Invalid TOTP code entered' : 'Invalid MFA Phone code entered';
  throw unprocessable('mfa_verification_failed', message);
}

/** Issues a new refresh token. A counter advances by two, so that the token of the aal1 session cannot be reused. */
async function renewAfterVerification(
  context: AuthContext,
  tx: Transaction,
  user: User,
  session: Session,
): Promise<string> {
  const now = nowDate(context);
  if (session.refresh_token_counter !== null) {
    const counter = session.refresh_token_counter + 2;
    return encodeCounterToken(await updateSession(tx.sql, now, session, { refresh_token_counter: counter }));
  }
  const active = await findActiveRefreshToken(tx.sql, session.id);
  if (active === undefined) throw internal('The session has no refresh token');
  await recordAudit(context, tx.sql, user, 'token_revoked');
  return (await rotateRefreshToken(tx.sql, now, active)).token;
}

/** Adds the factor's method to the session and issues new tokens; ends the user's sessions of aal1. Throws 500 without a session. */
export async function raiseSession(
  context: AuthContext,
  call: Call,
  tx: Transaction,
  session: Session | null,
  factor: Factor,
): Promise<SessionTokens> {
  if (session === null) throw internal('Cannot read SessionId claim as UUID');
  const now = nowDate(context);
  const method = methodOfFactor(factor.factor_type);
  await addMethod(tx.sql, now, session.id, method);
  const user = await loadUser(tx.sql, session.user_id);
  const refreshToken = await renewAfterVerification(context, tx, user, session);
  const { aal } = await readMethods(tx.sql, session, user);
  const raised = await updateSession(tx.sql, now, session, { aal, factor_id: factor.id });
  await tx.sql.query(`delete from auth.sessions where user_id = $1 and aal < 'aal2'`, [user.id]);
  await tx.sql.query(
    `delete from auth.mfa_factors where user_id = $1 and status = 'unverified' and factor_type::text = $2`,
    [user.id, factor.factor_type],
  );
  return createSessionTokens(context, call, tx.sql, user, raised, { refreshToken, method });
}

/** Verifies the WebAuthn response, deletes the challenge and returns the values to store with the factor. */
async function proveByWebAuthn(
  context: AuthContext,
  tx: Transaction,
  user: User,
  factor: Factor,
  challenge: Challenge,
  proof: WebAuthnProof,
): Promise<Partial<Factor>> {
  const session = challenge.web_authn_session_data;
  if (session === null) throw internal('The challenge has no WebAuthn session');
  const changes = await verifyWebAuthnProof(context, user, factor, session, proof);
  await tx.sql.query('delete from auth.mfa_challenges where id = $1', [challenge.id]);
  const { id, factor_id, created_at, ip_address } = challenge;
  return {
    ...changes,
    last_webauthn_challenge_data: {
      challenge: { challenge_id: id, factor_id, created_at, ip_address, web_authn_session_data: session },
      type: proof.type,
      credential_response: proof.credential,
    },
  };
}

/**
 * POST /factors/:factor_id/verify: `{challenge_id, code|webauthn}`; returns a session of aal2 and ends the user's
 * sessions of aal1.
 */
export async function verifyFactor(context: AuthContext, call: Call): Promise<Response> {
  const { user, session } = await requireNonAnonymousCaller(context, call);
  const factor = await requireFactor(context, call, user.id);
  context.limiter.count('factor_verify', call.ip);
  const body = await call.json();
  const [challengeId, code] = [readText(body, 'challenge_id'), readText(body, 'code')];
  const isWebAuthn = factor.factor_type === 'webauthn';
  if (code === '' && !isWebAuthn) throw invalid('Code needs to be non-empty');
  checkVerifyEnabled(context, factor, 'verify');
  const proof = isWebAuthn ? readWebAuthnProof(body) : null;
  const isFirstProof = factor.status !== 'verified';
  const challenge = await inTransaction(context, async ({ sql }) =>
    loadChallenge(context, call, sql, factor, challengeId),
  );
  // Before the transaction: what the project's hook writes must persist when the code is rejected.
  if (proof === null) await checkCode(context, call, user, factor, challenge, code);
  const traits = { factor_id: factor.id, challenge_id: challenge.id, factor_type: factor.factor_type };
  const tokens = await inTransaction(context, async (tx) => {
    await recordAudit(context, tx.sql, user, 'verification_attempted', { traits, ip: call.ip });
    if (proof === null)
      await updateRow(tx.sql, 'auth.mfa_challenges', challenge.id, { verified_at: nowDate(context) });
    const changes = proof && (await proveByWebAuthn(context, tx, user, factor, challenge, proof));
    if (isFirstProof || changes)
      await updateRow(tx.sql, 'auth.mfa_factors', factor.id, {
        ...changes,
        status: 'verified',
        updated_at: nowDate(context),
      });
    return raiseSession(context, call, tx, session, factor);
  });
  if (isFirstProof)
    await notifyOfChange(context, call, {
      change: 'mfa_factor_enrolled',
      user,
      factorType: factor.factor_type,
    });
  return sendJson(call, tokens);
}
