import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex } from '@noble/hashes/utils.js';
import { encodeUtf8 } from '../../platform/bytes.ts';
import { createBase32Text } from '../../platform/random.ts';
import { type Caller, requireNonAnonymousCaller } from '../sessions/authentication.ts';
import { type Call, readText, sendJson } from '../http/call.ts';
import { inTransaction, nowDate, type AuthContext, type Transaction } from '../context.ts';
import { forbidden, internal, notFound, tooManyRequests, unprocessable } from '../http/errors.ts';
import { notifyOfChange } from '../mail/account-change.ts';
import { recordAudit } from '../rows/audit.ts';
import { deleteFactor, type Factor, listFactors, lowerSessionsOfFactor } from '../rows/factor.ts';
import { insertRow } from '../rows/rows.ts';
import type { Session } from '../rows/session.ts';
import { isSecondFactor } from './challenge.ts';
import { raiseSession } from './verification.ts';

const CODES = 10;
const CODE_LENGTH = 16;
/** This many wrong codes lock verification for `LOCK_MS`. */
const MOST_ATTEMPTS = 5;
const LOCK_MS = 15 * 60_000;

interface CodeSet {
  readonly factor_id: string;
  readonly failed_attempts: number;
  readonly locked_until: Date | null;
}

/** A plain hash is enough, because codes have high entropy. Case, spaces and hyphens are ignored. */
const hashOf = (code: string): string =>
  bytesToHex(sha256(encodeUtf8(code.toLowerCase().replaceAll(/[\s-]/g, ''))));

/** GET /factors/recovery-codes: the number of unused codes. */
export async function describeRecoveryCodes(context: AuthContext, call: Call): Promise<Response> {
  const { user } = await requireNonAnonymousCaller(context, call);
  const factor = await requireCodes(context, user.id);
  const [counts] = await context.database.query<{ total: number; remaining: number }>(
    `select count(*)::int as total, count(*) filter (where used_at is null)::int as remaining
     from auth.mfa_recovery_codes where factor_id = $1`,
    [factor.id],
  );
  return sendJson(call, { id: factor.id, type: 'recovery_code', ...counts });
}

/** POST /factors/recovery-codes: `{friendly_name}`; the only response that contains the codes. */
export async function generateRecoveryCodes(context: AuthContext, call: Call): Promise<Response> {
  checkEnabled(context, 'enroll');
  const caller = await requireSecondFactor(context, call);
  const friendlyName = readText(await readBody(call), 'friendly_name') || 'Recovery codes';
  const { user } = caller;
  const created = await inTransaction(context, async (tx) => {
    const factors = await listFactors(tx.sql, user.id);
    if (factors.some(isRecoveryCodes))
      throw unprocessable(
        'mfa_verified_factor_exists',
        'Recovery codes already exist, regenerate them instead',
      );
    if (!factors.some((one) => isSecondFactor(context, one)))
      throw unprocessable('mfa_recovery_codes_sole_factor', 'Recovery codes need another verified factor');
    if (factors.some(({ friendly_name }) => friendly_name === friendlyName))
      throw unprocessable(
        'mfa_factor_name_conflict',
        `A factor with the friendly name ${JSON.stringify(friendlyName)} for this user already exists`,
      );
    const now = nowDate(context);
    const factor = await insertRow<Factor>(tx.sql, 'auth.mfa_factors', {
      id: crypto.randomUUID(),
      user_id: user.id,
      status: 'verified',
      friendly_name: friendlyName,
      factor_type: 'recovery_code',
      created_at: now,
      updated_at: now,
    });
    await insertRow(tx.sql, 'auth.mfa_recovery_code_sets', { factor_id: factor.id });
    return { factor, codes: await storeCodes(tx, factor) };
  });
  await notifyOfChange(context, call, {
    change: 'mfa_factor_enrolled',
    user,
    factorType: 'recovery_code',
  });
  return sendCodes(call, created);
}

/** POST /factors/recovery-codes/regenerate: replaces all codes and removes a lock. */
export async function regenerateRecoveryCodes(context: AuthContext, call: Call): Promise<Response> {
  checkEnabled(context, 'enroll');
  const { user } = await requireSecondFactor(context, call);
  const factor = await requireCodes(context, user.id);
  const codes = await inTransaction(context, async (tx) => {
    await tx.sql.query('delete from auth.mfa_recovery_codes where factor_id = $1', [factor.id]);
    await saveAttempts(tx, factor, 0, null);
    return storeCodes(tx, factor);
  });
  return sendCodes(call, { factor, codes });
}

/** POST /factors/recovery-codes/verify: `{code}`; returns a session of aal2. Each code can be used once. */
export async function verifyRecoveryCode(context: AuthContext, call: Call): Promise<Response> {
  checkEnabled(context, 'verify');
  const { user, session } = await requireNonAnonymousCaller(context, call);
  context.limiter.count('factor_verify', call.ip);
  const code = readText(await call.json(), 'code');
  if (session === null) throw internal('Cannot read SessionId claim as UUID');
  const factor = (await listFactors(context.database, user.id)).find(isRecoveryCodes);
  if (!factor || code === '') throw wrongCode();
  // A wrong code has to commit its attempt, so it is rejected after the transaction.
  const isSpent = await inTransaction(context, async (tx) => spendCode(context, tx, factor, code));
  if (!isSpent) throw wrongCode();
  const tokens = await inTransaction(context, async (tx) => {
    const traits = { factor_id: factor.id, factor_type: factor.factor_type };
    await recordAudit(context, tx.sql, user, 'verification_attempted', { traits, ip: call.ip });
    return raiseSession(context, call, tx, session, factor);
  });
  return sendJson(call, tokens);
}

export async function unenrollRecoveryCodes(context: AuthContext, call: Call): Promise<Response> {
  const { user } = await requireSecondFactor(context, call);
  const factor = await requireCodes(context, user.id);
  await inTransaction(context, async ({ sql }) => {
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

const isRecoveryCodes = ({ factor_type }: Factor): boolean => factor_type === 'recovery_code';
const wrongCode = () => unprocessable('mfa_verification_failed', 'Invalid recovery code');

function checkEnabled({ settings }: AuthContext, action: 'enroll' | 'verify'): void {
  if (!settings.recoveryCodesEnabled)
    throw unprocessable(
      `mfa_recovery_codes_${action}_not_enabled`,
      `MFA ${action} is disabled for recovery codes`,
    );
}

/** @throws {AuthHttpError} `insufficient_aal` for a session of aal1. */
async function requireSecondFactor(
  context: AuthContext,
  call: Call,
): Promise<Caller & { readonly session: Session }> {
  const { session, ...caller } = await requireNonAnonymousCaller(context, call);
  if (session?.aal !== 'aal2') throw forbidden('insufficient_aal', 'AAL2 session is required');
  return { ...caller, session };
}

async function requireCodes({ database }: AuthContext, userId: string): Promise<Factor> {
  const factor = (await listFactors(database, userId)).find(isRecoveryCodes);
  if (!factor) throw notFound('mfa_factor_not_found', 'Factor not found');
  return factor;
}

async function readBody(call: Call) {
  return call.json().catch(() => ({}));
}

async function storeCodes({ sql }: Transaction, { id }: Factor): Promise<readonly string[]> {
  const codes = Array.from({ length: CODES }, () => createBase32Text(CODE_LENGTH));
  for (const code of codes)
    await sql.query('insert into auth.mfa_recovery_codes (factor_id, code_hash) values ($1, $2)', [
      id,
      hashOf(code),
    ]);
  return codes;
}

function sendCodes(
  call: Call,
  { factor, codes }: { readonly factor: Factor; readonly codes: readonly string[] },
): Response {
  const { id, friendly_name } = factor;
  return sendJson(call, { id, type: 'recovery_code', friendly_name, total: codes.length, codes });
}

/** Marks a code as used, or counts a wrong one. @throws {AuthHttpError} `mfa_recovery_codes_locked`. */
async function spendCode(
  context: AuthContext,
  tx: Transaction,
  factor: Factor,
  code: string,
): Promise<boolean> {
  const [set] = await tx.sql.query<CodeSet>(
    'select * from auth.mfa_recovery_code_sets where factor_id = $1 for update',
    [factor.id],
  );
  const nowMs = context.now();
  if ((set?.locked_until?.getTime() ?? 0) > nowMs)
    throw tooManyRequests('mfa_recovery_codes_locked', 'Too many attempts, try again later');
  const [used] = await tx.sql.query(
    `update auth.mfa_recovery_codes set used_at = $3
     where factor_id = $1 and code_hash = $2 and used_at is null returning code_hash`,
    [factor.id, hashOf(code), nowDate(context)],
  );
  const failed = used ? 0 : (set?.failed_attempts ?? 0) + 1;
  const isLocked = failed >= MOST_ATTEMPTS;
  await saveAttempts(tx, factor, isLocked ? 0 : failed, isLocked ? new Date(nowMs + LOCK_MS) : null);
  return used !== undefined;
}

async function saveAttempts(
  { sql }: Transaction,
  { id }: Factor,
  failed: number,
  lockedUntil: Date | null,
): Promise<void> {
  await sql.query(
    'update auth.mfa_recovery_code_sets set failed_attempts = $2, locked_until = $3 where factor_id = $1',
    [id, failed, lockedUntil?.toISOString() ?? null],
  );
}
