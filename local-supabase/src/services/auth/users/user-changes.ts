import { checkChannel, parseEmail, parsePhone } from '../rows/address.ts';
import { type JsonObject, readObject, readOptionalText, readText } from '../http/call.ts';
import type { AuthContext } from '../context.ts';
import type { CodeChallenge } from '../rows/flow-state.ts';
import { checkPasswordStrength } from '../rows/password.ts';
import type { Metadata } from '../rows/user.ts';

/** The body of `PUT /user`. '' leaves a string unchanged. */
export interface UserChanges {
  readonly email: string;
  readonly phone: string;
  readonly channel: string;
  /** Undefined keeps the stored value; '' removes it. */
  readonly password: string | undefined;
  readonly currentPassword: string;
  readonly nonce: string;
  readonly data: Metadata | undefined;
  readonly appMetadata: Metadata | undefined;
  /** As in GoTrue, not validated, and used by a change of email only. */
  readonly codeChallenge: CodeChallenge | null;
}

function readCodeChallenge(body: JsonObject): CodeChallenge | null {
  const [challenge, method] = [readText(body, 'code_challenge'), readText(body, 'code_challenge_method')];
  return challenge === '' ? null : { challenge, method };
}

/** Reads the body of `PUT /user`. Throws WeakPasswordError, 400 validation_failed. */
export function parseUserChanges(context: AuthContext, body: JsonObject): UserChanges {
  const [email, phone] = [readText(body, 'email'), readText(body, 'phone')];
  const channel = readText(body, 'channel') || 'sms';
  const password = readOptionalText(body, 'password');
  const changes = {
    email: email && parseEmail(email),
    phone: phone && parsePhone(phone),
    channel,
    password,
    currentPassword: readText(body, 'current_password'),
    nonce: readText(body, 'nonce'),
    data: readObject(body, 'data'),
    appMetadata: readObject(body, 'app_metadata'),
    codeChallenge: readCodeChallenge(body),
  };
  if (phone !== '') checkChannel(context, channel);
  if (password !== undefined) checkPasswordStrength(context.settings, password);
  return changes;
}
