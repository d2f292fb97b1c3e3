import type { Call } from '../http/call.ts';
import type { AuthContext } from '../context.ts';
import { notFound } from '../http/errors.ts';
import type { User } from '../users/user.ts';
import { findUserById } from '../users/users.ts';
import { isUuid } from '../rows.ts';

/** The user of the path. Throws 404 user_not_found, validation_failed. */
export async function requireUser(context: AuthContext, call: Call): Promise<User> {
  const id = call.params['user_id'] ?? '';
  if (!isUuid(id)) throw notFound('validation_failed', 'user_id must be an UUID');
  const user = await findUserById(context.database, id);
  if (user === undefined) throw notFound('user_not_found', 'User not found');
  return user;
}
