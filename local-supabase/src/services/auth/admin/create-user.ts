import { audienceOf, requireAdmin } from '../sessions/authentication.ts';
import { type Call, sendJson } from '../http/call.ts';
import { recordAudit, userTraits } from '../rows/audit.ts';
import { confirmEmail, confirmPhone } from '../users/confirmation.ts';
import { inTransaction, nowDate, type AuthContext, type Transaction } from '../context.ts';
import { internal, invalid, unprocessable } from '../http/errors.ts';
import { createIdentity, ownIdentityData } from '../rows/identity.ts';
import { createPassword, hashPassword, isPasswordHash } from '../rows/password.ts';
import { encodeUser, type User } from '../rows/user.ts';
import {
  createUser,
  findUserByPhone,
  findOtherUserByEmail,
  mergeAppMetadata,
  updateUser,
} from '../rows/users.ts';
import { isUuid, nilUuid } from '../rows/rows.ts';
import { type AdminUserParams, parseAdminUser } from './user-params.ts';

function checkId(id: string): void {
  if (id === '') return;
  if (!isUuid(id)) throw invalid('ID must conform to the uuid v4 format');
  if (id === nilUuid) throw invalid('ID cannot be a nil uuid');
}

async function passwordHashOf(
  context: AuthContext,
  { password, passwordHash }: AdminUserParams,
): Promise<string> {
  if (password !== undefined && passwordHash !== '')
    throw invalid('Only a password or a password hash should be provided');
  if (passwordHash === '') return hashPassword(context.settings, password || createPassword());
  if (!isPasswordHash(passwordHash)) throw internal('Error creating user');
  return passwordHash;
}

async function checkIsFree(
  context: AuthContext,
  { email, phone }: AdminUserParams,
  aud: string,
): Promise<void> {
  const { database } = context;
  if (email !== '' && (await findOtherUserByEmail(database, email, aud)))
    throw unprocessable('email_exists', 'A user with this email address has already been registered');
  if (await findUserByPhone(database, phone, aud))
    throw unprocessable('phone_exists', 'Phone number already registered by another user');
}

async function finish(
  context: AuthContext,
  tx: Transaction,
  created: User,
  wanted: AdminUserParams,
): Promise<User> {
  const now = nowDate(context);
  const { email, phone, appMetadata, bannedUntil } = wanted;
  if (email !== '')
    await createIdentity(tx.sql, now, created.id, 'email', ownIdentityData(created.id, { email }));
  if (phone !== '')
    await createIdentity(tx.sql, now, created.id, 'phone', ownIdentityData(created.id, { phone }));
  let user = await mergeAppMetadata(tx.sql, now, created, { ...appMetadata });
  if (wanted.confirmsEmail) user = await confirmEmail(tx.sql, now, user);
  if (wanted.confirmsPhone) user = await confirmPhone(tx.sql, now, user);
  return bannedUntil === undefined ? user : updateUser(tx.sql, now, user, { banned_until: bannedUntil });
}

export async function createUserAsAdmin(context: AuthContext, call: Call): Promise<Response> {
  const admin = await requireAdmin(context, call);
  const wanted = parseAdminUser(context, await call.json());
  const { email, phone, id, role } = wanted;
  const aud = wanted.aud || audienceOf(context, call);
  if (email === '' && phone === '') throw invalid('Cannot create a user without either an email or phone');
  await checkIsFree(context, wanted, aud);
  checkId(id);
  const passwordHash = await passwordHashOf(context, wanted);
  const providers = [...(email === '' ? [] : ['email']), ...(phone === '' ? [] : ['phone'])];
  const user = await inTransaction(context, async (tx) => {
    const newUser = {
      ...(id !== '' && { id }),
      aud,
      email,
      phone,
      passwordHash,
      role: role || 'authenticated',
      userMetadata: wanted.userMetadata ?? {},
      appMetadata: { provider: providers[0], providers },
    };
    const created = await createUser(tx.sql, nowDate(context), newUser, 'Database error creating new user');
    const traits = { ...userTraits(created), provider: providers[0] };
    await recordAudit(context, tx.sql, admin, 'user_signedup', { traits });
    return finish(context, tx, created, wanted);
  });
  // GoTrue responds without re-reading the generated column.
  return sendJson(call, encodeUser({ ...user, confirmed_at: null }));
}
