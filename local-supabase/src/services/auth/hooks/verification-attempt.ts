import type { AuthContext } from '../context.ts';
import type { Call } from '../http/call.ts';
import { badRequest, forbidden } from '../http/errors.ts';
import type { Factor } from '../rows/factor.ts';
import { deleteSessions } from '../rows/session.ts';
import { invokeHook, isHookEnabled, readResponseFlag, readResponseText } from './invoke-hook.ts';

const defaultMessage = (what: string): string => `Further ${what} verification attempts will be rejected.`;

/** Reports a password attempt of `userId` to the project's hook. Throws 400 invalid_credentials when the hook rejects it. */
export async function checkPasswordAttempt(
  context: AuthContext,
  call: Call,
  userId: string,
  isValid: boolean,
): Promise<void> {
  if (!isHookEnabled(context, 'password_verification_attempt')) return;
  const payload = { user_id: userId, valid: isValid };
  const response = await invokeHook(context, call, 'password_verification_attempt', payload);
  const [decision, message] = [readResponseText(response, 'decision'), readResponseText(response, 'message')];
  const signsOut = readResponseFlag(response, 'should_logout_user');
  if (decision !== 'reject') return;
  if (signsOut) await deleteSessions(context.database, { userId });
  throw badRequest('invalid_credentials', message || defaultMessage('password'));
}

/**
 * Reports a factor attempt to the project's hook. When the hook rejects it, ends the user's sessions and throws 403
 * mfa_verification_rejected.
 */
export async function checkFactorAttempt(
  context: AuthContext,
  call: Call,
  userId: string,
  factor: Factor,
  isValid: boolean,
): Promise<void> {
  if (!isHookEnabled(context, 'mfa_verification_attempt')) return;
  const payload = { user_id: userId, factor_id: factor.id, factor_type: factor.factor_type, valid: isValid };
  const response = await invokeHook(context, call, 'mfa_verification_attempt', payload);
  const [decision, message] = [readResponseText(response, 'decision'), readResponseText(response, 'message')];
  if (decision !== 'reject') return;
  await deleteSessions(context.database, { userId });
  throw forbidden('mfa_verification_rejected', message || defaultMessage('MFA'));
}
