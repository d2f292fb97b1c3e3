import type { Call } from '../http/call.ts';
import { recordAudit } from '../rows/audit.ts';
import { nowDate, type AuthContext, type Transaction } from '../context.ts';
import { applyEmailChange, applyPhoneChange } from '../users/address-change.ts';
import { confirmEmail, confirmPhone } from '../users/confirmation.ts';
import { forbidden, invalid } from '../http/errors.ts';
import { mergeIdentityData } from '../rows/identity.ts';
import {
  clearOneTimeTokens,
  findUserByOneTimeToken,
  isCodeExpired,
  isSameToken,
  pkcePrefix,
  type OneTimeTokenType,
} from '../rows/one-time-token.ts';
import { createPassword, hashPassword } from '../rows/password.ts';
import { hasPassword, isBanned, type User } from '../rows/user.ts';
import {
  findUserByEmail,
  loadUser,
  findUserByPhone,
  findUserByPhoneChange,
  refreshProviders,
  updateUser,
} from '../rows/users.ts';

/** The proof to verify: a token hash, or a code with its address. */
export interface Proof {
  readonly type: string;
  readonly tokenHash: string;
  readonly code: string;
  readonly email: string;
  readonly phone: string;
}

/** The verified user, and the verified type (`email` becomes `signup` or `magiclink`). */
export interface Proven {
  readonly user: User;
  readonly type: string;
}

const tokenTypes: Readonly<Record<string, readonly OneTimeTokenType[]>> = {
  email: ['confirmation_token', 'recovery_token'],
  signup: ['confirmation_token'],
  invite: ['confirmation_token'],
  recovery: ['recovery_token'],
  magiclink: ['recovery_token'],
  email_change: ['email_change_token_current', 'email_change_token_new'],
};

function sentAtOf(user: User, type: string): Date | null {
  switch (type) {
    case 'signup':
    case 'invite':
    case 'sms':
      return user.confirmation_sent_at;
    case 'email_change':
      return user.email_change_sent_at;
    case 'phone_change':
      return user.phone_change_sent_at;
    default:
      return user.recovery_sent_at;
  }
}

const resolveType = (user: User, proof: Proof): string => {
  if (proof.type !== 'email') return proof.type;
  return isSameToken(proof.tokenHash, user.recovery_token) ? 'magiclink' : 'signup';
};

/** Finds the user of a link. Throws 403 otp_expired, user_banned; 400 validation_failed for an unknown type. */
export async function verifyByHash(context: AuthContext, tx: Transaction, proof: Proof): Promise<Proven> {
  const types = tokenTypes[proof.type];
  if (types === undefined) throw invalid('Invalid email verification type');
  const user = await findUserByOneTimeToken(tx.sql, proof.tokenHash, types);
  if (user === undefined) throw forbidden('otp_expired', 'Email link is invalid or has expired');
  if (isBanned(user, context.now())) throw forbidden('user_banned', 'User is banned');
  const type = resolveType(user, proof);
  if (isCodeExpired(sentAtOf(user, type), context.settings.emailOtpExpirySeconds, context.now()))
    throw forbidden('otp_expired', 'Email link is invalid or has expired');
  return { user, type };
}

async function findUserOfCode(tx: Transaction, proof: Proof, aud: string): Promise<User | undefined> {
  switch (proof.type) {
    case 'phone_change':
      return findUserByPhoneChange(tx.sql, proof.phone, aud);
    case 'sms':
      return findUserByPhone(tx.sql, proof.phone, aud);
    case 'email_change': {
      const types = tokenTypes['email_change'] ?? [];
      return (
        (await findUserByOneTimeToken(tx.sql, proof.tokenHash, types)) ??
        findUserByOneTimeToken(tx.sql, pkcePrefix + proof.tokenHash, types)
      );
    }
    default:
      return findUserByEmail(tx.sql, proof.email, aud);
  }
}

function storedTokensOf(user: User, type: string): readonly (string | null)[] {
  switch (type) {
    case 'signup':
    case 'invite':
    case 'sms':
      return [user.confirmation_token];
    case 'recovery':
    case 'magiclink':
      return [user.recovery_token];
    case 'email_change':
      return [user.email_change_token_current, user.email_change_token_new];
    case 'phone_change':
      return [user.phone_change_token];
    default:
      return [];
  }
}

/** Finds the user of an address and checks the code. Throws 403 otp_expired, user_banned. */
export async function verifyByCode(
  context: AuthContext,
  tx: Transaction,
  proof: Proof,
  aud: string,
): Promise<Proven> {
  const failed = (): Error => forbidden('otp_expired', 'Token has expired or is invalid');
  const { settings } = context;
  const user = await findUserOfCode(tx, proof, aud);
  if (user === undefined) throw failed();
  if (isBanned(user, context.now())) throw forbidden('user_banned', 'User is banned');
  const isPhone = proof.type === 'sms' || proof.type === 'phone_change';
  if (isPhone && settings.smsTestOtp[proof.phone] === proof.code) return { user, type: proof.type };
  const candidates = proof.type === 'email' ? ['signup', 'magiclink'] : [proof.type];
  const expirySeconds = isPhone ? settings.smsOtpExpirySeconds : settings.emailOtpExpirySeconds;
  const type = candidates.find(
    (candidate) =>
      storedTokensOf(user, candidate).some((stored) => isSameToken(proof.tokenHash, stored)) &&
      !isCodeExpired(sentAtOf(user, candidate), expirySeconds, context.now()),
  );
  if (type === undefined) throw failed();
  return { user, type };
}

async function acceptSignUp(context: AuthContext, tx: Transaction, user: User): Promise<User> {
  const now = nowDate(context);
  if (!hasPassword(user) && user.invited_at !== null)
    await updateUser(tx.sql, now, user, {
      encrypted_password: await hashPassword(context.settings, createPassword()),
    });
  await recordAudit(context, tx.sql, user, 'user_signedup', { traits: { provider: 'email' } });
  const confirmed = await confirmEmail(tx.sql, now, user);
  for (const identity of confirmed.identities)
    if (identity.email !== null && identity.email === confirmed.email)
      await mergeIdentityData(tx.sql, identity, { email_verified: true });
  return confirmed;
}

async function acceptRecovery(context: AuthContext, tx: Transaction, user: User): Promise<User> {
  const now = nowDate(context);
  await clearOneTimeTokens(tx.sql, user.id);
  const recovered = await updateUser(tx.sql, now, user, { recovery_token: '' });
  if (user.email_confirmed_at !== null) {
    await recordAudit(context, tx.sql, user, 'login');
    return recovered;
  }
  await recordAudit(context, tx.sql, user, 'user_signedup', { traits: { provider: 'email' } });
  return confirmEmail(tx.sql, now, recovered);
}

/** Confirms one half of a change of email. Null while the other half is pending. */
async function acceptEmailChange(
  context: AuthContext,
  call: Call,
  tx: Transaction,
  user: User,
  tokenHash: string,
): Promise<User | null> {
  const { mailerAutoconfirm, secureEmailChange } = context.settings;
  const now = nowDate(context);
  const isFirstHalf = !mailerAutoconfirm && secureEmailChange && !user.email_change_confirm_status;
  if (!isFirstHalf || !user.email) {
    await recordAudit(context, tx.sql, user, 'user_modified');
    return applyEmailChange(context, call, tx, user);
  }
  const used = isSameToken(tokenHash, user.email_change_token_current)
    ? 'email_change_token_current'
    : 'email_change_token_new';
  await clearOneTimeTokens(tx.sql, user.id, used);
  await updateUser(tx.sql, now, user, { email_change_confirm_status: 1, [used]: '' });
  return null;
}

/** Applies a verified proof. Null after the first half of a change of email. */
export async function acceptProof(
  context: AuthContext,
  call: Call,
  tx: Transaction,
  { user, type }: Proven,
  proof: Proof,
): Promise<User | null> {
  const now = nowDate(context);
  const accept = async (): Promise<User | null> => {
    switch (type) {
      case 'signup':
      case 'invite':
        return acceptSignUp(context, tx, user);
      case 'recovery':
      case 'magiclink':
        return acceptRecovery(context, tx, user);
      case 'email_change':
        return acceptEmailChange(context, call, tx, user, proof.tokenHash);
      case 'sms':
        await recordAudit(context, tx.sql, user, 'user_signedup', { traits: { provider: 'phone' } });
        return updateUser(tx.sql, now, await confirmPhone(tx.sql, now, user), { is_anonymous: false });
      case 'phone_change':
        await recordAudit(context, tx.sql, user, 'user_modified');
        return applyPhoneChange(context, call, tx, user, proof.phone);
      default:
        throw invalid('Unsupported verification type');
    }
  };
  const accepted = await accept();
  return accepted && refreshProviders(tx.sql, now, await loadUser(tx.sql, accepted.id));
}
