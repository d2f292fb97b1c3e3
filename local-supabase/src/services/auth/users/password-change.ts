import type { Caller } from '../sessions/authentication.ts';
import { inTransaction, type AuthContext } from '../context.ts';
import { badRequest, unprocessable } from '../http/errors.ts';
import { isPasswordOf } from '../rows/password.ts';
import { checkNonce } from './reauthentication-code.ts';
import { isRecovery, readMethods } from '../rows/session.ts';
import type { UserChanges } from './user-changes.ts';
import { hasPassword } from '../rows/user.ts';

const recentMs = 24 * 3_600_000;

async function checkReauthenticated(
  context: AuthContext,
  { user, session }: Caller,
  nonce: string,
): Promise<void> {
  if (session !== null && context.now() <= session.created_at.getTime() + recentMs) return;
  if (nonce === '') throw badRequest('reauthentication_needed', 'Password update requires reauthentication');
  await inTransaction(context, async (tx) => checkNonce(context, tx, user, nonce));
}

async function checkCurrentPassword(
  context: AuthContext,
  { user, session }: Caller,
  current: string,
): Promise<void> {
  const methods = session && (await readMethods(context.database, session, user));
  if (methods && isRecovery(methods.amr)) return;
  const message = 'Current password required when setting new password.';
  if (current === '') throw badRequest('current_password_required', message);
  if (!(await isPasswordOf(user, current))) throw badRequest('current_password_invalid', message);
}

/**
 * Checks that the caller may set this password. Throws 400 reauthentication_needed, current_password_required,
 * current_password_invalid; 422 same_password, reauthentication_not_valid.
 */
export async function checkPasswordChange(
  context: AuthContext,
  caller: Caller,
  changes: UserChanges,
): Promise<void> {
  const { settings } = context;
  const { user } = caller;
  if (changes.password === undefined) return;
  if (settings.passwordUpdateRequiresReauthentication)
    await checkReauthenticated(context, caller, changes.nonce);
  if (changes.password === '' || !hasPassword(user)) return;
  if (settings.passwordUpdateRequiresCurrentPassword)
    await checkCurrentPassword(context, caller, changes.currentPassword);
  if (await isPasswordOf(user, changes.password))
    throw unprocessable('same_password', 'New password should be different from the old password.');
}
