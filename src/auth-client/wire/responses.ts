import {
  type TypeOf,
  filledText,
  flag,
  listOf,
  maybe,
  number,
  object,
  optional,
  record,
  text,
} from './wire-shape.ts';

const maybeText = maybe(text);
const maybeRecord = maybe(record);

const identity = object({
  /** What `unlinkIdentity` needs. */
  identity_id: text,
  id: maybeText,
  user_id: maybeText,
  provider: maybeText,
  identity_data: maybeRecord,
  created_at: maybeText,
  last_sign_in_at: maybeText,
});

const factor = object({
  id: text,
  /** `totp`, `phone` or `webauthn`. */
  factor_type: text,
  /** `verified` or `unverified`. */
  status: text,
  friendly_name: maybeText,
  phone: maybeText,
});

const user = object({
  id: text,
  aud: maybeText,
  role: maybeText,
  email: maybeText,
  /** The address that waits for its confirmation. */
  new_email: maybeText,
  phone: maybeText,
  email_confirmed_at: maybeText,
  phone_confirmed_at: maybeText,
  last_sign_in_at: maybeText,
  created_at: maybeText,
  updated_at: maybeText,
  is_anonymous: maybe(flag),
  app_metadata: maybeRecord,
  user_metadata: maybeRecord,
  identities: maybe(listOf(identity)),
  factors: maybe(listOf(factor)),
});

/** What every reply with tokens holds; also the form in which a session is stored. */
export const parseSession = object({
  access_token: filledText,
  refresh_token: filledText,
  /** Seconds that the access token lives from its issue. */
  expires_in: optional(number),
  /** Seconds since the epoch, by the server's clock. */
  expires_at: optional(number),
  user,
  provider_token: maybeText,
  provider_refresh_token: maybeText,
  weak_password: maybe(object({ message: maybeText, reasons: maybe(listOf(text)) })),
});

export type UserIdentity = TypeOf<typeof identity>;
export type Factor = TypeOf<typeof factor>;
export type SessionWire = TypeOf<typeof parseSession>;

/** A user as storage holds it. Anyone who can write storage can write this: never decide on it what a person may do. */
export type UnverifiedUser = TypeOf<typeof user>;

declare const fromServer: unique symbol;
/** A user as the auth server just described it. Only a reply of the server becomes one. */
export type User = UnverifiedUser & { readonly [fromServer]: true };

export const parseUser = (body: unknown): User => user(body) as User;
