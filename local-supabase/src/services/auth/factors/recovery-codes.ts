import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex } from '@noble/hashes/utils.js';
import { encodeUtf8 } from '../../../platform/bytes.ts';
import { createBase32Text } from '../../../platform/random.ts';
import { type Caller, requireNonAnonymousCaller } from '../sessions/authentication.ts';
import { type Call, type JsonObject, readText, sendJson } from '../http/call.ts';
import { inTransaction, nowDate, type AuthContext, type Transaction } from '../context.ts';
import { forbidden, invalid, notFound, tooManyRequests, unprocessable } from '../http/errors.ts';
import { notifyOfChange } from '../mail/account-change.ts';
import { recordAudit } from '../rows/audit.ts';
import { deleteFactor, type Factor, findFactor, listFactors, lowerSessionsOfFactor } from '../rows/factor.ts';
import { insertRow } from '../rows/rows.ts';
import type { Sql } from '../../../database/database.ts';
import type { User } from '../rows/user.ts';
import { checkFactorAttempt } from '../hooks/verification-attempt.ts';
import { isSecondFactor } from './challenge.ts';
import { checkMayEnroll } from './enrollment.ts';
import { raiseSession } from './verification.ts';

const CODES = 10;
const CODE_LENGTH = 16;
/** This many wrong codes lock verification for `LOCK_MS`. */
const MAX_ATTEMPTS = 5;
const LOCK_MS = 15 * 60_000;

/** A row of auth.mfa_recovery_code_sets. */
interface CodeSet {
  readonly id: string;
  readonly mfa_factor_id: string;
  readonly failed_verification_count: number;
  readonly verification_locked_until: Date | null;
}

const normalize = (code: string): string => code.toLowerCase().replaceAll(/[\s-]/g, '');
/** A plain hash is enough, because codes have high entropy. */
const hashOf = (code: string): string => bytesToHex(sha256(encodeUtf8(code)));

/** GET /factors/recovery-codes: the number of unused codes. */
export async function describeRecoveryCodes(context: AuthContext, call: Call): Promise<Response> {
  const { user } = await requireNonAnonymousCaller(context, call);
  const set = await requireCodes(context, user);
  return sendJson(call, {
    id: set.mfa_factor_id,
    type: 'recovery_code',
    ...(await countCodes(context.database, set)),
  });
}

/** POST /factors/recovery-codes: `{friendly_name}`; the only response that contains the codes. */
export async function generateRecoveryCodes(context: AuthContext, call: Call): Promise<Response> {
  const caller = await requireNonAnonymousCaller(context, call);
  checkEnabled(context, 'enroll');
  const isEmpty = (await call.text()) === '';
  const friendlyName = isEmpty ? '' : readText(await call.json(), 'friendly_name');
  requireSecondFactor(caller, 'generate');
  const { user } = caller;
  const created = await inTransaction(context, async (tx) => {
    if (await findSet(tx.sql, user))
      throw unprocessable(
        'mfa_verified_factor_exists',
        'Recovery codes are already enrolled for this user, use regenerate to rotate them',
      );
    const name = friendlyName.trim() === '' ? 'Recovery codes' : friendlyName;
    await checkMayEnroll(context, tx, caller, name);
    if (!(await listFactors(tx.sql, user.id)).some((one) => isSecondFactor(context, one)))
      throw unprocessable(
        'mfa_recovery_codes_sole_factor',
        'At least one other verified factor is required to generate recovery codes',
      );
    const now = nowDate(context);
    const factor = await insertRow<Factor>(tx.sql, 'auth.mfa_factors', {
      id: crypto.randomUUID(),
      user_id: user.id,
      status: 'verified',
      friendly_name: name,
      factor_type: 'recovery_code',
      created_at: now,
      updated_at: now,
    });
    const set = await insertRow<CodeSet>(tx.sql, 'auth.mfa_recovery_code_sets', {
      id: crypto.randomUUID(),
      user_id: user.id,
      mfa_factor_id: factor.id,
      created_at: now,
      updated_at: now,
    });
    const codes = await storeCodes(context, tx, set);
    await recordChange(context, call, tx, user, 'generated', { factor_id: factor.id, count: codes.length });
    return { factor, codes };
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
  const caller = await requireNonAnonymousCaller(context, call);
  checkEnabled(context, 'enroll');
  requireSecondFactor(caller, 'regenerate');
  const { user } = caller;
  const set = await requireCodes(context, user);
  const factor = await requireFactorOf(context, user, set);
  const codes = await inTransaction(context, async (tx) => {
    await tx.sql.query('delete from auth.mfa_recovery_codes where mfa_recovery_code_set_id = $1', [set.id]);
    await saveAttempts(context, tx, set, 0, null);
    const stored = await storeCodes(context, tx, set);
    await recordChange(context, call, tx, user, 'regenerated', {
      factor_id: factor.id,
      count: stored.length,
    });
    return stored;
  });
  return sendCodes(call, { factor, codes });
}

/** POST /factors/recovery-codes/verify: `{code}`; returns a session of aal2. Each code can be used once. */
export async function verifyRecoveryCode(context: AuthContext, call: Call): Promise<Response> {
  const { user, session } = await requireNonAnonymousCaller(context, call);
  context.limiter.count('factor_verify', call.ip);
  checkEnabled(context, 'verify');
  const code = normalize(readText(await call.json(), 'code'));
  if (code === '') throw invalid('Code needs to be non-empty');
  const set = await findSet(context.database, user);
  if (!set) throw wrongCode();
  checkLock(context, set);
  const factor = await requireFactorOf(context, user, set);
  const [unused] = await context.database.query<{ id: string }>(
    `select id from auth.mfa_recovery_codes
     where mfa_recovery_code_set_id = $1 and code_hash = $2 and consumed_at is null`,
    [set.id, hashOf(code)],
  );
  await checkFactorAttempt(context, call, user.id, factor, unused !== undefined);
  const tokens = await inTransaction(context, async (tx) => {
    if (!(await consumeCode(context, tx, user, unused?.id ?? null))) return null;
    const { remaining } = await countCodes(tx.sql, set);
    await recordChange(context, call, tx, user, 'verified', { factor_id: factor.id, remaining });
    return raiseSession(context, call, tx, session, factor);
  });
  // A wrong code has to commit its attempt, so it is rejected after the transaction.
  if (tokens === null) throw wrongCode();
  return sendJson(call, tokens);
}

/** DELETE /factors/recovery-codes: returns sessions that used a code to aal1. */
export async function unenrollRecoveryCodes(context: AuthContext, call: Call): Promise<Response> {
  const caller = await requireNonAnonymousCaller(context, call);
  requireSecondFactor(caller, 'delete');
  const { user } = caller;
  const factor = await requireFactorOf(context, user, await requireCodes(context, user));
  await inTransaction(context, async (tx) => {
    await deleteFactor(tx.sql, factor.id);
    await recordChange(context, call, tx, user, 'deleted', { factor_id: factor.id });
    await lowerSessionsOfFactor(tx.sql, factor);
  });
  await notifyOfChange(context, call, {
    change: 'mfa_factor_unenrolled',
    user,
    factorType: factor.factor_type,
  });
  return sendJson(call, { id: factor.id });
}

const wrongCode = () => unprocessable('mfa_verification_failed', 'Invalid recovery code entered');
const notEnrolled = () => notFound('mfa_factor_not_found', 'The user has not enrolled recovery codes');

function checkEnabled({ settings }: AuthContext, action: 'enroll' | 'verify'): void {
  if (settings.recoveryCodesEnabled) return;
  const what = action === 'enroll' ? 'MFA enroll' : 'MFA verification';
  throw unprocessable(`mfa_recovery_codes_${action}_not_enabled`, `${what} is disabled for recovery codes`);
}

/** @throws {AuthHttpError} `insufficient_aal` for a session of aal1. */
function requireSecondFactor({ session }: Caller, action: 'generate' | 'regenerate' | 'delete'): void {
  if (session?.aal !== 'aal2')
    throw forbidden('insufficient_aal', `AAL2 required to ${action} recovery codes`);
}

async function findSet(sql: Sql, { id }: User): Promise<CodeSet | undefined> {
  const [set] = await sql.query<CodeSet>('select * from auth.mfa_recovery_code_sets where user_id = $1', [
    id,
  ]);
  return set;
}

async function requireCodes({ database }: AuthContext, user: User): Promise<CodeSet> {
  const set = await findSet(database, user);
  if (!set) throw notEnrolled();
  return set;
}

async function requireFactorOf({ database }: AuthContext, user: User, set: CodeSet): Promise<Factor> {
  const factor = await findFactor(database, user.id, set.mfa_factor_id);
  if (!factor) throw notEnrolled();
  return factor;
}

async function countCodes(sql: Sql, { id }: CodeSet): Promise<{ total: number; remaining: number }> {
  const [counts] = await sql.query<{ total: number; remaining: number }>(
    `select count(*)::int as total, count(*) filter (where consumed_at is null)::int as remaining
     from auth.mfa_recovery_codes where mfa_recovery_code_set_id = $1`,
    [id],
  );
  return counts ?? { total: 0, remaining: 0 };
}

async function storeCodes(context: AuthContext, { sql }: Transaction, { id }: CodeSet) {
  const codes = Array.from({ length: CODES }, () => createBase32Text(CODE_LENGTH));
  for (const code of codes)
    await insertRow(sql, 'auth.mfa_recovery_codes', {
      id: crypto.randomUUID(),
      mfa_recovery_code_set_id: id,
      code_hash: hashOf(code),
      created_at: nowDate(context),
    });
  return codes;
}

function sendCodes(
  call: Call,
  { factor, codes }: { readonly factor: Factor; readonly codes: readonly string[] },
): Response {
  const { id, friendly_name } = factor;
  return sendJson(call, { id, type: 'recovery_code', friendly_name, total: codes.length, codes });
}

function recordChange(
  context: AuthContext,
  call: Call,
  { sql }: Transaction,
  user: User,
  change: 'generated' | 'regenerated' | 'verified' | 'deleted',
  traits: JsonObject,
): Promise<void> {
  return recordAudit(context, sql, user, `recovery_codes_${change}`, { traits, ip: call.ip });
}

/** @throws {AuthHttpError} `mfa_recovery_codes_locked`. */
function checkLock(context: AuthContext, { verification_locked_until: until }: CodeSet): void {
  if ((until?.getTime() ?? 0) > context.now())
    throw tooManyRequests(
      'mfa_recovery_codes_locked',
      'Too many failed verification attempts, try again later',
    );
}

/** Marks the code as used, or counts a wrong one. False also for a code that another request has used meanwhile. */
async function consumeCode(
  context: AuthContext,
  tx: Transaction,
  user: User,
  codeId: string | null,
): Promise<boolean> {
  const [set] = await tx.sql.query<CodeSet>(
    'select * from auth.mfa_recovery_code_sets where user_id = $1 for update',
    [user.id],
  );
  if (!set) throw wrongCode();
  checkLock(context, set);
  const [used] = await tx.sql.query(
    `update auth.mfa_recovery_codes set consumed_at = $2 where id = $1 and consumed_at is null returning id`,
    [codeId, nowDate(context)],
  );
  // A lock that has expired begins a new count.
  const before = set.verification_locked_until ? 0 : set.failed_verification_count;
  const failed = used ? 0 : before + 1;
  const lockedUntil = failed >= MAX_ATTEMPTS ? new Date(context.now() + LOCK_MS) : null;
  await saveAttempts(context, tx, set, failed, lockedUntil);
  return used !== undefined;
}

async function saveAttempts(
  context: AuthContext,
  { sql }: Transaction,
  { id }: CodeSet,
  failed: number,
  lockedUntil: Date | null,
): Promise<void> {
  await sql.query(
    `update auth.mfa_recovery_code_sets
     set failed_verification_count = $2, verification_locked_until = $3, updated_at = $4 where id = $1`,
    [id, failed, lockedUntil?.toISOString() ?? null, nowDate(context)],
  );
}
