import type { AuthContext } from '../context.ts';
import { requireAdmin } from '../http/authentication.ts';
import { type Call, sendJson } from '../http/call.ts';
import { deleteCredential, encodePasskey, listCredentials } from '../passkeys/credential.ts';
import { requirePasskey } from '../passkeys/management.ts';
import { requireUser } from './users.ts';

/** GET /admin/users/:user_id/passkeys. As in GoTrue, it does not depend on `passkeysEnabled`. */
export async function listPasskeysAsAdmin(context: AuthContext, call: Call): Promise<Response> {
  await requireAdmin(context, call);
  const user = await requireUser(context, call);
  const credentials = await listCredentials(context.database, user.id);
  return sendJson(
    call,
    credentials.map((credential) => encodePasskey(credential)),
  );
}

/** DELETE /admin/users/:user_id/passkeys/:passkey_id. As in GoTrue, it does not depend on `passkeysEnabled`. */
export async function deletePasskeyAsAdmin(context: AuthContext, call: Call): Promise<Response> {
  await requireAdmin(context, call);
  const user = await requireUser(context, call);
  const { id } = await requirePasskey(context, call, user.id);
  await deleteCredential(context.database, id);
  return new Response(null, { status: 204 });
}
