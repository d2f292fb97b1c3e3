import type { Sql } from '../../../database/database.ts';
import { deleteIdentity, type Identity } from '../rows/identity.ts';
import { clearOneTimeTokens } from '../rows/one-time-token.ts';
import { deleteSessions } from '../rows/session.ts';
import type { User } from '../rows/user.ts';
import { mergeUserMetadata, refreshProviders, updateUser } from '../rows/users.ts';

export async function confirmEmail(sql: Sql, now: Date, user: User): Promise<User> {
  await clearOneTimeTokens(sql, user.id);
  const confirmed = await updateUser(sql, now, user, { confirmation_token: '', email_confirmed_at: now });
  return mergeUserMetadata(sql, now, confirmed, { email_verified: true });
}

export async function confirmPhone(sql: Sql, now: Date, user: User): Promise<User> {
  await clearOneTimeTokens(sql, user.id);
  return updateUser(sql, now, user, { confirmation_token: '', phone_confirmed_at: now });
}

/**
 * Removes from an unconfirmed user what an unverified sign-up may have set: other identities, metadata and, for a
 * provider's identity, the password.
 */
export async function removeUnconfirmed(sql: Sql, now: Date, user: User, keep: Identity): Promise<User> {
  const isOwn = keep.provider === 'email' || keep.provider === 'phone';
  for (const identity of user.identities) if (identity.id !== keep.id) await deleteIdentity(sql, identity.id);
  const cleaned = await updateUser(sql, now, user, {
    raw_user_meta_data: keep.identity_data,
    ...(!isOwn && { encrypted_password: null }),
  });
  return refreshProviders(sql, now, cleaned);
}

/** Column values that clear every code, link and pending change of a user. */
export const noPendingTokens = {
  confirmation_token: '',
  confirmation_sent_at: null,
  recovery_token: '',
  recovery_sent_at: null,
  email_change_token_current: '',
  email_change_token_new: '',
  email_change_sent_at: null,
  phone_change_token: '',
  phone_change_sent_at: null,
  reauthentication_token: '',
  reauthentication_sent_at: null,
} as const;

/** Sets a new password hash (null for none), deletes all codes and ends all sessions but `sessionId`. */
export async function setPassword(
  sql: Sql,
  now: Date,
  user: User,
  passwordHash: string | null,
  sessionId: string | undefined,
): Promise<User> {
  await clearOneTimeTokens(sql, user.id);
  await deleteSessions(sql, { userId: user.id, exceptId: sessionId });
  return updateUser(sql, now, user, { ...noPendingTokens, encrypted_password: passwordHash });
}
