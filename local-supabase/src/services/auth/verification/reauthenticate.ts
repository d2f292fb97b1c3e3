import { requireCaller } from '../sessions/authentication.ts';
import { type Call, sendJson } from '../http/call.ts';
import { recordAudit } from '../rows/audit.ts';
import { inTransaction, type AuthContext } from '../context.ts';
import { invalid, unprocessable } from '../http/errors.ts';
import { sendReauthentication } from '../mail/mail.ts';
import { messageResponse } from './otp.ts';
import { sendPhoneCode } from '../mail/text-message.ts';

/** GET /reauthenticate: sends the code that `PUT /user` accepts as `nonce`. */
export async function reauthenticate(context: AuthContext, call: Call): Promise<Response> {
  const { user } = await requireCaller(context, call);
  if (!user.email && !user.phone)
    throw invalid('Reauthentication requires the user to have an email or a phone number');
  if (user.email && user.email_confirmed_at === null)
    throw unprocessable('email_not_confirmed', 'Please verify your email first.');
  if (!user.email && user.phone_confirmed_at === null)
    throw unprocessable('phone_not_confirmed', 'Please verify your phone first.');
  const messageId = await inTransaction(context, async (tx) => {
    await recordAudit(context, tx.sql, user, 'user_reauthenticate_requested');
    if (!user.email) return sendPhoneCode(context, call, tx, user, user.phone ?? '', 'reauthentication');
    await sendReauthentication(context, call, tx, user);
    return '';
  });
  return sendJson(call, messageResponse(messageId));
}
