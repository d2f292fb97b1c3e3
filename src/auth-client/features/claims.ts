import type { JSONWebKeySet, JWTPayload } from 'jose';
import type { AuthClient } from '../auth-client.ts';
import { peekClaims } from '../../platform/base64url.ts';
import { get } from '../wire/endpoints.ts';
import { AuthError, type AuthErrorCode } from '../errors.ts';
import { type CallOptions, DEADLINE_MS } from '../wire/request.ts';
import { parseUser } from '../wire/responses.ts';
import { remainingMs } from '../session/session.ts';
import { listOf, object, text } from '../wire/wire-shape.ts';

/** Specification §9: the key set's cache lasts 10 minutes. */
export const KEY_SET_MAX_AGE_MS = 600_000;
/** A kid that no key has refetches the set, but not more often than this. */
const REFETCH_PAUSE_MS = 30_000;
const ALGORITHMS = ['RS256', 'ES256', 'EdDSA'];
const CLOCK_TOLERANCE_SECONDS = 5;

declare const verified: unique symbol;
/** Claims whose signature, lifetime, issuer and audience were checked, here or by the server. */
export type VerifiedClaims = JWTPayload & { readonly sub: string } & { readonly [verified]: true };

/** What a token must say of its issuer and audience. */
export interface ClaimsOptions {
  /** Default: the auth server's own URL. */
  readonly issuer?: string | undefined;
  /** Default `authenticated`. */
  readonly audience?: string | undefined;
}

/** Verified claims of access tokens. */
export interface Claims {
  /**
   * The claims of an access token, default the session's own. Symmetric tokens (HS256) are asked of the server.
   *
   * @returns null if nobody is signed in and no token was given.
   * @throws {AuthError} `expired-token`, `invalid-signature`, `invalid-token`; or as the requests for keys or the user fail.
   */
  getClaims(
    details?: { readonly token?: string | undefined },
    options?: CallOptions,
  ): Promise<VerifiedClaims | null>;
}

const parseKeySet = object({ keys: listOf(object({ kty: text })) });

/**
 * Local verification of access tokens (RFC 7519, RFC 8725). The keys are fetched when they are first needed.
 * @example
 * ```ts
 * import { createClaims } from 'supabase-protocol-clients/auth-client/claims';
 *
 * const { getClaims } = createClaims(auth);
 * const claims = await getClaims();
 * console.log(claims?.sub, claims?.['aal']);
 * ```
 */
export function createClaims({ core, getAccessToken }: AuthClient, options: ClaimsOptions = {}): Claims {
  const { issuer = core.baseUrl, audience = 'authenticated' } = options;
  const { clock } = core.platform;
  let fetched: { readonly keys: Promise<JSONWebKeySet>; readonly atMs: number } | undefined;

  const ageMs = () => (fetched ? clock.monotonicMs() - fetched.atMs : Infinity);
  /** One request for all who wait; it ends with its own deadline, not with one caller. */
  const fetchKeys = (maxAgeMs: number, call: CallOptions) => core.waitFor(keysOf(maxAgeMs), call);
  const keysOf = (maxAgeMs: number) => {
    if (fetched && ageMs() < maxAgeMs) return fetched.keys;
    const parse = (body: unknown) => parseKeySet(body) as JSONWebKeySet;
    const keys = core.send(get('/.well-known/jwks.json'), parse, { timeoutMs: DEADLINE_MS });
    const entry = { keys, atMs: clock.monotonicMs() };
    fetched = entry;
    keys.catch(() => {
      if (fetched === entry) fetched = undefined;
    });
    return keys;
  };
  /** The server's time as the session tells it: the device's clock may be off. */
  const serverNowMs = () => {
    const held = core.keeper.held();
    const expiresAt = held?.record.expires_at;
    return held && expiresAt ? expiresAt * 1000 - remainingMs(held, core.keeper.moment()) : clock.now();
  };

  const verifyLocally = async (token: string, kid: unknown, call: CallOptions) => {
    const { createLocalJWKSet, jwtVerify } = await import('jose');
    let keySet = await fetchKeys(KEY_SET_MAX_AGE_MS, call);
    if (kid && !keySet.keys.some((key) => key.kid === kid)) keySet = await fetchKeys(REFETCH_PAUSE_MS, call);
    const { payload } = await jwtVerify(token, createLocalJWKSet(keySet), {
      algorithms: ALGORITHMS,
      issuer,
      audience,
      requiredClaims: ['sub', 'exp'],
      clockTolerance: CLOCK_TOLERANCE_SECONDS,
      currentDate: new Date(serverNowMs()),
    });
    return payload as VerifiedClaims;
  };
  const askServer = async (token: string, call: CallOptions) => {
    const { id } = await core.send(get('/user'), parseUser, { ...call, accessToken: token });
    const claims = peekClaims(token);
    if (claims?.['sub'] !== id) throw new Error('The token is of another user');
    return claims as VerifiedClaims;
  };

  return {
    async getClaims({ token } = {}, call = {}) {
      const accessToken = token ?? (await getAccessToken(call));
      if (!accessToken) return null;
      try {
        // Null is no JWT: it throws here, before any key is fetched for it.
        const { alg, kid } = peekClaims(`.${accessToken.split('.')[0]}`) as Record<string, unknown>;
        return await (String(alg).startsWith('HS')
          ? askServer(accessToken, call)
          : verifyLocally(accessToken, kid, call));
      } catch (cause) {
        if (cause instanceof AuthError) throw cause;
        throw new AuthError(codeOf(cause), 'The token failed verification', { cause });
      }
    },
  };
}

/** What jose calls the failures that a caller may want to tell apart. */
function codeOf(problem: unknown): AuthErrorCode {
  const code = String(Object(problem).code);
  return /EXPIRED/.test(code)
    ? 'expired-token'
    : /SIGNATURE/.test(code)
      ? 'invalid-signature'
      : 'invalid-token';
}
