import type { Sql } from '../../../database/database.ts';
import type { AuthContext } from '../context.ts';
import type { Call } from '../http/call.ts';
import type { NewUser } from '../rows/users.ts';
import { invokeHook, isHookEnabled } from './invoke-hook.ts';

/** Go's zero time, for a time that is not set yet. */
const noTime = '0001-01-01T00:00:00Z';

/**
 * Calls the project's hook for an account that is about to be created, and returns the account with its id. Throws the
 * hook's error.
 *
 * @param sql the current transaction, if the hook cannot run before it.
 */
export async function prepareUser<T extends NewUser>(
  context: AuthContext,
  call: Call,
  user: T,
  sql?: Sql,
): Promise<T & { readonly id: string }> {
  const id = crypto.randomUUID();
  if (isHookEnabled(context, 'before_user_created')) {
    const encoded = {
      id,
      aud: user.aud,
      role: '',
      email: user.email ?? '',
      phone: user.phone ?? '',
      app_metadata: user.appMetadata,
      user_metadata: user.userMetadata,
      identities: [],
      created_at: noTime,
      updated_at: noTime,
      is_anonymous: user.isAnonymous ?? false,
    };
    await invokeHook(context, call, 'before_user_created', { user: encoded }, sql);
  }
  return { ...user, id };
}
