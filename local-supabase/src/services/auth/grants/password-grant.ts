import { formatPhone } from '../rows/address.ts';
import { recordAudit } from '../rows/audit.ts';
import { audienceOf } from '../sessions/authentication.ts';
import { type Call, readText, sendJson } from '../http/call.ts';
import { inTransaction, type AuthContext } from '../context.ts';
import { badRequest, invalid, unprocessable, WeakPasswordError } from '../http/errors.ts';
import { checkPasswordAttempt } from '../hooks/verification-attempt.ts';
import { checkPasswordStrength, hashPassword, isPasswordOf } from '../rows/password.ts';
import { signIn } from '../sessions/session-tokens.ts';
import { hasPassword, isBanned, type User } from '../rows/user.ts';
import { findUserByEmail, findUserByPhone } from '../rows/users.ts';

/** Why a correct password is weak, for the response; undefined if it satisfies the project's rules. */
function weaknessOf(
  context: AuthContext,
  password: string,
): { message: string; reasons: readonly string[] } | undefined {
  try {
    checkPasswordStrength(context.settings, password);
    return undefined;
  } catch (error) {
    if (error instanceof WeakPasswordError) return { message: error.message, reasons: error.reasons };
    return undefined;
  }
}

async function findUser(
  context: AuthContext,
  call: Call,
  email: string,
  phone: string,
): Promise<User | undefined> {
  const { settings, database } = context;
  if (email !== '' && phone !== '')
    throw invalid('Only an email address or phone number should be provided on login.');
  if (email === '' && phone === '') throw invalid('missing email or phone');
  if (email !== '' && !settings.emailEnabled)
    throw unprocessable('email_provider_disabled', 'Email logins are disabled');
  if (phone !== '' && !settings.phoneEnabled)
    throw unprocessable('phone_provider_disabled', 'Phone logins are disabled');
  const aud = audienceOf(context, call);
  return email !== ''
    ? findUserByEmail(database, email, aud)
    : findUserByPhone(database, formatPhone(phone), aud);
}

/** POST /token?grant_type=password: `{email|phone, password}`. */
export async function passwordGrant(context: AuthContext, call: Call): Promise<Response> {
  const body = await call.json();
  const [email, phone, password] = [
    readText(body, 'email'),
    readText(body, 'phone'),
    readText(body, 'password'),
  ];
  const user = await findUser(context, call, email, phone);
  const refused = (): Error => badRequest('invalid_credentials', 'Invalid login credentials');
  if (user === undefined || !hasPassword(user)) {
    // Hash anyway: the duration would reveal which accounts exist. (On the real service it does.)
    await hashPassword(context.settings, '');
    throw refused();
  }
  if (isBanned(user, context.now())) throw badRequest('user_banned', 'User is banned');
  const isValid = await isPasswordOf(user, password);
  await checkPasswordAttempt(context, call, user.id, isValid);
  if (!isValid) throw refused();
  if (email !== '' && user.email_confirmed_at === null)
    throw badRequest('email_not_confirmed', 'Email not confirmed');
  if (phone !== '' && user.phone_confirmed_at === null)
    throw badRequest('phone_not_confirmed', 'Phone not confirmed');
  const traits = { provider: email === '' ? 'phone' : 'email' };
  const tokens = await inTransaction(context, async ({ sql }) => {
    await recordAudit(context, sql, user, 'login', { traits });
    return signIn(context, call, sql, user, 'password');
  });
  return sendJson(call, { ...tokens, weak_password: weaknessOf(context, password) ?? null });
}
