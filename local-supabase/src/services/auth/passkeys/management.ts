import { utf8Length } from '../../../platform/bytes.ts';
import { type Caller, requireCaller } from '../sessions/authentication.ts';
import { type Call, readText, sendJson } from '../http/call.ts';
import { type Actor, recordAudit } from '../rows/audit.ts';
import { type AuthContext, inTransaction, nowDate } from '../context.ts';
import { forbidden, invalid, notFound } from '../http/errors.ts';
import { isUuid } from '../rows/rows.ts';
import { hasVerifiedFactor, type User } from '../rows/user.ts';
import {
  type Credential,
  deleteCredential,
  encodePasskey,
  findCredential,
  listCredentials,
  renameCredential,
} from './credential.ts';

const maxNameBytes = 120;

/** Throws 404 passkey_disabled unless the project enables passkeys. */
export function requirePasskeysEnabled({ settings }: AuthContext): void {
  if (!settings.passkeysEnabled) throw notFound('passkey_disabled', 'Passkeys are disabled');
}

/** Requires a session of aal2 if the user has a verified factor. Throws 403 insufficient_aal. */
export function requireManagementLevel({ user, session }: Caller): void {
  if (hasVerifiedFactor(user) && session?.aal !== 'aal2')
    throw forbidden('insufficient_aal', 'AAL2 session is required to manage passkeys when MFA is enabled');
}

const passkeyNotFound = (): Error => notFound('validation_failed', 'Passkey not found');

/** Returns the user's passkey of the path. Throws 404 validation_failed. */
async function requirePasskey(context: AuthContext, call: Call, user: User): Promise<Credential> {
  const id = call.param('passkey_id');
  const credential = await findCredential(context.database, user.id, id);
  if (credential === undefined) throw passkeyNotFound();
  return credential;
}

export async function sendPasskeys(context: AuthContext, call: Call, user: User): Promise<Response> {
  const credentials = await listCredentials(context.database, user.id);
  return sendJson(
    call,
    credentials.map((credential) => encodePasskey(credential)),
  );
}

/**
 * Deletes the user's passkey of the path; 204. Throws 404 validation_failed.
 *
 * @param admin who deletes it. Default: the user.
 */
export async function removePasskey(
  context: AuthContext,
  call: Call,
  user: User,
  admin?: Actor,
): Promise<Response> {
  const { id } = await requirePasskey(context, call, user);
  const traits = { ...(admin && { user_id: user.id }), passkey_id: id };
  await inTransaction(context, async ({ sql }) => {
    await deleteCredential(sql, id);
    await recordAudit(context, sql, admin ?? user, 'passkey_deleted', { traits, ip: call.ip });
  });
  return new Response(null, { status: 204 });
}

export async function listPasskeys(context: AuthContext, call: Call): Promise<Response> {
  const { user } = await requireCaller(context, call);
  return sendPasskeys(context, call, user);
}

/** PATCH /passkeys/:passkey_id: `{friendly_name}`. */
export async function renamePasskey(context: AuthContext, call: Call): Promise<Response> {
  const { user } = await requireCaller(context, call);
  if (!isUuid(call.param('passkey_id'))) throw passkeyNotFound();
  const friendlyName = readText(await call.json(), 'friendly_name');
  if (friendlyName === '') throw invalid('friendly_name is required');
  if (utf8Length(friendlyName) > maxNameBytes)
    throw invalid(`friendly_name must be ${maxNameBytes} characters or less`);
  const { id } = await requirePasskey(context, call, user);
  const renamed = await inTransaction(context, async ({ sql }) => {
    const details = { traits: { passkey_id: id }, ip: call.ip };
    await recordAudit(context, sql, user, 'passkey_updated', details);
    return renameCredential(sql, nowDate(context), id, friendlyName);
  });
  return sendJson(call, encodePasskey(renamed));
}

export async function deletePasskey(context: AuthContext, call: Call): Promise<Response> {
  const caller = await requireCaller(context, call);
  requireManagementLevel(caller);
  return removePasskey(context, call, caller.user);
}
