import type { Factor } from './factor.ts';
import { encodeFactor } from './factor.ts';
import { encodeIdentity, type Identity } from './identity.ts';

/** A JSON object in a row of users or identities. */
export type Metadata = Record<string, unknown>;

/** A row of auth.users. */
export interface UserRow {
  readonly id: string;
  readonly aud: string;
  readonly role: string | null;
  readonly email: string | null;
  readonly phone: string | null;
  readonly encrypted_password: string | null;
  readonly email_confirmed_at: Date | null;
  readonly phone_confirmed_at: Date | null;
  readonly confirmed_at: Date | null;
  readonly invited_at: Date | null;
  readonly confirmation_token: string | null;
  readonly confirmation_sent_at: Date | null;
  readonly recovery_token: string | null;
  readonly recovery_sent_at: Date | null;
  readonly email_change: string | null;
  readonly email_change_token_new: string | null;
  readonly email_change_token_current: string | null;
  readonly email_change_sent_at: Date | null;
  readonly email_change_confirm_status: number | null;
  readonly phone_change: string | null;
  readonly phone_change_token: string | null;
  readonly phone_change_sent_at: Date | null;
  readonly reauthentication_token: string | null;
  readonly reauthentication_sent_at: Date | null;
  readonly last_sign_in_at: Date | null;
  readonly raw_app_meta_data: Metadata | null;
  readonly raw_user_meta_data: Metadata | null;
  readonly is_sso_user: boolean;
  readonly is_anonymous: boolean;
  readonly created_at: Date | null;
  readonly updated_at: Date | null;
  readonly banned_until: Date | null;
  readonly deleted_at: Date | null;
}

/** A user with its identities and factors. */
export interface User extends UserRow {
  readonly identities: readonly Identity[];
  readonly factors: readonly Factor[];
}

export const hasPassword = (user: UserRow): boolean => (user.encrypted_password ?? '') !== '';
export const isBanned = (user: UserRow, nowMs: number): boolean =>
  user.banned_until !== null && nowMs < user.banned_until.getTime();
export const hasVerifiedFactor = (user: User): boolean =>
  user.factors.some((factor) => factor.status === 'verified');

const when = (name: string, value: unknown): Metadata =>
  value === null || value === undefined || value === '' ? {} : { [name]: value };

export function encodeUser(user: User): Metadata {
  return {
    id: user.id,
    aud: user.aud,
    role: user.role ?? '',
    email: user.email ?? '',
    ...when('email_confirmed_at', user.email_confirmed_at),
    ...when('invited_at', user.invited_at),
    phone: user.phone ?? '',
    ...when('phone_confirmed_at', user.phone_confirmed_at),
    ...when('confirmation_sent_at', user.confirmation_sent_at),
    ...when('confirmed_at', user.confirmed_at),
    ...when('recovery_sent_at', user.recovery_sent_at),
    ...when('new_email', user.email_change),
    ...when('email_change_sent_at', user.email_change_sent_at),
    ...when('new_phone', user.phone_change),
    ...when('phone_change_sent_at', user.phone_change_sent_at),
    ...when('reauthentication_sent_at', user.reauthentication_sent_at),
    ...when('last_sign_in_at', user.last_sign_in_at),
    app_metadata: user.raw_app_meta_data ?? {},
    user_metadata: user.raw_user_meta_data ?? {},
    ...(user.factors.length > 0 && { factors: user.factors.map((factor) => encodeFactor(factor)) }),
    identities: user.identities.map((identity) => encodeIdentity(identity)),
    created_at: user.created_at,
    updated_at: user.updated_at,
    ...when('banned_until', user.banned_until),
    ...when('deleted_at', user.deleted_at),
    is_anonymous: user.is_anonymous,
  };
}
