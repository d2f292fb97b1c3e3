import {
  type TypeOf,
  nonEmptyString,
  boolean,
  listOf,
  nullish,
  number,
  object,
  optional,
  record,
  string,
} from '../../platform/schema.ts';

/** The response of calls that promise no body. @throws {TypeError} for another status than 204. */
export function parseNoContent(body: unknown): void {
  if (body !== undefined) throw new TypeError('Unexpected body');
}

/** The response of calls that return an object without members of interest. */
export function parseConfirmation(body: unknown): void {
  record(body);
}

const nullishString = nullish(string);
const nullishRecord = nullish(record);

const identity = object({
  /** Required by `unlinkIdentity`. */
  identity_id: string,
  id: nullishString,
  user_id: nullishString,
  provider: nullishString,
  identity_data: nullishRecord,
  created_at: nullishString,
  last_sign_in_at: nullishString,
});

const factor = object({
  id: string,
  /** `totp`, `phone` or `webauthn`. */
  factor_type: string,
  /** `verified` or `unverified`. */
  status: string,
  friendly_name: nullishString,
  phone: nullishString,
});

const user = object({
  id: string,
  aud: nullishString,
  role: nullishString,
  email: nullishString,
  /** The address that waits for its confirmation. */
  new_email: nullishString,
  phone: nullishString,
  email_confirmed_at: nullishString,
  phone_confirmed_at: nullishString,
  last_sign_in_at: nullishString,
  created_at: nullishString,
  updated_at: nullishString,
  is_anonymous: nullish(boolean),
  app_metadata: nullishRecord,
  user_metadata: nullishRecord,
  identities: nullish(listOf(identity)),
  factors: nullish(listOf(factor)),
});

/** The members of every response with tokens; also the form in which a session is stored. */
export const parseTokenResponse = object({
  access_token: nonEmptyString,
  refresh_token: nonEmptyString,
  /** Seconds that the access token lives from its issue. */
  expires_in: optional(number),
  /** Seconds since the epoch, by the server's clock. */
  expires_at: optional(number),
  user,
  provider_token: nullishString,
  provider_refresh_token: nullishString,
  weak_password: nullish(object({ message: nullishString, reasons: nullish(listOf(string)) })),
});

/** An account at a provider that is linked to the user. */
export type UserIdentity = TypeOf<typeof identity>;
/** A second factor of the user, verified or not. */
export type Factor = TypeOf<typeof factor>;
export type TokenResponse = TypeOf<typeof parseTokenResponse>;

/** A user as storage holds it. Any code that can write storage can write it, so never base authorization on it. */
export type UnverifiedUser = TypeOf<typeof user>;

declare const fromServer: unique symbol;
/** A user as the auth server just described it. Only a response of the server creates it. */
export type User = UnverifiedUser & { readonly [fromServer]: true };

export const parseFactor = factor;
export const parseUser = (body: unknown): User => user(body) as User;
