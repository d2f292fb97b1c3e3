import { type Call, sendJson } from '../http/call.ts';
import { recordAudit, userTraits } from '../rows/audit.ts';
import { confirmEmail, confirmPhone, setPassword } from '../users/confirmation.ts';
import { inTransaction, nowDate, type AuthContext, type Transaction } from '../context.ts';
import { internal } from '../http/errors.ts';
import { createIdentity, findIdentity, mergeIdentityData, ownIdentityData } from '../rows/identity.ts';
import { checkPasswordStrength, hashPassword } from '../rows/password.ts';
import { isUniqueViolation } from '../../../database/database-error.ts';
import { encodeUser, type User } from '../rows/user.ts';
import { mergeAppMetadata, mergeUserMetadata, updateUser } from '../rows/users.ts';
import { requireUserAsAdmin } from './users.ts';
import { type AdminUserParams, parseAdminUser } from './user-params.ts';

async function setAddress(
  context: AuthContext,
  tx: Transaction,
  user: User,
  provider: 'email' | 'phone',
  address: string,
  isVerified: boolean,
): Promise<User> {
  const now = nowDate(context);
  const data = { [provider]: address, [`${provider}_verified`]: isVerified };
  const identity = await findIdentity(tx.sql, user.id, provider);
  if (identity === undefined)
    await createIdentity(tx.sql, now, user.id, provider, ownIdentityData(user.id, data));
  else await mergeIdentityData(tx.sql, identity, data);
  return updateUser(tx.sql, now, user, { [provider]: address, ...(isVerified && { is_anonymous: false }) });
}

async function applyParams(
  context: AuthContext,
  tx: Transaction,
  before: User,
  wanted: AdminUserParams,
  passwordHash: string | null,
): Promise<User> {
  const now = nowDate(context);
  const { email, phone, role, bannedUntil } = wanted;
  let user = before;
  if (role !== '') user = await updateUser(tx.sql, now, user, { role });
  if (wanted.confirmsEmail) user = await confirmEmail(tx.sql, now, user);
  if (wanted.confirmsPhone) user = await confirmPhone(tx.sql, now, user);
  if (wanted.password !== undefined) user = await setPassword(tx.sql, now, user, passwordHash, undefined);
  if (email !== '') user = await setAddress(context, tx, user, 'email', email, wanted.confirmsEmail);
  if (phone !== '') user = await setAddress(context, tx, user, 'phone', phone, wanted.confirmsPhone);
  if (wanted.appMetadata !== undefined) user = await mergeAppMetadata(tx.sql, now, user, wanted.appMetadata);
  if (wanted.userMetadata !== undefined)
    user = await mergeUserMetadata(tx.sql, now, user, wanted.userMetadata);
  return bannedUntil === undefined ? user : updateUser(tx.sql, now, user, { banned_until: bannedUntil });
}

export async function updateUserAsAdmin(context: AuthContext, call: Call): Promise<Response> {
  const { user, admin } = await requireUserAsAdmin(context, call);
  const wanted = parseAdminUser(context, await call.json());
  const { password } = wanted;
  if (password !== undefined) checkPasswordStrength(context.settings, password);
  const passwordHash = password ? await hashPassword(context.settings, password) : null;
  try {
    const updated = await inTransaction(context, async (tx) => {
      const changed = await applyParams(context, tx, user, wanted, passwordHash);
      await recordAudit(context, tx.sql, admin, 'user_modified', { traits: userTraits(changed) });
      return changed;
    });
    // GoTrue responds without re-reading the generated column.
    return sendJson(call, encodeUser({ ...updated, confirmed_at: user.confirmed_at }));
  } catch (error) {
    if (isUniqueViolation(error)) throw internal('Error updating user', error);
    throw error;
  }
}
