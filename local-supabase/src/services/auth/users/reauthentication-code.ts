import { nowDate, type AuthContext, type Transaction } from '../context.ts';
import { unprocessable } from '../http/errors.ts';
import { clearOneTimeTokens, hashCode, isCodeExpired, isSameToken } from '../rows/one-time-token.ts';
import type { User } from '../rows/user.ts';
import { updateUser } from '../rows/users.ts';

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
