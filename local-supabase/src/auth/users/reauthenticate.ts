import { requireCaller } from '../http/authentication.ts';
import { type Call, sendJson } from '../http/call.ts';
import { inTransaction, nowDate, type AuthContext, type Transaction } from '../context.ts';
import { invalid, unprocessable } from '../http/errors.ts';
import { sendReauthentication } from '../mail/mail.ts';
import { clearOneTimeTokens, hashCode, isCodeExpired, isSameToken } from '../verification/one-time-token.ts';
import { messageAnswer } from '../verification/otp.ts';
import { sendPhoneCode } from '../mail/text-message.ts';
import type { User } from './user.ts';
import { updateUser } from './users.ts';

/** GET /reauthenticate: sends the code that `PUT /user` takes as `nonce`. */
export async function reauthenticate(context: AuthContext, call: Call): Promise<Response> {
  const { user } = await requireCaller(context, call);
  if (!user.email && !user.phone)
    throw invalid('Reauthentication requires the user to have an email or a phone number');
  if (user.email && user.email_confirmed_at === null)
    throw unprocessable('email_not_confirmed', 'Please verify your email first.');
  if (!user.email && user.phone_confirmed_at === null)
    throw unprocessable('phone_not_confirmed', 'Please verify your phone first.');
  const messageId = await inTransaction(context, async (tx) => {
    if (!user.email) return sendPhoneCode(context, tx, user, user.phone ?? '', 'reauthentication');
    await sendReauthentication(context, call, tx, user);
    return '';
  });
  return sendJson(call, messageAnswer(messageId));
}

/** Verifies and consumes the code of `GET /reauthenticate`. Throws 422 reauthentication_not_valid. */
export async function checkNonce(
  context: AuthContext,
  tx: Transaction,
  user: User,
  nonce: string,
): Promise<void> {
  const { settings } = context;
  const address = user.email || user.phone || '';
  const expirySeconds = user.email ? settings.emailOtpExpirySeconds : settings.smsOtpExpirySeconds;
  const isValid =
    address !== '' &&
    isSameToken(hashCode(address, nonce), user.reauthentication_token) &&
    !isCodeExpired(user.reauthentication_sent_at, expirySeconds, context.now());
  if (!isValid) throw unprocessable('reauthentication_not_valid', 'Nonce has expired or is invalid');
  await updateUser(tx.sql, nowDate(context), user, { reauthentication_token: '' });
  await clearOneTimeTokens(tx.sql, user.id);
}
