import { AuthError, type AuthErrorCode } from 'supabase-protocol-clients/auth-client';
import type { FormProblem } from '../../ui/form/use-form.ts';
import { authErrorTexts, sharedMessages, type AuthErrorTexts, type MessageCode } from './auth-error-texts.ts';

/** The field that an error code belongs to; all forms share these names. */
const fieldByCode: { readonly [Code in AuthErrorCode]?: string } = {
  email_exists: 'email',
  user_already_exists: 'email',
  email_address_invalid: 'email',
  email_address_not_authorized: 'email',
  otp_disabled: 'email',
  weak_password: 'password',
  same_password: 'password',
  current_password_invalid: 'currentPassword',
  current_password_required: 'currentPassword',
  otp_expired: 'code',
  reauthentication_not_valid: 'code',
  mfa_verification_failed: 'code',
  mfa_challenge_expired: 'code',
  mfa_ip_address_mismatch: 'code',
  mfa_factor_name_conflict: 'name',
};

/** The code whose message is shown: `unknown` for one of a newer server, or `__proto__` from a URL. */
function messageCode({ messages }: AuthErrorTexts, code: AuthErrorCode): MessageCode {
  const own = Object.hasOwn(sharedMessages, code)
    ? sharedMessages[code as keyof typeof sharedMessages]
    : code;
  return Object.hasOwn(messages, own) ? (own as MessageCode) : 'unknown';
}

/**
 * The message for an error, and the field it belongs to.
 *
 * @param names the fields of the form; a message for another field goes to the form as a whole.
 */
export function describeProblem<Name extends string>(
  problem: unknown,
  texts: AuthErrorTexts,
  names: readonly Name[] = [],
): FormProblem<Name> {
  const given = problem instanceof AuthError ? problem.code : 'unknown';
  const isOutage = given === 'unknown' && problem instanceof AuthError && (problem.status ?? 0) >= 500;
  const code = isOutage ? 'unexpected_failure' : given;
  /** For the button's countdown; the message has no number. */
  const retryAfterSeconds = problem instanceof AuthError ? problem.retryAfterSeconds : null;
  // This text is shown unchanged (conformance/protocol/product.md#errors-of-the-application).
  const isOwn = problem instanceof Error && problem.message === texts.unknownSignupError;
  const shown = messageCode(texts, code);
  const parts = [isOwn ? problem.message : texts.messages[shown]];
  if (code === 'weak_password' && problem instanceof AuthError) {
    for (const reason of problem.weakPasswordReasons) {
      if (Object.hasOwn(texts.weakPassword, reason))
        parts.push(texts.weakPassword[reason as keyof typeof texts.weakPassword]);
    }
  }
  const message = parts.join(' ');
  const fieldName = Object.hasOwn(fieldByCode, code) ? fieldByCode[code] : undefined;
  const field = names.find((name) => name === fieldName);
  return {
    ...(field === undefined
      ? { message }
      : { fields: { [field]: message } as FormProblem<Name>['fields'] & object }),
    ...(retryAfterSeconds === null ? {} : { retryAfterSeconds }),
  };
}

/** Failed mail links and provider callbacks whose message a page has shown, so that no other page repeats it. */
export const shownCallbackErrors = new WeakSet<AuthError>();

/** The message for a code outside of a form. */
export function useAuthErrorText(code: AuthErrorCode | undefined): string | null {
  const texts = authErrorTexts.use();
  return code === undefined ? null : texts.messages[messageCode(texts, code)];
}

/**
 * Runs an action of a form; a failure becomes the text of a field or of the form.
 *
 * @param names the fields of the form.
 */
export async function runFormAction<Name extends string>(
  names: readonly Name[],
  action: () => Promise<unknown>,
): Promise<FormProblem<Name> | undefined> {
  try {
    await action();
    return undefined;
  } catch (problem) {
    return describeProblem(problem, await authErrorTexts.load(), names);
  }
}
