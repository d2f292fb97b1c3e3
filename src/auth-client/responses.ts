import * as z from 'zod/mini';

const text = z.nullish(z.string());
const data = z.nullish(z.record(z.string(), z.unknown()));

const identitySchema = z.looseObject({
  /** What `unlinkIdentity` needs. */
  identity_id: z.string(),
  id: text,
  user_id: text,
  provider: text,
  identity_data: data,
  created_at: text,
  last_sign_in_at: text,
});

const factorSchema = z.looseObject({
  id: z.string(),
  /** `totp`, `phone` or `webauthn`. */
  factor_type: z.string(),
  /** `verified` or `unverified`. */
  status: z.string(),
  friendly_name: text,
  phone: text,
});

export const userSchema = z.looseObject({
  id: z.string(),
  aud: text,
  role: text,
  email: text,
  /** The address that waits for its confirmation. */
  new_email: text,
  phone: text,
  email_confirmed_at: text,
  phone_confirmed_at: text,
  last_sign_in_at: text,
  created_at: text,
  updated_at: text,
  is_anonymous: z.nullish(z.boolean()),
  app_metadata: data,
  user_metadata: data,
  identities: z.nullish(z.array(identitySchema)),
  factors: z.nullish(z.array(factorSchema)),
});

/** What every reply with tokens holds; also the form in which a session is stored. */
export const sessionSchema = z.looseObject({
  access_token: z.string().check(z.minLength(1)),
  refresh_token: z.string().check(z.minLength(1)),
  /** Seconds that the access token lives from its issue. */
  expires_in: z.optional(z.number()),
  /** Seconds since the epoch, by the server's clock. */
  expires_at: z.optional(z.number()),
  user: userSchema,
  provider_token: text,
  provider_refresh_token: text,
  weak_password: z.nullish(z.looseObject({ message: text, reasons: z.nullish(z.array(z.string())) })),
});

export const messageIdSchema = z.looseObject({ message_id: text });
export const urlSchema = z.looseObject({ url: z.string() });
export const settingsSchema = z.looseObject({
  /** Sign-in methods by name: `email`, `phone`, `google`, …; true if enabled. */
  external: z.record(z.string(), z.boolean()),
  disable_signup: z.boolean(),
  mailer_autoconfirm: z.nullish(z.boolean()),
  phone_autoconfirm: z.nullish(z.boolean()),
  sms_provider: text,
  saml_enabled: z.nullish(z.boolean()),
  passkeys_enabled: z.nullish(z.boolean()),
});

export type UserIdentity = z.infer<typeof identitySchema>;
export type Factor = z.infer<typeof factorSchema>;
export type SessionWire = z.infer<typeof sessionSchema>;
export type AuthServerSettings = z.infer<typeof settingsSchema>;

/** A user as storage holds it. Anyone who can write storage can write this: never decide on it what a person may do. */
export type UnverifiedUser = z.infer<typeof userSchema>;

declare const fromServer: unique symbol;
/** A user as the auth server just described it. Only a reply of the server becomes one. */
export type User = UnverifiedUser & { readonly [fromServer]: true };

export const parseUser = (body: unknown): User => userSchema.parse(body) as User;
export const parseSession = (body: unknown): SessionWire => sessionSchema.parse(body);

/** A session if the sign-up needs no confirmation, else the bare user. */
export function parseSignUp(body: unknown): { readonly user: User; readonly reply: SessionWire | null } {
  const reply = hasToken(body) ? parseSession(body) : null;
  return { user: reply ? (reply.user as User) : parseUser(body), reply };
}

/** A session, or the message after the first half of an e-mail change. */
export function parseVerification(body: unknown): { reply: SessionWire | null; message: string | null } {
  if (hasToken(body)) return { reply: parseSession(body), message: null };
  return { reply: null, message: z.looseObject({ msg: z.string() }).parse(body).msg };
}

function hasToken(body: unknown): boolean {
  return 'access_token' in Object(body);
}
