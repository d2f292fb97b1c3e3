import { toString as renderQrCode } from 'qrcode';
import { Secret, TOTP } from 'otpauth';

import { parsePhone } from '../rows/address.ts';
import { recordAudit } from '../rows/audit.ts';
import { type Caller, requireNonAnonymousCaller } from '../sessions/authentication.ts';
import { type Call, type JsonObject, readText, sendJson } from '../http/call.ts';
import { inTransaction, nowDate, type AuthContext, type Transaction } from '../context.ts';
import { forbidden, internal, invalid, unprocessable } from '../http/errors.ts';
import { notifyOfChange } from '../mail/account-change.ts';
import { insertRow } from '../rows/rows.ts';
import { deleteFactor, type Factor, listFactors, lowerSessionsOfFactor } from '../rows/factor.ts';
import type { User } from '../rows/user.ts';
import { isSecondFactor } from './challenge.ts';
import { requireFactor } from './factor-caller.ts';

const secretBytes = 20;

export async function checkMayEnroll(
  context: AuthContext,
  tx: Transaction,
  { user, session }: Caller,
  friendlyName: string,
): Promise<void> {
  const { maxEnrolledFactors, maxVerifiedFactors, factorExpirySeconds } = context.settings;
  await tx.sql.query(
    `delete from auth.mfa_factors f where status <> 'verified' and created_at < $1
       and not exists (select from auth.mfa_challenges c where c.factor_id = f.id)`,
    [new Date(context.now() - factorExpirySeconds * 1000).toISOString()],
  );
  const factors = await listFactors(tx.sql, user.id);
  const verified = factors.filter(({ status }) => status === 'verified').length;
  if (factors.some((factor) => (factor.friendly_name ?? '') === friendlyName))
    throw unprocessable(
      'mfa_factor_name_conflict',
      `A factor with the friendly name ${JSON.stringify(friendlyName)} for this user already exists`,
    );
  if (factors.length >= maxEnrolledFactors || verified >= maxVerifiedFactors)
    throw unprocessable(
      'too_many_enrolled_mfa_factors',
      'Maximum number of verified factors reached, unenroll to continue',
    );
  if (verified > 0 && session?.aal !== 'aal2')
    throw forbidden('insufficient_aal', 'AAL2 required to enroll a new factor');
}

async function storeFactor(
  context: AuthContext,
  call: Call,
  tx: Transaction,
  user: User,
  values: Pick<Factor, 'friendly_name' | 'factor_type'> & {
    readonly secret?: string;
    readonly phone?: string;
  },
): Promise<Factor> {
  const now = nowDate(context);
  const factor = await insertRow<Factor>(tx.sql, 'auth.mfa_factors', {
    id: crypto.randomUUID(),
    user_id: user.id,
    status: 'unverified',
    ...values,
    created_at: now,
    updated_at: now,
  });
  const isTotp = factor.factor_type === 'totp';
  const traits = { factor_id: factor.id, ...(!isTotp && { factor_type: factor.factor_type }) };
  await recordAudit(context, tx.sql, user, 'factor_in_progress', { traits, ip: call.ip });
  return factor;
}

async function enrollTotp(
  context: AuthContext,
  call: Call,
  caller: Caller,
  body: JsonObject,
): Promise<Response> {
  if (!context.settings.totpEnrollEnabled)
    throw unprocessable('mfa_totp_enroll_not_enabled', 'MFA enroll is disabled for TOTP');
  const { user } = caller;
  const friendlyName = readText(body, 'friendly_name');
  const issuer = readText(body, 'issuer') || new URL(context.siteUrl).host;
  if (!user.email) throw internal('Error generating QR Code');
  const secret = new Secret({ size: secretBytes });
  const uri = new TOTP({ issuer, label: user.email, secret }).toString();
  const factor = await inTransaction(context, async (tx) => {
    await checkMayEnroll(context, tx, caller, friendlyName);
    const values = { friendly_name: friendlyName, factor_type: 'totp', secret: secret.base32 } as const;
    return storeFactor(context, call, tx, user, values);
  });
  const qrCode = await renderQrCode(uri, { type: 'svg', errorCorrectionLevel: 'H' });
  return sendJson(call, {
    id: factor.id,
    type: 'totp',
    friendly_name: friendlyName,
    totp: { qr_code: qrCode, secret: secret.base32, uri },
  });
}

async function enrollPhone(
  context: AuthContext,
  call: Call,
  caller: Caller,
  body: JsonObject,
): Promise<Response> {
  if (!context.settings.phoneFactorEnrollEnabled)
    throw unprocessable('mfa_phone_enroll_not_enabled', 'MFA enroll is disabled for Phone');
  const given = readText(body, 'phone');
  if (given === '') throw invalid('Phone number required to enroll Phone factor');
  const phone = parsePhone(given);
  const friendlyName = readText(body, 'friendly_name');
  const factor = await inTransaction(context, async (tx) => {
    for (const known of await listFactors(tx.sql, caller.user.id)) {
      if (known.factor_type !== 'phone' || known.phone !== phone) continue;
      if (known.status === 'verified')
        throw unprocessable(
          'mfa_verified_factor_exists',
          'A verified phone factor already exists, unenroll the existing factor to continue',
        );
      await deleteFactor(tx.sql, known.id);
    }
    await checkMayEnroll(context, tx, caller, friendlyName);
    const values = { friendly_name: friendlyName, factor_type: 'phone', phone } as const;
    return storeFactor(context, call, tx, caller.user, values);
  });
  return sendJson(call, { id: factor.id, type: 'phone', friendly_name: friendlyName, phone: given });
}

async function enrollWebAuthn(
  context: AuthContext,
  call: Call,
  caller: Caller,
  body: JsonObject,
): Promise<Response> {
  if (!context.settings.webauthnFactorEnrollEnabled)
    throw unprocessable('mfa_webauthn_enroll_not_enabled', 'MFA enroll is disabled for WebAuthn');
  const friendlyName = readText(body, 'friendly_name');
  const factor = await inTransaction(context, async (tx) => {
    await checkMayEnroll(context, tx, caller, friendlyName);
    const values = { friendly_name: friendlyName, factor_type: 'webauthn' } as const;
    return storeFactor(context, call, tx, caller.user, values);
  });
  return sendJson(call, { id: factor.id, type: 'webauthn', friendly_name: friendlyName });
}

/** POST /factors: `{factor_type: totp|phone|webauthn, friendly_name, issuer|phone}`. */
export async function enrollFactor(context: AuthContext, call: Call): Promise<Response> {
  const caller = await requireNonAnonymousCaller(context, call);
  if (caller.session === null)
    throw internal('A valid session and a registered user are required to enroll a factor');
  const body = await call.json();
  switch (readText(body, 'factor_type')) {
    case 'totp':
      return enrollTotp(context, call, caller, body);
    case 'phone':
      return enrollPhone(context, call, caller, body);
    case 'webauthn':
      return enrollWebAuthn(context, call, caller, body);
    default:
      throw invalid('factor_type needs to be totp, phone, or webauthn');
  }
}

/**
 * Recovery codes have their own endpoint and need another factor: the last other factor cannot be removed while codes
 * exist.
 */
async function checkMayUnenroll(
  context: AuthContext,
  factor: Factor,
  { user, session }: Pick<Caller, 'user' | 'session'>,
): Promise<void> {
  if (factor.factor_type === 'recovery_code')
    throw unprocessable(
      'validation_failed',
      'Recovery codes cannot be unenrolled with this endpoint, use DELETE /factors/recovery-codes',
    );
  if (factor.status !== 'verified') return;
  if (session?.aal !== 'aal2')
    throw unprocessable('insufficient_aal', 'AAL2 required to unenroll verified factor');
  const others = (await listFactors(context.database, user.id)).filter(({ id }) => id !== factor.id);
  if (!others.some(({ factor_type }) => factor_type === 'recovery_code')) return;
  if (!others.some((other) => isSecondFactor(context, other)))
    throw unprocessable(
      'mfa_recovery_codes_sole_factor',
      'Recovery codes cannot be the only verified factor. Please enroll another factor before unenrolling this one or delete your recovery codes.',
    );
}

/** DELETE /factors/:factor_id: returns sessions that used the factor to aal1. */
export async function unenrollFactor(context: AuthContext, call: Call): Promise<Response> {
  const { user, session } = await requireNonAnonymousCaller(context, call);
  const factor = await requireFactor(context, call, user.id);
  if (session === null) throw internal('A valid session and factor are required to unenroll a factor');
  await checkMayUnenroll(context, factor, { user, session });
  const traits = { factor_id: factor.id, factor_status: factor.status, session_id: session.id };
  await inTransaction(context, async ({ sql }) => {
    await recordAudit(context, sql, user, 'factor_unenrolled', { traits, ip: call.ip });
    await deleteFactor(sql, factor.id);
    await lowerSessionsOfFactor(sql, factor);
  });
  await notifyOfChange(context, call, {
    change: 'mfa_factor_unenrolled',
    user,
    factorType: factor.factor_type,
  });
  return sendJson(call, { id: factor.id });
}
