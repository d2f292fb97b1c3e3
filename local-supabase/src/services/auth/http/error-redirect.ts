import { AuthHttpError, OAuthError } from './errors.ts';
import { addToQuery, setFragment } from './redirect-url.ts';

const names: Readonly<Record<number, string>> = {
  400: 'invalid_request',
  401: 'unauthorized_client',
  403: 'access_denied',
  500: 'server_error',
  503: 'temporarily_unavailable',
};
const deniedCodes = new Set(['signup_disabled', 'user_banned', 'provider_email_needs_verification']);

/** The redirect URL of a failed mail link: the error is in the fragment, and for PKCE flows in the query too. */
export function redirectWithError(error: AuthHttpError, target: string, isPkce: boolean): string {
  const name = names[error.status];
  const params = {
    ...(name !== undefined && { error: name }),
    error_code: error.code,
    error_description: error.message,
  };
  return setFragment(isPkce ? addToQuery(target, params) : target, { ...params, sb: '' });
}

/** The parameters that tell the page why a provider's flow failed. */
export function flowErrorParams(error: unknown): Record<string, string> {
  if (error instanceof AuthHttpError) {
    const name = deniedCodes.has(error.code) ? 'access_denied' : (names[error.status] ?? 'server_error');
    return { error: name, error_description: error.message, error_code: error.code };
  }
  if (error instanceof OAuthError) return { error: error.error, error_description: error.message };
  return { error: 'server_error', error_description: error instanceof Error ? error.message : String(error) };
}

/** The redirect URL of a failed provider flow, with the error in query and fragment. */
export function redirectWithFlowError(error: unknown, target: string): string {
  const params = flowErrorParams(error);
  return setFragment(addToQuery(target, params), { ...params, sb: '' });
}
