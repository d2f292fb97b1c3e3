import type { Sql } from '../../../database/database.ts';
import { type AuthContext, nowDate } from '../context.ts';
import type { JsonObject } from '../http/call.ts';
import { insertRow, nilUuid } from './rows.ts';
import type { UserRow } from './user.ts';

/** The kind of each recorded action. */
const logTypes = {
  login: 'account',
  logout: 'account',
  invite_accepted: 'account',
  user_signedup: 'team',
  user_invited: 'team',
  user_deleted: 'team',
  token_revoked: 'token',
  token_refreshed: 'token',
  user_modified: 'user',
  user_recovery_requested: 'user',
  user_reauthenticate_requested: 'user',
  user_confirmation_requested: 'user',
  user_repeated_signup: 'user',
  user_updated_password: 'user',
  identity_linked: 'user',
  identity_unlinked: 'user',
  factor_in_progress: 'factor',
  factor_unenrolled: 'factor',
  challenge_created: 'factor',
  verification_attempted: 'factor',
  factor_deleted: 'factor',
  factor_updated: 'factor',
  recovery_codes_generated: 'factor',
  recovery_codes_verified: 'factor',
  recovery_codes_regenerated: 'factor',
  recovery_codes_deleted: 'factor',
  passkey_created: 'user',
  passkey_updated: 'user',
  passkey_deleted: 'user',
} as const;

export type AuditAction = keyof typeof logTypes;

/** The acting user, or the administrator of `adminActor`. */
export type Actor = Pick<UserRow, 'id' | 'email' | 'phone' | 'is_sso_user' | 'raw_user_meta_data'>;

/** An administrator without an account; the role serves as the name. */
export const adminActor = (role: string): Actor => ({
  id: nilUuid,
  email: role,
  phone: null,
  is_sso_user: false,
  raw_user_meta_data: null,
});

/** The traits of the user that an administrator changed. */
export const userTraits = ({ id, email, phone }: UserRow): JsonObject => ({
  user_id: id,
  user_email: email ?? '',
  user_phone: phone ?? '',
});

/** Records an action in auth.audit_log_entries, if the project enables the log. */
export async function recordAudit(
  context: AuthContext,
  sql: Sql,
  actor: Actor,
  action: AuditAction,
  details: { readonly traits?: JsonObject; readonly ip?: string } = {},
): Promise<void> {
  if (!context.settings.auditLogEnabled) return;
  const { traits, ip = '' } = details;
  const name = actor.raw_user_meta_data?.['full_name'];
  await insertRow(sql, 'auth.audit_log_entries', {
    instance_id: nilUuid,
    id: crypto.randomUUID(),
    payload: {
      action,
      actor_id: actor.id,
      ...(name !== undefined && { actor_name: name }),
      actor_username: actor.phone || (actor.email ?? ''),
      actor_via_sso: actor.is_sso_user,
      log_type: logTypes[action],
      ...(traits && { traits }),
    },
    created_at: nowDate(context),
    ip_address: ip,
  });
}
