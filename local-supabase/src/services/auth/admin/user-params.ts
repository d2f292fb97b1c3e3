import { parseEmail, parsePhone } from '../rows/address.ts';
import { type JsonObject, readFlag, readObject, readOptionalText, readText } from '../http/call.ts';
import type { AuthContext } from '../context.ts';
import type { Metadata } from '../rows/user.ts';
import { parseDuration } from './duration.ts';

/** The fields that an administrator sets on a user. An absent string is ''. */
export interface AdminUserParams {
  readonly id: string;
  readonly aud: string;
  readonly role: string;
  readonly email: string;
  readonly phone: string;
  readonly password: string | undefined;
  readonly passwordHash: string;
  readonly confirmsEmail: boolean;
  readonly confirmsPhone: boolean;
  readonly userMetadata: Metadata | undefined;
  readonly appMetadata: Metadata | undefined;
  /** Undefined keeps the present ban; null lifts it. */
  readonly bannedUntil: Date | null | undefined;
}

/** Reads the fields from a request body. Throws 400 validation_failed, bad_json. */
export function parseAdminUser(context: AuthContext, body: JsonObject): AdminUserParams {
  const [email, phone, ban] = [
    readText(body, 'email'),
    readText(body, 'phone'),
    readText(body, 'ban_duration'),
  ];
  const banMs = ban === '' ? undefined : parseDuration(ban);
  const until = banMs === 0 ? null : new Date(context.now() + (banMs ?? 0));
  return {
    id: readText(body, 'id'),
    aud: readText(body, 'aud'),
    role: readText(body, 'role'),
    email: email && parseEmail(email),
    phone: phone && parsePhone(phone),
    password: readOptionalText(body, 'password'),
    passwordHash: readText(body, 'password_hash'),
    confirmsEmail: readFlag(body, 'email_confirm'),
    confirmsPhone: readFlag(body, 'phone_confirm'),
    userMetadata: readObject(body, 'user_metadata'),
    appMetadata: readObject(body, 'app_metadata'),
    bannedUntil: banMs === undefined ? undefined : until,
  };
}
