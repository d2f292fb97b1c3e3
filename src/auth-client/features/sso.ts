import type { AuthClient } from '../auth-client.ts';
import { captcha, post } from '../wire/endpoints.ts';
import { AuthError } from '../errors.ts';
import { beginFlow } from '../callback/pkce-flow.ts';
import type { CallOptions } from '../wire/request.ts';
import { object, text } from '../wire/wire-shape.ts';

const parseUrl = object({ url: text });

/** By the provider's id, or by a domain of e-mail addresses. */
export type SsoRequest = ({ readonly providerId: string } | { readonly domain: string }) & {
  readonly redirectTo?: string | undefined;
  readonly captchaToken?: string | undefined;
};

/**
 * The URL of the organisation's sign-in page (SAML 2.0), to navigate to.
 *
 * @throws {AuthError} `sso_provider_not_found`, `saml_provider_disabled`, …
 * @example
 * ```ts
 * import { signInWithSso } from 'supabase-protocol-clients/auth-client/sso';
 *
 * const signInPage = await signInWithSso(auth, { domain: 'example.com' });
 * location.assign(signInPage.url);
 * ```
 */
export async function signInWithSso(
  { core }: AuthClient,
  { redirectTo, captchaToken, ...by }: SsoRequest,
  options?: CallOptions,
): Promise<{ readonly url: string }> {
  const which = 'providerId' in by ? { provider_id: by.providerId } : { domain: by.domain };
  if (!which.provider_id && !which.domain)
    throw new AuthError('invalid-argument', 'You must provide either a provider id or a domain.');
  const body = {
    ...which,
    redirect_to: redirectTo,
    skip_http_redirect: true,
    ...captcha(captchaToken),
    ...(await beginFlow(core)),
  };
  const { url } = await core.send(post('/sso', body), parseUrl, options);
  return { url };
}
