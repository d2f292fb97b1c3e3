import { CallUser } from '../../platform/call-user.ts';
import type { AuthCore } from '../core.ts';
import type { CallOptions } from '../wire/request.ts';

/**
 * Binds a call that waits before sending (for lazy code or a lock) to the present user. While storage is being read the user
 * is unknown, and the first token binds the call.
 */
export function ofPresentUser(
  { session }: Pick<AuthCore, 'session'>,
  { user = new CallUser(), ...options }: CallOptions = {},
): CallOptions {
  const active = session.current();
  // The token of another user than that of earlier calls is refused when the request is sent.
  if (active) user.admits(active.record.access_token);
  return { ...options, user };
}
