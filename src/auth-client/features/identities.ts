import type { AuthClient } from '../auth-client.ts';
import { CallUser } from '../../platform/call-user.ts';
import { encodeUuid, get } from '../wire/endpoints.ts';
import { sendWithFlow, startPkceFlow } from '../callback/pkce-flow.ts';
import type { CallOptions } from '../wire/request.ts';
import { parseConfirmation, type UserIdentity } from '../wire/responses.ts';
import type { OAuthRequest, ProviderRedirect } from '../calls/sign-in.ts';
import { ofPresentUser } from '../calls/present-user.ts';
import { callAsUser } from '../calls/user-call.ts';
import { object, string } from '../../platform/schema.ts';

const parseUrl = object({ url: string });

/** The identities of the signed-in user. */
export interface Identities {
  /** Reads the identities from the auth server. @throws {AuthError} `missing-session`, … */
  getUserIdentities(options?: CallOptions): Promise<readonly UserIdentity[]>;
  /**
   * Returns the URL to navigate to for linking a provider; it returns to `redirectTo` with a code.
   *
   * @throws {AuthError} `missing-session`, `manual_linking_disabled`, …
   */
  linkIdentity(request: OAuthRequest, options?: CallOptions): Promise<ProviderRedirect>;
  /** Removes an identity. @throws {AuthError} `single_identity_not_deletable`, `manual_linking_disabled`, … */
  unlinkIdentity(identity: { readonly identity_id: string }, options?: CallOptions): Promise<void>;
}

/**
 * Adds linking and unlinking of OAuth providers to a client.
 *
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
    async linkIdentity({ provider, redirectTo, scopes, parameters }, given) {
      const options = ofPresentUser(core, given);
      const flow = await startPkceFlow(core, 'redirect');
      const endpoint = get('/user/identities/authorize', {
        ...parameters,
        provider,
        redirect_to: redirectTo,
        scopes,
        skip_http_redirect: 'true',
        ...flow.challenge,
      });
      const { url } = await sendWithFlow(flow, () => callAsUser(core, endpoint, parseUrl, options));
      return { url, flowId: flow.flowId };
    },
    async unlinkIdentity({ identity_id }, { user = new CallUser(), ...given } = {}) {
      const options = { ...given, user };
      const path = `/user/identities/${encodeUuid('identity_id', identity_id)}`;
      await callAsUser(core, { method: 'DELETE', path }, parseConfirmation, options);
      await core.session.replaceUser(await getUser(options));
    },
  };
}
