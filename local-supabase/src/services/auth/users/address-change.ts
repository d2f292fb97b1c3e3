import { type AuthContext, nowDate, type Transaction } from '../context.ts';
import type { Call } from '../http/call.ts';
import { notifyOfChange } from '../mail/account-change.ts';
import { clearOneTimeTokens } from '../rows/one-time-token.ts';
import { confirmEmail } from './confirmation.ts';
import { createIdentity, findIdentity, mergeIdentityData, ownIdentityData } from '../rows/identity.ts';
import type { User } from '../rows/user.ts';
import { updateUser } from '../rows/users.ts';

/** Creates or updates the user's `provider` identity. Returns whether it is new. */
async function saveOwnIdentity(
  tx: Transaction,
  now: Date,
  user: User,
  provider: 'email' | 'phone',
  data: Parameters<typeof ownIdentityData>[1],
): Promise<boolean> {
  const identity = await findIdentity(tx.sql, user.id, provider);
  if (identity === undefined)
    await createIdentity(tx.sql, now, user.id, provider, ownIdentityData(user.id, data));
  else await mergeIdentityData(tx.sql, identity, data);
  return identity === undefined;
}

/** Applies the pending new email to the user and its identity, and notifies the former address. */
export async function applyEmailChange(
  context: AuthContext,
  call: Call,
  tx: Transaction,
  user: User,
): Promise<User> {
  const { sql } = tx;
  const now = nowDate(context);
  const email = user.email_change ?? '';
  await saveOwnIdentity(tx, now, user, 'email', { email, email_verified: true });
  await clearOneTimeTokens(sql, user.id);
  const changed = await updateUser(sql, now, user, {
    email,
    email_change: '',
    email_change_token_current: '',
    email_change_token_new: '',
    email_change_confirm_status: 0,
    is_anonymous: false,
  });
  const confirmed = changed.email_confirmed_at === null ? await confirmEmail(sql, now, changed) : changed;
  const { email: oldEmail } = user;
  if (oldEmail && oldEmail !== confirmed.email)
    await notifyOfChange(context, call, { change: 'email_changed', user: confirmed, oldEmail, tx });
  return confirmed;
}

/** Applies `phone` to the user and its identity. */
export async function applyPhoneChange(
  context: AuthContext,
  call: Call,
  tx: Transaction,
  user: User,
  phone: string,
): Promise<User> {
  const { sql } = tx;
  const now = nowDate(context);
  const isLinked = await saveOwnIdentity(tx, now, user, 'phone', { phone, phone_verified: true });
  await clearOneTimeTokens(sql, user.id);
  const changed = await updateUser(sql, now, user, {
    phone,
    phone_change: '',
    phone_change_token: '',
    phone_confirmed_at: now,
    is_anonymous: false,
  });
  const { phone: oldPhone } = user;
  if (oldPhone && oldPhone !== phone)
    await notifyOfChange(context, call, { change: 'phone_changed', user: changed, phone, oldPhone, tx });
  if (isLinked)
    await notifyOfChange(context, call, { change: 'identity_linked', user: changed, provider: 'phone', tx });
  return changed;
}
