import type { JWTPayload } from 'jose';
import type { AuthClient } from '../auth-client.ts';
import { AuthError } from '../errors.ts';
import type { CallOptions } from '../wire/request.ts';
import { type ClaimsOptions, verifyGivenOrOwn } from './verify-token.ts';

export type { ClaimsOptions } from './verify-token.ts';
export { KEY_SET_MAX_AGE_MS } from './key-set.ts';

declare const verified: unique symbol;
/** Claims whose signature, lifetime and audience were verified, here or by the server. */
export type VerifiedClaims = JWTPayload & {
  /** The user's id. */
  readonly sub: string;
} & {
  /** Type-level mark: only verification makes these claims. */
  readonly [verified]: true;
};

/** Verification of access tokens. */
export interface Claims {
  /**
   * Returns the verified claims of an access token. The server verifies symmetric tokens (HS256), tokens of a key that is newer than
   * the cached key set, and all where the runtime has no Web Crypto, as React Native.
   *
   * A token that expired more than 5 s ago is refused. A server client (`autoRefresh: false`) judges by its own clock; any other
   * client corrects the clock of its device by the last response that it received.
   *
   * @param request default `accessToken`: the session's own, which is refreshed if it has expired.
   * @returns null if no token was given and no user is signed in.
   * @throws {AuthError} `invalid-argument`, `token-expired`, `invalid-signature`, `invalid-token`, `unsupported-runtime`; or as the request for the
   * keys or the user fails.
   */
  getClaims(
    request?: { readonly accessToken?: string | undefined },
    options?: CallOptions,
  ): Promise<VerifiedClaims | null>;
}

/**
 * Adds local verification of access tokens (RFC 7519, RFC 8725) to a client. The project's keys are fetched when they are
 * first needed, and shared by all clients of this realm for 10 minutes.
 *
 * @example
 * ```ts
 * import { createClaims } from 'supabase-protocol-clients/auth-client/claims';
 *
 * const { getClaims } = createClaims(auth);
 * const claims = await getClaims();
 * console.log(claims?.sub, claims?.['aal']);
 * ```
 */
export function createClaims(auth: AuthClient, options: ClaimsOptions = {}): Claims {
  return {
    async getClaims(request = {}, call = {}) {
      // A misspelled option would verify the session's token instead of the given one.
      if (Object(request) !== request || Object.keys(request).some((name) => name !== 'accessToken'))
        throw new AuthError('invalid-argument', 'getClaims takes { accessToken } and nothing else');
      const verified = await verifyGivenOrOwn(auth, request.accessToken, options, call);
      return verified && (verified.claims as VerifiedClaims);
    },
  };
}
