import { createDigits } from '../../../platform/random.ts';
import { isHookEnabled } from '../hooks/invoke-hook.ts';
import { sendSmsByHook } from '../hooks/message-hooks.ts';
import type { Call } from '../http/call.ts';
import { nowDate, type AuthContext, type Transaction } from '../context.ts';
import { tooManyRequests } from '../http/errors.ts';
import { checkFrequency } from './mail.ts';
import { hashCode, storeOneTimeToken, type OneTimeTokenType } from '../rows/one-time-token.ts';
import type { User } from '../rows/user.ts';
import { updateUser } from '../rows/users.ts';

export type SmsPurpose = 'confirmation' | 'phone_change' | 'reauthentication';

interface Slot {
  readonly token: OneTimeTokenType & keyof User;
  readonly sentAt: 'confirmation_sent_at' | 'phone_change_sent_at' | 'reauthentication_sent_at';
}

const slots: Readonly<Record<SmsPurpose, Slot>> = {
  confirmation: { token: 'confirmation_token', sentAt: 'confirmation_sent_at' },
  phone_change: { token: 'phone_change_token', sentAt: 'phone_change_sent_at' },
  reauthentication: { token: 'reauthentication_token', sentAt: 'reauthentication_sent_at' },
};

export const textWithCode = (template: string, code: string): string =>
  template.replaceAll(/\{\{\s*\.Code\s*\}\}/g, () => code);

/** Sends the message with a code, through the project's hook if it has one. */
async function sendCode(
  context: AuthContext,
  call: Call,
  tx: Transaction,
  user: User,
  phone: string,
  code: string,
  channel: string,
): Promise<void> {
  if (isHookEnabled(context, 'send_sms'))
    await sendSmsByHook(context, call, user, { otp: code, phone }, tx.sql);
  else
    await context.smsBox.send({ to: phone, text: textWithCode(context.settings.smsTemplate, code), channel });
}

/** Sends a code to `phone` and stores its hash with the user. Returns the message id, which only test numbers have. */
export async function sendPhoneCode(
  context: AuthContext,
  call: Call,
  tx: Transaction,
  user: User,
  phone: string,
  purpose: SmsPurpose,
  channel = 'sms',
): Promise<string> {
  const { settings } = context;
  const slot = slots[purpose];
  checkFrequency(context, user[slot.sentAt], settings.smsMaxFrequencySeconds, 'over_sms_send_rate_limit');
  const testCode = settings.smsTestOtp[phone];
  if (testCode === undefined && !settings.phoneAutoconfirm && !context.limiter.allowMessage('sms'))
    throw tooManyRequests('over_sms_send_rate_limit', 'SMS rate limit exceeded');
  const code = testCode ?? createDigits(settings.otpLength);
  const isChange = purpose === 'phone_change';
  const recipient = isChange ? { ...user, phone_change: phone } : user;
  if (testCode === undefined) await sendCode(context, call, tx, recipient, phone, code, channel);
  const now = nowDate(context);
  const tokenHash = hashCode(phone, code);
  await updateUser(tx.sql, now, user, {
    [slot.token]: tokenHash,
    [slot.sentAt]: now,
    ...(isChange && { phone_change: phone }),
  });
  await storeOneTimeToken(tx.sql, now, user.id, phone, tokenHash, slot.token);
  return testCode === undefined ? '' : 'test-otp';
}
