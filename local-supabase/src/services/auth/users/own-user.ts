import { audienceOf, audiencesOf, type Caller, requireCaller } from '../sessions/authentication.ts';
import { type Call, sendJson } from '../http/call.ts';
import { recordAudit } from '../rows/audit.ts';
import { applyEmailChange, applyPhoneChange } from './address-change.ts';
import { setPassword } from './confirmation.ts';
import { inTransaction, nowDate, type AuthContext, type Transaction } from '../context.ts';
import { forbidden, invalid, unauthorized, unprocessable } from '../http/errors.ts';
import { createFlowState } from '../rows/flow-state.ts';
import { notifyOfChange } from '../mail/account-change.ts';
import { sendEmailChange } from '../mail/mail.ts';
import { hashPassword } from '../rows/password.ts';
import { checkPasswordChange } from './password-change.ts';
import { sendPhoneCode } from '../mail/text-message.ts';
import { parseUserChanges, type UserChanges } from './user-changes.ts';
import { encodeUser, hasVerifiedFactor, type User } from '../rows/user.ts';
import {
  findUserByPhone,
  findOtherUserByEmail,
  mergeAppMetadata,
  mergeUserMetadata,
  updateUser,
} from '../rows/users.ts';

export async function readOwnUser(context: AuthContext, call: Call): Promise<Response> {
  const { user, claims } = await requireCaller(context, call);
  if (audiencesOf(claims)[0] !== audienceOf(context, call, claims))
    throw invalid("Token audience doesn't match request audience");
  return sendJson(call, encodeUser(user));
}

const changesEmail = (user: User, { email }: UserChanges): boolean =>
  email !== '' && email !== (user.email ?? '');
const changesPhone = (user: User, { phone }: UserChanges): boolean =>
  phone !== '' && phone !== (user.phone ?? '');

function checkMayChange({ user, session }: Caller, changes: UserChanges): void {
  const isSensitive = Boolean(changes.password) || changesEmail(user, changes) || changesPhone(user, changes);
  if (changes.appMetadata !== undefined && user.role !== 'admin')
    throw forbidden('not_admin', 'Updating app_metadata requires admin privileges');
  if (hasVerifiedFactor(user) && session?.aal !== 'aal2' && isSensitive)
    throw unauthorized(
      'insufficient_aal',
      'AAL2 session is required to update email or password when MFA is enabled.',
    );
  if (user.is_anonymous && changes.password && changes.email === '' && changes.phone === '')
    throw unprocessable(
      'validation_failed',
      'Updating password of an anonymous user without an email or phone is not allowed',
    );
  if (user.is_sso_user && (isSensitive || changes.nonce !== ''))
    throw unprocessable(
      'user_sso_managed',
      'Updating email, phone, password of a SSO account only possible via SSO',
    );
}

async function checkIsFree(
  context: AuthContext,
  call: Call,
  caller: Caller,
  changes: UserChanges,
): Promise<void> {
  const { user, claims } = caller;
  const aud = audienceOf(context, call, claims);
  const { database } = context;
  if (changesEmail(user, changes) && (await findOtherUserByEmail(database, changes.email, aud, user.id)))
    throw unprocessable('email_exists', 'A user with this email address has already been registered');
  if (changesPhone(user, changes) && (await findUserByPhone(database, changes.phone, aud)))
    throw unprocessable('phone_exists', 'A user with this phone number has already been registered');
}

async function changeEmail(
  context: AuthContext,
  call: Call,
  tx: Transaction,
  user: User,
  { email, codeChallenge }: UserChanges,
): Promise<User> {
  const now = nowDate(context);
  if (user.is_anonymous && context.settings.mailerAutoconfirm)
    return applyEmailChange(context, call, tx, await updateUser(tx.sql, now, user, { email_change: email }));
  const flow = { provider: 'email_change', method: 'email_change', codeChallenge, userId: user.id } as const;
  if (codeChallenge !== null) await createFlowState(tx.sql, now, flow);
  return sendEmailChange(context, call, tx, user, email, codeChallenge === null ? 'implicit' : 'pkce');
}

async function changePhone(
  context: AuthContext,
  call: Call,
  tx: Transaction,
  user: User,
  { phone, channel }: UserChanges,
): Promise<User> {
  const now = nowDate(context);
  if (context.settings.phoneAutoconfirm) return applyPhoneChange(context, call, tx, user, phone);
  await sendPhoneCode(context, call, tx, user, phone, 'phone_change', channel);
  return updateUser(tx.sql, now, user, {});
}

async function applyChanges(
  context: AuthContext,
  call: Call,
  tx: Transaction,
  { user: before, session }: Caller,
  changes: UserChanges,
  passwordHash: string | null,
): Promise<User> {
  const now = nowDate(context);
  let user = before;
  if (changes.password !== undefined) {
    user = await setPassword(tx.sql, now, user, passwordHash, session?.id);
    await recordAudit(context, tx.sql, user, 'user_updated_password');
    await notifyOfChange(context, call, { change: 'password_changed', user, tx });
  }
  if (changes.data !== undefined) user = await mergeUserMetadata(tx.sql, now, user, changes.data);
  if (changes.appMetadata !== undefined)
    user = await mergeAppMetadata(tx.sql, now, user, changes.appMetadata);
  if (changesEmail(before, changes)) user = await changeEmail(context, call, tx, user, changes);
  if (changesPhone(before, changes)) user = await changePhone(context, call, tx, user, changes);
  await recordAudit(context, tx.sql, user, 'user_modified');
  return user;
}

/** PUT /user: email, phone, password, data. */
export async function updateOwnUser(context: AuthContext, call: Call): Promise<Response> {
  const caller = await requireCaller(context, call);
  context.limiter.count('user', call.ip);
  const changes = parseUserChanges(context, await call.json());
  checkMayChange(caller, changes);
  await checkIsFree(context, call, caller, changes);
  await checkPasswordChange(context, caller, changes);
  const { password } = changes;
  const passwordHash = password ? await hashPassword(context.settings, password) : null;
  const user = await inTransaction(context, async (tx) =>
    applyChanges(context, call, tx, caller, changes, passwordHash),
  );
  return sendJson(call, encodeUser(user));
}
