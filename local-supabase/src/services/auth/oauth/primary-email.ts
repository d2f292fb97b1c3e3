import { noPendingTokens } from '../users/confirmation.ts';
import { nowDate, type AuthContext, type Transaction } from '../context.ts';
import type { Identity } from '../rows/identity.ts';
import { clearOneTimeTokens } from '../rows/one-time-token.ts';
import type { User } from '../rows/user.ts';
import { findUserByEmail, mergeUserMetadata, updateUser } from '../rows/users.ts';

const isVerified = (identity: Identity): boolean => identity.identity_data['email_verified'] === true;

function rank(identity: Identity): number {
  if (!identity.email) return 2;
  return isVerified(identity) ? 0 : 1;
}

async function pickPrimary(tx: Transaction, user: User): Promise<Identity | undefined> {
  const ranked = user.identities.toSorted((left, right) => rank(left) - rank(right));
  for (const identity of ranked)
    if (!identity.email || (await findUserByEmail(tx.sql, identity.email, user.aud)) === undefined)
      return identity;
  return undefined;
}

/**
 * If none of the user's identities has the account's address, sets the address of one of them, verified ones first.
 * Throws `conflict()` when all of them are taken.
 */
export async function adoptEmailOfIdentities(
  context: AuthContext,
  tx: Transaction,
  user: User,
  conflict: () => Error,
): Promise<User> {
  if (user.identities.some((identity) => (identity.email ?? '') === (user.email ?? ''))) return user;
  const primary = await pickPrimary(tx, user);
  if (primary === undefined) throw conflict();
  const now = nowDate(context);
  await clearOneTimeTokens(tx.sql, user.id);
  const isTrusted = Boolean(primary.email) && (isVerified(primary) || context.settings.mailerAutoconfirm);
  const changed = await updateUser(tx.sql, now, user, {
    ...noPendingTokens,
    email_change: '',
    phone_change: '',
    email: primary.email || null,
    ...(!isTrusted && { email_confirmed_at: null }),
  });
  return isTrusted ? changed : mergeUserMetadata(tx.sql, now, changed, { email_verified: false });
}
