import { CallUser } from '../../platform/call-user.ts';
import type { AuthCore } from '../core.ts';
import type { CallOptions } from '../wire/request.ts';

/**
 * The options of a call whose request has to wait, such as for code that is loaded or for a lock: they bind it to the user who is signed
 * in now. While storage is being read the user is not known, and the first token binds the call.
 */
export function ofPresentUser(
  { session }: Pick<AuthCore, 'session'>,
  { user = new CallUser(), ...options }: CallOptions = {},
): CallOptions {
  const active = session.current();
  // Of another user than that of earlier calls, the request is refused when it is sent.
  if (active) user.admits(active.record.access_token);
  return { ...options, user };
}
