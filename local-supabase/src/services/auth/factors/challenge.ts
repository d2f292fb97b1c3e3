import { createDigits } from '../../../platform/random.ts';
import { checkChannel } from '../rows/address.ts';
import { recordAudit } from '../rows/audit.ts';
import { requireNonAnonymousCaller } from '../sessions/authentication.ts';
import { type Call, readText, sendJson } from '../http/call.ts';
import { inTransaction, nowDate, type AuthContext } from '../context.ts';
import type { Sql } from '../../../database/database.ts';
import { badRequest, CommitThenThrow, internal, unprocessable } from '../http/errors.ts';
import { isHookEnabled } from '../hooks/invoke-hook.ts';
import { sendSmsByHook } from '../hooks/message-hooks.ts';
import { checkFrequency } from '../mail/mail.ts';
import { textWithCode } from '../mail/text-message.ts';
import { insertRow, updateRow } from '../rows/rows.ts';
import { isUuid } from '../rows/rows.ts';
import type { User } from '../rows/user.ts';
import type { Factor } from '../rows/factor.ts';
import type { WebAuthnSession } from '../webauthn/session.ts';
import { createCeremony, type WebAuthnCeremony } from './webauthn-ceremony.ts';
import { requireFactor } from './factor-caller.ts';

/** A row of auth.mfa_challenges. */
export interface Challenge {
  readonly id: string;
  readonly created_at: Date;
  readonly verified_at: Date | null;
  readonly factor_id: string;
  readonly ip_address: string;
  readonly otp_code: string | null;
  readonly web_authn_session_data: WebAuthnSession | null;
}

/** Whether a factor can raise a session to aal2: verified, of an enabled type, and not a recovery code. */
export function isSecondFactor({ settings }: AuthContext, { status, factor_type }: Factor): boolean {
  const enabled = {
    totp: settings.totpVerifyEnabled,
    phone: settings.phoneFactorVerifyEnabled,
    webauthn: settings.webauthnFactorVerifyEnabled,
    recovery_code: false,
  };
  return status === 'verified' && enabled[factor_type];
}

/** Throws 422 unless the project enables the verification of this factor type. */
export function checkVerifyEnabled(
  { settings }: AuthContext,
  factor: Factor,
  request: 'challenge' | 'verify',
): void {
  if (factor.factor_type === 'totp' && !settings.totpVerifyEnabled)
    throw unprocessable('mfa_totp_verify_not_enabled', 'MFA verification is disabled for TOTP');
  if (factor.factor_type === 'phone' && !settings.phoneFactorVerifyEnabled)
    throw unprocessable('mfa_phone_verify_not_enabled', 'MFA verification is disabled for Phone');
  if (factor.factor_type === 'webauthn' && !settings.webauthnFactorVerifyEnabled)
    throw unprocessable(
      // GoTrue rejects the second request with the code of the enrollment.
      request === 'verify' ? 'mfa_webauthn_enroll_not_enabled' : 'mfa_webauthn_verify_not_enabled',
      'MFA verification is disabled for WebAuthn',
    );
}

async function readChannel(call: Call): Promise<string> {
  return readText(await call.json(), 'channel') || 'sms';
}

const expiryOf = (context: AuthContext, createdAt: Date): number =>
  createdAt.getTime() + context.settings.factorChallengeExpirySeconds * 1000;

async function beginCeremony(
  context: AuthContext,
  call: Call,
  user: User,
  factor: Factor,
): Promise<WebAuthnCeremony> {
  await call.json();
  return createCeremony(context, user, factor);
}

/** Sends the code of a phone factor. Throws 500 unexpected_failure when the project's hook fails. */
async function sendFactorCode(
  context: AuthContext,
  call: Call,
  user: User,
  factor: Factor,
  code: string,
  channel: string,
): Promise<void> {
  const phone = factor.phone ?? '';
  if (!isHookEnabled(context, 'send_sms'))
    return void (await context.smsBox.send({
      to: phone,
      text: textWithCode(context.settings.phoneFactorTemplate, code),
      channel,
    }));
  await sendSmsByHook(context, call, user, { otp: code, sms_type: 'mfa', phone }).catch((cause: unknown) => {
    throw internal('error invoking hook', cause);
  });
}

/** POST /factors/:factor_id/challenge: sends a code to a phone, or returns the WebAuthn options. */
export async function challengeFactor(context: AuthContext, call: Call): Promise<Response> {
  const { user } = await requireNonAnonymousCaller(context, call);
  const factor = await requireFactor(context, call, user.id);
  context.limiter.count('factor_challenge', call.ip);
  checkVerifyEnabled(context, factor, 'challenge');
  const { settings } = context;
  const isPhone = factor.factor_type === 'phone';
  const channel = isPhone ? await readChannel(call) : '';
  if (isPhone) {
    checkChannel(context, channel);
    checkFrequency(
      context,
      factor.last_challenged_at,
      settings.phoneFactorMaxFrequencySeconds,
      'over_sms_send_rate_limit',
    );
  }
  const ceremony =
    factor.factor_type === 'webauthn' ? await beginCeremony(context, call, user, factor) : null;
  const code = isPhone ? createDigits(settings.phoneFactorOtpLength) : null;
  if (code !== null) await sendFactorCode(context, call, user, factor, code, channel);
  const challenge = await inTransaction(context, async (tx) => {
    const now = nowDate(context);
    await updateRow(tx.sql, 'auth.mfa_factors', factor.id, { last_challenged_at: now });
    const traits = { factor_id: factor.id, factor_status: factor.status };
    if (ceremony === null)
      await recordAudit(context, tx.sql, user, 'challenge_created', { traits, ip: call.ip });
    return insertRow<Challenge>(tx.sql, 'auth.mfa_challenges', {
      id: crypto.randomUUID(),
      factor_id: factor.id,
      ip_address: call.ip,
      otp_code: code,
      web_authn_session_data: ceremony?.session ?? null,
      created_at: now,
    });
  });
  const expiresAt = Math.floor(expiryOf(context, challenge.created_at) / 1000);
  return sendJson(call, {
    id: challenge.id,
    type: factor.factor_type,
    expires_at: expiresAt,
    ...(ceremony && { webauthn: ceremony.options }),
  });
}

const badId = (id: string): Error =>
  badRequest(
    'bad_json',
    `Could not parse request body as JSON: uuid: incorrect UUID length ${id.length} in string ${JSON.stringify(id)}`,
  );

/**
 * Returns the open challenge of a factor, and deletes an expired one. Throws 422 mfa_factor_not_found,
 * mfa_ip_address_mismatch, mfa_challenge_expired.
 */
export async function loadChallenge(
  context: AuthContext,
  call: Call,
  sql: Sql,
  factor: Factor,
  id: string,
): Promise<Challenge> {
  if (id !== '' && !isUuid(id)) throw badId(id);
  const [challenge] = await sql.query<Challenge>(
    'select * from auth.mfa_challenges where id::text = $1 and factor_id = $2',
    [id.toLowerCase(), factor.id],
  );
  if (challenge === undefined)
    throw unprocessable('mfa_factor_not_found', 'MFA factor with the provided challenge ID not found');
  if (challenge.verified_at !== null || challenge.ip_address !== call.ip)
    throw unprocessable('mfa_ip_address_mismatch', 'Challenge and verify IP addresses mismatch.');
  if (context.now() > expiryOf(context, challenge.created_at)) {
    await sql.query('delete from auth.mfa_challenges where id = $1', [challenge.id]);
    throw new CommitThenThrow(
      unprocessable(
        'mfa_challenge_expired',
        `MFA challenge ${challenge.id} has expired, verify against another challenge or create a new challenge.`,
      ),
    );
  }
  return challenge;
}
