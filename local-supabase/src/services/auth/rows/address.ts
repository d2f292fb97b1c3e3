import { utf8Length } from '../../../platform/bytes.ts';
import type { AuthContext } from '../context.ts';
import { invalid } from '../http/errors.ts';

const label = '[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?';
const emailPattern = new RegExp(`^[a-zA-Z0-9.!#$%&'*+/=?^_\`{|}~-]+@${label}(?:\\.${label})*$`);

/** Checks an email address and returns it in lower case. Throws 400 validation_failed. */
export function parseEmail(email: string): string {
  if (email === '') throw invalid('An email address is required');
  if (utf8Length(email) > 255) throw invalid('An email address is too long');
  if (!emailPattern.test(email)) throw invalid('Unable to validate email address: invalid format');
  return email.toLowerCase();
}

/** Strips the plus sign and spaces. */
export const formatPhone = (phone: string): string => phone.replace(/^\+/, '').replaceAll(' ', '');

/** Checks a phone number (E.164) and returns its digits. Throws 400 validation_failed. */
export function parsePhone(phone: string): string {
  const digits = formatPhone(phone);
  if (!/^[1-9]\d{1,14}$/.test(digits)) throw invalid('Invalid phone number format (E.164 required)');
  return digits;
}

/** Checks the channel of a text message; with a hook, every channel is valid. Throws 400 validation_failed. */
export function checkChannel({ hooks }: AuthContext, channel: string): void {
  if (channel !== 'sms' && !hooks.has('send_sms'))
    throw invalid(
      "Invalid channel, supported values are 'sms' or 'whatsapp'. 'whatsapp' is only supported if Twilio or Twilio Verify is used as the provider.",
    );
}
