import type { AuthClient } from '../auth-client.ts';
import { callAsUser } from '../calls/user-call.ts';
import { AuthError } from '../errors.ts';
import type { Session } from '../session/session.ts';
import { captcha, token } from '../wire/endpoints.ts';
import type { CallOptions } from '../wire/request.ts';
import { parseTokenResponse } from '../wire/responses.ts';

/** Credentials from a provider's own library. */
export interface IdTokenCredentials {
  /** `google`, `apple`, `azure`, `facebook`, `kakao`, or the issuer's name in the project. */
  readonly provider: string;
  /** The OpenID Connect ID token. */
  readonly token: string;
  /** The provider's access token, where the ID token has an `at_hash`. */
  readonly accessToken?: string | undefined;
  /** The nonce itself; the ID token has its SHA-256 in hexadecimal. */
  readonly nonce?: string | undefined;
  /** The token of the captcha widget, where the project requires one. */
  readonly captchaToken?: string | undefined;
}

/** Sign-in and linking by ID tokens. */
export interface IdToken {
  /** Signs in with an ID token. @throws {AuthError} `invalid-argument`, mostly `oauth-error` */
  signInWithIdToken(credentials: IdTokenCredentials, options?: CallOptions): Promise<Session>;
  /**
   * Links the provider's identity to the signed-in user.
   *
   * @throws {AuthError} `missing-session`, `manual_linking_disabled`, `identity_already_exists`, `oauth-error`, …
   */
  linkIdentityWithIdToken(credentials: IdTokenCredentials, options?: CallOptions): Promise<Session>;
}

/**
 * Adds sign-in by ID tokens to a client, for providers whose own library shows the dialog.
 *
 * @example
 * ```ts
 * import { createIdToken } from 'supabase-protocol-clients/auth-client/external-sign-in';
 *
 * declare const google: { credential: string; nonce: string };
 *
 * const idToken = createIdToken(auth);
 * await idToken.signInWithIdToken({ provider: 'google', token: google.credential, nonce: google.nonce });
 * ```
 */
export function createIdToken({ core }: AuthClient): IdToken {
  return {
    async signInWithIdToken(credentials, options) {
      const endpoint = token('id_token', toBody(credentials));
      const response = await core.send(endpoint, parseTokenResponse, options);
      return core.session.signIn({ response, name: 'SIGNED_IN', reason: 'call' });
    },
    async linkIdentityWithIdToken(credentials, options) {
      const endpoint = token('id_token', { ...toBody(credentials), link_identity: true });
      const response = await callAsUser(core, endpoint, parseTokenResponse, options);
      return core.session.signIn({ response, name: 'SIGNED_IN', reason: 'call' });
    },
  };
}

function toBody({ provider, token: idToken, accessToken, nonce, captchaToken }: IdTokenCredentials): object {
  if (!provider || !idToken)
    throw new AuthError('invalid-argument', 'You must provide a provider and an ID token.');
  return { provider, id_token: idToken, access_token: accessToken, nonce, ...captcha(captchaToken) };
}
