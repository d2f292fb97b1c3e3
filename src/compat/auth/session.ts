import type { AuthClient, AuthEventName, OtpType } from '../../auth-client/index.ts';
import type { StoredSession } from '../../auth-client/session/session.ts';
import type { Untyped } from '../untyped.ts';

/** A user's data from the provider and the project. */
export interface UserAppMetadata {
  /** The provider of the first sign-in. */
  provider?: string;
  /** All providers. */
  providers?: string[];
  [key: string]: Untyped;
}

/** Data that the user can change. */
export interface UserMetadata {
  [key: string]: Untyped;
}

/** An account at a provider. */
export interface UserIdentity {
  /** The account's id at the provider. */
  id: string;
  /** The user's id. */
  user_id: string;
  /** The provider's data about the account. */
  identity_data?: { [key: string]: Untyped };
  /** The identity's id. */
  identity_id: string;
  /** `email`, `google`, … */
  provider: string;
  created_at?: string;
  last_sign_in_at?: string;
  updated_at?: string;
}

/** A second factor. */
export interface Factor {
  id: string;
  /** The name that the user gave it. */
  friendly_name?: string;
  /** The type of the factor. */
  factor_type: 'totp' | 'phone' | 'webauthn' | (string & {});
  /** Whether the factor was verified. */
  status: 'verified' | 'unverified';
  created_at: string;
  updated_at: string;
}

/** A user as the service describes it. */
export interface User {
  /** The user's UUID. */
  id: string;
  /** Data from the provider and the project. */
  app_metadata: UserAppMetadata;
  /** Data that the user can change. */
  user_metadata: UserMetadata;
  /** The audience of the tokens. */
  aud: string;
  /** The email address. */
  email?: string;
  /** The address that waits for its confirmation. */
  new_email?: string;
  /** The phone number. */
  phone?: string;
  /** The number that waits for its confirmation. */
  new_phone?: string;
  created_at: string;
  updated_at?: string;
  confirmed_at?: string;
  email_confirmed_at?: string;
  phone_confirmed_at?: string;
  confirmation_sent_at?: string;
  recovery_sent_at?: string;
  email_change_sent_at?: string;
  invited_at?: string;
  last_sign_in_at?: string;
  /** ISO 8601. */
  banned_until?: string;
  deleted_at?: string;
  /** The database role. */
  role?: string;
  /** The accounts at providers. */
  identities?: UserIdentity[];
  /** Whether the user has neither an address nor a number. */
  is_anonymous?: boolean;
  /** Whether the user signs in by an organization's provider. */
  is_sso_user?: boolean;
  /** The second factors. */
  factors?: Factor[];
}

/** A session as the service sends it. */
export interface Session {
  /** The access token, a JWT. */
  access_token: string;
  /** The refresh token. */
  refresh_token: string;
  /** Seconds that the access token lives from its issue. */
  expires_in: number;
  /** Seconds since the epoch. */
  expires_at?: number;
  /** Always `bearer`. */
  token_type: 'bearer';
  /** The provider's access token, right after a sign-in with it. */
  provider_token?: string | null;
  /** The provider's refresh token, right after a sign-in with it. */
  provider_refresh_token?: string | null;
  /** The signed-in user. */
  user: User;
}

/** Names of the events that `onAuthStateChange` delivers. */
export type AuthChangeEvent = AuthEventName;
/** What a mailed code is for. */
export type EmailOtpType = Extract<
  OtpType,
  'signup' | 'invite' | 'magiclink' | 'recovery' | 'email_change' | 'email'
>;
/** The purpose of a code sent to a phone. */
export type MobileOtpType = Extract<OtpType, 'sms' | 'phone_change'>;

/** The session in memory in the vendor's form; null if no user is signed in. */
export function readSession({ core }: AuthClient): Session | null {
  const record = core.session.current()?.record;
  return record ? toSession(record) : null;
}

/** The session of a call that has signed a user in. */
export function requireSession(auth: AuthClient): Session {
  const session = readSession(auth);
  if (!session) throw new TypeError('The session has ended during the call');
  return session;
}

/** The stored record without the native client's own members. */
function toSession({
  received_at: _receivedAt,
  recovery: _recovery,
  revision: _revision,
  ...record
}: StoredSession) {
  return { token_type: 'bearer', expires_in: 3600, ...record } as unknown as Session;
}

/** Native clients keep every member that the service sends, and type fewer of them. */
export const toUser = (user: object): User => user as User;
