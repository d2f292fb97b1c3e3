import type { AuthClient } from '../auth-client.ts';
import { get } from '../wire/endpoints.ts';
import { beginFlow } from '../callback/pkce-flow.ts';
import type { CallOptions } from '../wire/request.ts';
import type { UserIdentity } from '../wire/responses.ts';
import type { OAuthRequest } from '../calls/sign-in.ts';
import { callAsUser } from '../calls/user-call.ts';
import { object, text } from '../wire/wire-shape.ts';

const parseUrl = object({ url: text });

/** The identities of the user who is signed in. Every method throws `AuthError`. */
export interface Identities {
  /** Asked of the server. */
  getUserIdentities(options?: CallOptions): Promise<readonly UserIdentity[]>;
  /** The URL to navigate to; the provider returns to `redirectTo` with a code. */
  linkIdentity(request: OAuthRequest, options?: CallOptions): Promise<{ readonly url: string }>;
  /** @throws {AuthError} `single_identity_not_deletable`, `manual_linking_disabled`, … */
  unlinkIdentity(identity: { readonly identity_id: string }, options?: CallOptions): Promise<void>;
}

/**
 * The providers that a user can sign in with.
 * @example
 * ```ts
 * import { createIdentities } from 'supabase-protocol-clients/auth-client/identities';
 *
 * const identities = createIdentities(auth);
 * const { url: providerUrl } = await identities.linkIdentity({
 *   provider: 'github',
 *   redirectTo: 'https://app.example.com/account',
 * });
 * location.assign(providerUrl);
 * ```
 */
export function createIdentities({ core, getUser }: AuthClient): Identities {
  return {
    getUserIdentities: async (options) => (await getUser(options)).identities ?? [],
    async linkIdentity({ provider, redirectTo, scopes, parameters }, options) {
      const endpoint = get('/user/identities/authorize', {
        ...parameters,
        provider,
        redirect_to: redirectTo,
        scopes,
        skip_http_redirect: 'true',
        ...(await beginFlow(core)),
      });
      const { url } = await callAsUser(core, endpoint, parseUrl, options);
      return { url };
    },
    async unlinkIdentity({ identity_id }, options) {
      const path = `/user/identities/${encodeURIComponent(identity_id)}`;
      await callAsUser(core, { method: 'DELETE', path }, () => undefined, options);
      await core.keeper.replaceUser(await getUser(options));
    },
  };
}
