import type { AuthClient } from '../auth-client.ts';
import { captcha, token } from '../wire/endpoints.ts';
import { AuthError } from '../errors.ts';
import type { CallOptions } from '../wire/request.ts';
import { parseSession } from '../wire/responses.ts';
import type { Session } from '../session/session.ts';

/** What a provider's own library obtained. */
export interface IdTokenCredentials {
  /** `google`, `apple`, `azure`, `facebook`, `kakao`, or the issuer's name in the project. */
  readonly provider: string;
  /** The OpenID Connect ID token. */
  readonly token: string;
  /** The provider's access token, where the ID token holds an `at_hash`. */
  readonly accessToken?: string | undefined;
  /** The nonce itself; the ID token holds its SHA-256 in hexadecimal. */
  readonly nonce?: string | undefined;
  readonly captchaToken?: string | undefined;
}

/**
 * Signs in with a token that a provider's own library obtained.
 *
 * @throws {AuthError} mostly `oauth-error`.
 * @example
 * ```ts
 * import { signInWithIdToken } from 'supabase-protocol-clients/auth-client/id-token';
 *
 * declare const google: { credential: string; nonce: string };
 *
 * await signInWithIdToken(auth, { provider: 'google', token: google.credential, nonce: google.nonce });
 * ```
 */
export async function signInWithIdToken(
  { core }: AuthClient,
  { provider, token: idToken, accessToken, nonce, captchaToken }: IdTokenCredentials,
  options?: CallOptions,
): Promise<Session> {
  if (!provider || !idToken)
    throw new AuthError('invalid-argument', 'You must provide a provider and an ID token.');
  const body = { provider, id_token: idToken, access_token: accessToken, nonce, ...captcha(captchaToken) };
  const reply = await core.send(token('id_token', body), parseSession, options);
  return core.keeper.enter({ reply, as: 'SIGNED_IN', reason: 'call' });
}
