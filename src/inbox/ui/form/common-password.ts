import type { FormProblem } from './use-form.ts';
import { credentialTexts } from './credential-texts.ts';

/** Passwords that are refused even if the estimator fails to load. */
const neverAccepted: ReadonlySet<string> = new Set([
  'password',
  'passwort',
  'password1',
  '12345678',
  '123456789',
  'qwertyuiop',
  'qwertzuiop',
  'iloveyou',
]);

/** Strengths below it are refused. */
const minStrength = 2;

/**
 * Refuses a new password that is common or easy to guess, before it is sent.
 *
 * @param own texts that a guesser knows, such as the email address.
 * @returns the problem of the field `password`; undefined if the password is acceptable.
 */
export async function refuseCommonPassword(
  password: string,
  own: readonly string[],
): Promise<FormProblem<'password'> | undefined> {
  const strength = await import('../password-strength/password-strength.ts').then(
    ({ estimateStrength }) => estimateStrength(password, own),
    () => minStrength,
  );
  if (strength >= minStrength && !neverAccepted.has(password.toLowerCase())) return undefined;
  const { passwordTooCommon } = await credentialTexts.load();
  return { fields: { password: passwordTooCommon } };
}
