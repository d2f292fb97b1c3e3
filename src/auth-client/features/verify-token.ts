import type { JSONWebKeySet, JWTPayload, JWTVerifyOptions, JWTVerifyResult } from 'jose';
import { decodeJwtClaims, decodeJwtHeader } from '../../platform/jwt.ts';
import type { AuthClient } from '../auth-client.ts';
import type { AuthCore } from '../core.ts';
import { AuthError } from '../errors.ts';
import { get } from '../wire/endpoints.ts';
import type { CallOptions } from '../wire/request.ts';
import { parseUser } from '../wire/responses.ts';
import { getKeySet, verifyUnknownKey } from './key-set.ts';

/** The issuer and audience that a token must name. */
export interface ClaimsOptions {
  /**
   * The `iss` that a token must have: `https://<ref>.supabase.co/auth/v1`, also behind a custom hostname; of a self-hosted project
   * its `API_EXTERNAL_URL`. Default: any, because the project's keys sign for the project alone.
   */
  readonly issuer?: string | undefined;
  /** Default `authenticated`. */
  readonly audience?: string | undefined;
}

/** A token and its claims. */
export interface VerifiedToken {
  readonly accessToken: string;
  readonly claims: JWTPayload;
}

const DEFAULT_AUDIENCE = 'authenticated';
const ALGORITHMS = ['RS256', 'ES256', 'EdDSA'];
/** The leeway for `exp` and `nbf`, because clocks differ. */
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

/**
 * Verifies the given token, or the session's own, refreshed if it has expired. The stored lifetime proves nothing.
 *
 * @returns null where there is no token.
 * @throws {AuthError} as `verifyToken`, and as the refresh fails.
 */
export async function verifyGivenOrOwn(
  { core, getAccessToken }: AuthClient,
  givenToken: string | undefined,
  options: ClaimsOptions,
  call: CallOptions,
): Promise<VerifiedToken | null> {
  const verify = async (accessToken: string | null) =>
    accessToken ? { accessToken, claims: await verifyToken(core, accessToken, options, call) } : null;
  if (givenToken !== undefined) return verify(givenToken);
  const ownToken = await getAccessToken(call);
  try {
    return await verify(ownToken);
  } catch (problem) {
    if (!ownToken || !(problem instanceof AuthError) || problem.code !== 'token-expired') throw problem;
    const renewed = await getAccessToken({ ...call, rejectedToken: ownToken });
    if (renewed === ownToken) throw problem;
    return verify(renewed);
  }
}

/**
 * Verifies an access token: by the project's key set, or by the server where the token is symmetric, its key unknown, or the
 * runtime without Web Crypto. Checks the lifetime by the server's own clock or by responses that this client received, never
 * by storage.
 *
 * @throws {AuthError} `token-expired`, `invalid-signature`, `invalid-token`, `unsupported-runtime`, or as a request fails.
 */
async function verifyToken(
  core: AuthCore,
  token: string,
  options: ClaimsOptions,
  call: CallOptions,
): Promise<JWTPayload> {
  const header = decodeJwtHeader(token);
  if (!header) throw invalidToken('The token is not a JWT');
  const { alg, kid } = header;
  const verify = () => verifyByServer(core, token, options, call);
  if (String(alg).startsWith('HS') || !hasWebCrypto()) return verify();
  if (!ALGORITHMS.includes(String(alg)))
    throw invalidToken('The token has an algorithm that no project uses');
  const keySet = await getKeySet(core, kid, call);
  if (keySet) return verifyLocally(core, keySet, token, options);
  const verified = await verifyUnknownKey(core, kid, { verify, isRefusal });
  if (!verified) throw invalidToken('No key of the project has the id that the token names');
  return verified;
}

async function verifyLocally(
  { session }: AuthCore,
  keySet: JSONWebKeySet,
  token: string,
  { issuer, audience = DEFAULT_AUDIENCE }: ClaimsOptions,
): Promise<JWTPayload> {
  try {
    const verify = await getVerifier(keySet);
    const { payload } = await verify(token, {
      algorithms: ALGORITHMS,
      ...(issuer !== undefined && { issuer }),
      audience,
      requiredClaims: ['sub', 'exp'],
      clockTolerance: CLOCK_TOLERANCE_SECONDS,
      currentDate: new Date(session.verificationTimeMs()),
    });
    return payload;
  } catch (problem) {
    throw toVerificationError(problem);
  }
}

/**
 * The server checks signature and lifetime by its own clock, and that the session has not ended. It accepts any audience,
 * because a header at sign-up chooses it (GoTrue's `requestAud`).
 */
async function verifyByServer(
  { send }: AuthCore,
  token: string,
  { issuer, audience = DEFAULT_AUDIENCE }: ClaimsOptions,
  call: CallOptions,
): Promise<JWTPayload> {
  const { id } = await send(get('/user'), parseUser, { ...call, accessToken: token });
  const claims: JWTPayload = decodeJwtClaims(token) ?? {};
  if (claims.sub !== id) throw invalidToken('The token belongs to another user');
  if (issuer !== undefined && claims.iss !== issuer) throw invalidToken('The token has another issuer');
  if (![claims.aud].flat().includes(audience)) throw invalidToken('The token has another audience');
  return claims;
}

const hasWebCrypto = () => Boolean((globalThis as { readonly crypto?: Partial<Crypto> }).crypto?.subtle);

/** Whether the token was refused, and not the request: a rate limit or an outage says nothing about a token. */
const isRefusal = (problem: unknown) =>
  problem instanceof AuthError && (problem.status ?? 0) >= 400 && (problem.status ?? 0) < 429;

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
