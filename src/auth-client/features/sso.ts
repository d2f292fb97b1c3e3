import type { AuthClient } from '../auth-client.ts';
import { sendWithFlow, startPkceFlow } from '../callback/pkce-flow.ts';
import { AuthError } from '../errors.ts';
import type { ProviderRedirect } from '../calls/sign-in.ts';
import { captcha, post } from '../wire/endpoints.ts';
import type { CallOptions } from '../wire/request.ts';
import { object, string } from '../../platform/schema.ts';

const parseUrl = object({ url: string });

/** An organization's identity provider, by its id or by a domain of email addresses. */
export type SsoRequest = (
  | {
      /** Id of the provider (a UUID). */
      readonly providerId: string;
    }
  | {
      /** Domain of the company's email addresses. */
      readonly domain: string;
    }
) & {
  /** The URL to return to. Default: the project's site URL. */
  readonly redirectTo?: string | undefined;
  /** The token of the captcha widget, where the project requires one. */
  readonly captchaToken?: string | undefined;
};

/** Sign-in through an organization's identity provider. */
export interface Sso {
  /**
   * Returns the URL of the organization's sign-in page (SAML 2.0), to navigate to.
   *
   * @throws {AuthError} `sso_provider_not_found`, `saml_provider_disabled`, `invalid-argument`, …
   */
  signInWithSso(request: SsoRequest, options?: CallOptions): Promise<ProviderRedirect>;
}

/**
 * Adds sign-in through an organization's identity provider to a client.
 *
 * @example
 * ```ts
 * import { createSso } from 'supabase-protocol-clients/auth-client/external-sign-in';
 *
 * const signInPage = await createSso(auth).signInWithSso({ domain: 'example.com' });
 * location.assign(signInPage.url);
 * ```
 */
export function createSso({ core }: AuthClient): Sso {
  return {
    async signInWithSso({ redirectTo, captchaToken, ...by }, options) {
      const provider = 'providerId' in by ? { provider_id: by.providerId } : { domain: by.domain };
      if (!provider.provider_id && !provider.domain)
        throw new AuthError('invalid-argument', 'You must provide either a provider id or a domain.');
      const flow = await startPkceFlow(core, 'redirect');
      const body = {
        ...provider,
        redirect_to: redirectTo,
        skip_http_redirect: true,
        ...captcha(captchaToken),
        ...flow.challenge,
      };
      const { url } = await sendWithFlow(flow, () => core.send(post('/sso', body), parseUrl, options));
      return { url, flowId: flow.flowId };
    },
  };
}
