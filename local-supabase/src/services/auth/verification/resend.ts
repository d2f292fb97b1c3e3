import { parseEmail, parsePhone } from '../rows/address.ts';
import { recordAudit } from '../rows/audit.ts';
import { audienceOf } from '../sessions/authentication.ts';
import { type Call, type JsonObject, readText, sendJson } from '../http/call.ts';
import { inTransaction, nowDate, type AuthContext, type Transaction } from '../context.ts';
import { badRequest, invalid } from '../http/errors.ts';
import { type CodeChallenge, createFlowState, parseCodeChallenge } from '../rows/flow-state.ts';
import { sendConfirmation, sendEmailChange } from '../mail/mail.ts';
import { messageResponse } from './otp.ts';
import { sendPhoneCode } from '../mail/text-message.ts';
import type { User } from '../rows/user.ts';
import { findUserByEmail, findUserByPhone } from '../rows/users.ts';

type ResendType = 'signup' | 'email_change' | 'sms' | 'phone_change';

interface Wanted {
  readonly type: ResendType;
  readonly email: string;
  readonly phone: string;
  readonly codeChallenge: CodeChallenge | null;
}

const isResendType = (type: string): type is ResendType =>
  type === 'signup' || type === 'email_change' || type === 'sms' || type === 'phone_change';

function parseResend(context: AuthContext, body: JsonObject): Wanted {
  const type = readText(body, 'type');
  const [email, phone] = [readText(body, 'email'), readText(body, 'phone')];
  if (!isResendType(type))
    throw invalid('Missing one of these types: signup, email_change, sms, phone_change');
  const isMail = type === 'signup' || type === 'email_change';
  const codeChallenge = isMail
    ? parseCodeChallenge(readText(body, 'code_challenge'), readText(body, 'code_challenge_method'))
    : null;
  if (email === '' && type === 'signup') throw invalid('Type provided requires an email address');
  if (phone === '' && type === 'sms') throw invalid('Type provided requires a phone number');
  if (email !== '' && phone !== '')
    throw invalid('Only an email address or phone number should be provided.');
  if (email === '' && phone === '') throw invalid('Missing email address or phone number');
  if (email !== '' && !context.settings.emailEnabled)
    throw badRequest('email_provider_disabled', 'Email logins are disabled');
  if (phone !== '' && !context.settings.phoneEnabled)
    throw badRequest('phone_provider_disabled', 'Phone logins are disabled');
  return { type, codeChallenge, email: email && parseEmail(email), phone: phone && parsePhone(phone) };
}

async function sendAgain(
  context: AuthContext,
  call: Call,
  tx: Transaction,
  user: User,
  { type, phone, codeChallenge }: Wanted,
): Promise<string> {
  const flow = codeChallenge === null ? 'implicit' : 'pkce';
  const keepFlow = async (method: 'email/signup' | 'email_change'): Promise<void> => {
    const wanted = { provider: method, method, codeChallenge, userId: user.id };
    if (codeChallenge !== null) await createFlowState(tx.sql, nowDate(context), wanted);
  };
  switch (type) {
    case 'signup':
      if (user.email_confirmed_at !== null) return '';
      await recordAudit(context, tx.sql, user, 'user_confirmation_requested');
      await keepFlow('email/signup');
      await sendConfirmation(context, call, tx, user, flow);
      return '';
    case 'email_change':
      if (!user.email_change) return '';
      await keepFlow('email_change');
      await sendEmailChange(context, call, tx, user, user.email_change, flow);
      return '';
    case 'sms':
      if (user.phone_confirmed_at !== null) return '';
      await recordAudit(context, tx.sql, user, 'user_recovery_requested');
      return sendPhoneCode(context, call, tx, user, phone, 'confirmation');
    case 'phone_change':
      return user.phone_change
        ? sendPhoneCode(context, call, tx, user, user.phone_change, 'phone_change')
        : '';
  }
}

/** POST /resend: sends the last message of this type again, with new codes. For an unknown address the response is the same. */
export async function resend(context: AuthContext, call: Call): Promise<Response> {
  const wanted = parseResend(context, await call.json());
  const aud = audienceOf(context, call);
  const messageId = await inTransaction(context, async (tx) => {
    const user = await (wanted.email !== ''
      ? findUserByEmail(tx.sql, wanted.email, aud)
      : findUserByPhone(tx.sql, wanted.phone, aud));
    return user ? sendAgain(context, call, tx, user, wanted) : '';
  });
  return sendJson(call, messageResponse(messageId));
}
