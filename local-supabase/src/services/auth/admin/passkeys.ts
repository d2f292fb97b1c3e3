import type { AuthContext } from '../context.ts';
import type { Call } from '../http/call.ts';
import { removePasskey, sendPasskeys } from '../passkeys/management.ts';
import { requireUserAsAdmin } from './users.ts';

/** GET /admin/users/:user_id/passkeys. As in GoTrue, it does not depend on `passkeysEnabled`. */
export async function listPasskeysAsAdmin(context: AuthContext, call: Call): Promise<Response> {
  const { user } = await requireUserAsAdmin(context, call);
  return sendPasskeys(context, call, user);
}

/** DELETE /admin/users/:user_id/passkeys/:passkey_id. As in GoTrue, it does not depend on `passkeysEnabled`. */
export async function deletePasskeyAsAdmin(context: AuthContext, call: Call): Promise<Response> {
  const { user, admin } = await requireUserAsAdmin(context, call);
  return removePasskey(context, call, user, admin);
}
