import { checkChannel, parseEmail, parsePhone } from '../rows/address.ts';
import { recordAudit } from '../rows/audit.ts';
import { audienceOf } from '../sessions/authentication.ts';
import { type Call, type JsonObject, readFlag, readObject, readText, sendJson } from '../http/call.ts';
import { inTransaction, type AuthContext } from '../context.ts';
import { badRequest, invalid, unprocessable } from '../http/errors.ts';
import { parseCodeChallenge } from '../rows/flow-state.ts';
import { sendMagicLink } from './magic-link.ts';
import { createPassword } from '../rows/password.ts';
import { signUpWith } from '../users/sign-up.ts';
import { sendPhoneCode } from '../mail/text-message.ts';
import { findUserByEmail, findUserByPhone } from '../rows/users.ts';

/** The response to a request for a message, with the message's id if it has one. */
export const messageResponse = (messageId: string): Record<string, string> =>
  messageId === '' ? {} : { message_id: messageId };

async function phoneCode(context: AuthContext, call: Call, body: JsonObject): Promise<Response> {
  const { settings, database } = context;
  if (!settings.phoneEnabled) throw badRequest('phone_provider_disabled', 'Unsupported phone provider');
  const channel = readText(body, 'channel') || 'sms';
  const phone = parsePhone(readText(body, 'phone'));
  checkChannel(context, channel);
  const aud = audienceOf(context, call);
  const known = await findUserByPhone(database, phone, aud);
  if (known?.phone_confirmed_at == null) {
    const data = { ...readObject(body, 'data') };
    const password = createPassword();
    await signUpWith(context, call, {
      provider: 'phone',
      email: '',
      phone,
      password,
      data,
      channel,
      codeChallenge: null,
    });
    if (!settings.phoneAutoconfirm) return sendJson(call, {});
  }
  const messageId = await inTransaction(context, async (tx) => {
    const user = await findUserByPhone(tx.sql, phone, aud);
    if (user === undefined) return '';
    await recordAudit(context, tx.sql, user, 'user_recovery_requested', { traits: { channel } });
    return sendPhoneCode(context, call, tx, user, phone, 'confirmation', channel);
  });
  return sendJson(call, messageResponse(messageId));
}

async function isKnown(context: AuthContext, call: Call, email: string, phone: string): Promise<boolean> {
  const aud = audienceOf(context, call);
  if (email !== '') return (await findUserByEmail(context.database, parseEmail(email), aud)) !== undefined;
  return phone === '' || (await findUserByPhone(context.database, parsePhone(phone), aud)) !== undefined;
}

/** POST /otp: a code by mail or text message. */
export async function sendOtp(context: AuthContext, call: Call): Promise<Response> {
  const body = await call.json();
  const [email, phone] = [readText(body, 'email'), readText(body, 'phone')];
  if (email !== '' && phone !== '') throw invalid('Only an email address or phone number should be provided');
  if (email !== '' && readText(body, 'channel') !== '')
    throw invalid('Channel should only be specified with Phone OTP');
  parseCodeChallenge(readText(body, 'code_challenge'), readText(body, 'code_challenge_method'));
  if (!readFlag(body, 'create_user', true) && !(await isKnown(context, call, email, phone)))
    throw unprocessable('otp_disabled', 'Signups not allowed for otp');
  if (email !== '') return sendMagicLink(context, call);
  if (phone !== '') return phoneCode(context, call, body);
  throw invalid('One of email or phone must be set');
}
