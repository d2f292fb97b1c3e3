import type { JSONWebKeySet, JWTPayload, JWTVerifyOptions, JWTVerifyResult } from 'jose';
import type { AuthClient } from '../auth-client.ts';
import { decodeJwtClaims, decodeJwtHeader } from '../../platform/jwt.ts';
import { AuthError } from '../errors.ts';
import { remainingMs } from '../session/session.ts';
import { get } from '../wire/endpoints.ts';
import type { CallOptions } from '../wire/request.ts';
import { parseUser } from '../wire/responses.ts';
import { getKeySet } from './key-set.ts';

export { KEY_SET_MAX_AGE_MS } from './key-set.ts';

const ALGORITHMS = ['RS256', 'ES256', 'EdDSA'];
const CLOCK_TOLERANCE_SECONDS = 5;

type Verify = (token: string, options: JWTVerifyOptions) => Promise<JWTVerifyResult>;

/** By the fetched key set, whose keys are imported once: to import a key costs as much as to verify a signature. */
const verifiers = new WeakMap<JSONWebKeySet, Verify>();

async function getVerifier(keySet: JSONWebKeySet): Promise<Verify> {
  const known = verifiers.get(keySet);
  if (known) return known;
  const { createLocalJWKSet, jwtVerify } = await import('jose');
  const keys = createLocalJWKSet(keySet);
  const verify: Verify = (token, options) => jwtVerify(token, keys, options);
  verifiers.set(keySet, verify);
  return verify;
}

declare const verified: unique symbol;
/** Claims whose signature, lifetime, issuer and audience were verified, here or by the server. */
export type VerifiedClaims = JWTPayload & {
  /** The user's id. */
  readonly sub: string;
} & {
  /** Type-level mark: only verification makes these claims. */
  readonly [verified]: true;
};

/** The issuer and audience that a token must name. */
export interface ClaimsOptions {
  /** Default: the auth server's own URL. */
  readonly issuer?: string | undefined;
  /** Default `authenticated`. */
  readonly audience?: string | undefined;
}

/** Verification of access tokens. */
export interface Claims {
  /**
   * Returns the verified claims of an access token. The server verifies symmetric tokens (HS256), and all where the runtime has no Web
   * Crypto, as React Native.
   *
   * @param request default `accessToken`: the session's own.
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
export function createClaims({ core, getAccessToken }: AuthClient, options: ClaimsOptions = {}): Claims {
  const { issuer = core.baseUrl, audience = 'authenticated' } = options;

  /** By the session's lifetime where there is one: this device's clock may be wrong. */
  const serverNowMs = () => {
    const active = core.session.current();
    const expiresAt = active?.record.expires_at;
    if (!active || !expiresAt) return core.platform.clock.now();
    return expiresAt * 1000 - remainingMs(active, core.session.readClocks());
  };
  const verifyLocally = async (token: string, kid: unknown, call: CallOptions) => {
    const verify = await getVerifier(await getKeySet(core, kid, call));
    const { payload } = await verify(token, {
      algorithms: ALGORITHMS,
      issuer,
      audience,
      requiredClaims: ['sub', 'exp'],
      clockTolerance: CLOCK_TOLERANCE_SECONDS,
      currentDate: new Date(serverNowMs()),
    });
    return payload as VerifiedClaims;
  };
  const verifyByServer = async (token: string, call: CallOptions) => {
    const { id } = await core.send(get('/user'), parseUser, { ...call, accessToken: token });
    const claims = decodeJwtClaims(token);
    if (claims?.['sub'] !== id) throw invalidToken('The token belongs to another user');
    return claims as VerifiedClaims;
  };

  return {
    async getClaims(request = {}, call = {}) {
      // A misspelled option would verify the session's token in the place of the given one.
      if (Object(request) !== request || Object.keys(request).some((name) => name !== 'accessToken'))
        throw new AuthError('invalid-argument', 'getClaims takes { accessToken } and nothing else');
      const { accessToken: givenToken } = request;
      const accessToken = givenToken ?? (await getAccessToken(call));
      if (!accessToken) return null;
      const header = decodeJwtHeader(accessToken);
      if (!header) throw invalidToken('The token is not a JWT');
      if (String(header['alg']).startsWith('HS') || !hasWebCrypto()) return verifyByServer(accessToken, call);
      try {
        return await verifyLocally(accessToken, header['kid'], call);
      } catch (problem) {
        throw problem instanceof AuthError ? problem : toVerificationError(problem);
      }
    },
  };
}

const hasWebCrypto = () => Boolean((globalThis as { readonly crypto?: Partial<Crypto> }).crypto?.subtle);

function invalidToken(message: string): AuthError {
  return new AuthError('invalid-token', message);
}

/** Errors of jose have a `code` that begins with `ERR_`; any other error means that Web Crypto is missing. */
function toVerificationError(cause: unknown): AuthError {
  const joseCode = String(Object(cause).code);
  switch (joseCode) {
    case 'ERR_JWT_EXPIRED':
      return new AuthError('token-expired', 'The token has expired', { cause });
    case 'ERR_JWS_SIGNATURE_VERIFICATION_FAILED':
      return new AuthError('invalid-signature', 'No key of the project signed the token', { cause });
    default:
      return joseCode.startsWith('ERR_')
        ? new AuthError('invalid-token', 'The token failed verification', { cause })
        : new AuthError('unsupported-runtime', 'Verification needs Web Crypto (crypto.subtle)', { cause });
  }
}
