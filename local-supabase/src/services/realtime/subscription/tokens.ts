import { decodeBase64 } from '../../../platform/base64.ts';
import { decodeUtf8 } from '../../../platform/bytes.ts';
import type { Claims, TokenKeys } from '../../../keys/keys.ts';
import { accessError, inspectTerm, isRecord } from './term.ts';

export interface ChannelClaims extends Omit<Claims, 'role'> {
  /** Any JSON value; only a text can name a role. */
  readonly role: unknown;
  readonly exp: number;
}

export interface TokenRefusal {
  readonly ok: false;
  /** The reason of a refused join. */
  readonly reason: string;
  /** The message of a refused handshake; `status` is its HTTP status. */
  readonly message: string;
  readonly status: 401 | 500;
  /** The message of the channel that the token shuts down; usually equals `message`. */
  readonly shutdown: string;
}

export type TokenCheck = { readonly ok: true; readonly claims: ChannelClaims } | TokenRefusal;

/** Verifies a token as the real server does, with the same messages. */
export type CheckToken = (token: string) => Promise<TokenCheck>;

/** The real server has its own check of `exp`; `nbf` and `iat` may lie in the future, and a legacy token may have any `kid`. */
const LENIENT = { leewaySeconds: Number.MAX_SAFE_INTEGER, ignoresLegacyKid: true, requiresKid: true };

/** Accepts JWTs, and API keys of the newer form as the project's legacy tokens. The order of checks is the real server's. */
export function createTokenCheck(keys: TokenKeys, now: () => number): CheckToken {
  return async (given) => {
    const token = cleanToken(legacyToken(keys, given));
    const claims = partOf(token, 1);
    if (claims === undefined) return malformed;
    if (!isRecord(claims))
      // The real server logs the refusal with the token's claims, and fails as it reads them.
      return {
        ...unknown(':expected_claims_map'),
        reason: `UnknownErrorOnChannel: ${accessError(claims, 'sub')}`,
      };
    const header = partOf(token, 0);
    if (!isRecord(header)) return unknown(':expected_header_map');
    const known = new Set((await keys.jwks()).keys.map(({ kid }) => kid));
    const refusal = signerRefusal(header, known);
    if (refusal) return refusal;
    const verified = await keys.verify(token, LENIENT);
    if (!verified.ok && verified.reason === 'signature') return wrongSignature;
    const invalid = claimRefusal(claims, Math.floor(now() / 1000));
    if (invalid) return invalid;
    return verified.ok && 'role' in claims && 'exp' in claims
      ? { ok: true, claims: verified.claims as ChannelClaims }
      : missingClaims;
  };
}

/** As the real server does, decodes percent-encoding and removes white space. */
function cleanToken(token: string): string {
  try {
    return decodeURIComponent(token).replaceAll(/\s/g, '');
  } catch {
    return token;
  }
}

/** Returns the refusal of an expired or invalid time, or null. Only an integer `exp` is reported as expired. */
function claimRefusal(claims: Readonly<Record<string, unknown>>, nowSeconds: number): TokenRefusal | null {
  const term = (message: string, claim: string) =>
    `[message: ${message}, claim: "${claim}", claim_val: ${claims[claim] === null ? ':null' : inspectTerm(claims[claim])}]`;
  const { exp, iat } = claims;
  if ('exp' in claims && !(typeof exp === 'number' && exp > nowSeconds)) {
    return Number.isInteger(exp)
      ? expired(nowSeconds - Number(exp))
      : unknown(term(String(nowSeconds), 'exp'));
  }
  return 'iat' in claims && typeof iat !== 'number' ? unknown(term('"Invalid token"', 'iat')) : null;
}

/** Decodes the header or the claims without verification; undefined if the token is unreadable. */
function partOf(token: string, index: 0 | 1): unknown {
  const parts = token.split('.');
  if (parts.length !== 3) return undefined;
  try {
    return JSON.parse(decodeUtf8(decodeBase64(parts[index] ?? ''))) as unknown;
  } catch {
    return undefined;
  }
}

const SECRET_ALGORITHMS = /^HS(256|384|512)$/;
const KEY_ALGORITHMS = /^(?:[RE]S(?:256|384|512)|Ed25519|Ed448|EdDSA)$/;

function signerRefusal(
  { alg, kid }: Readonly<Record<string, unknown>>,
  known: ReadonlySet<string | undefined>,
): TokenRefusal | null {
  const check = 'check your JWT secret or JWKS configuration';
  if (SECRET_ALGORITHMS.test(String(alg))) return null;
  const isNamed = KEY_ALGORITHMS.test(String(alg)) && typeof kid === 'string';
  if (!isNamed) {
    const message = `Failed to generate JWT signer, ${check}`;
    return { ...refusal('JwtSignerError', message), shutdown: ':error_generating_signer' };
  }
  if (known.has(kid)) return null;
  return refusal(
    'JwtSignerError',
    `Failed to generate JWT signer for key ID (kid) ${inspectTerm(kid)}, ${check}`,
  );
}

/** The JWT that an API key of the newer form represents; any other text unchanged. */
export function legacyToken(keys: TokenKeys, token: string): string {
  if (token === keys.publishableKey) return keys.anonKey;
  if (token === keys.secretKey) return keys.serviceRoleKey;
  return token;
}

export const expiredMessage = (seconds: number): string => `Token has expired ${seconds} seconds ago`;

const refusal = (code: string, message: string): TokenRefusal => ({
  ok: false,
  reason: `${code}: ${message}`,
  message,
  status: 401,
  shutdown: message,
});

const expired = (seconds: number): TokenRefusal => refusal('InvalidJWTToken', expiredMessage(seconds));

/** A refusal for which the real server has no message: it prints its internal term. */
const unknown = (term: string): TokenRefusal => ({
  ok: false,
  reason: 'Unknown Error on Channel',
  message: 'Error connecting to Realtime',
  status: 500,
  shutdown: term,
});

const wrongSignature: TokenRefusal = {
  ...refusal('JwtSignatureError', 'Failed to validate JWT signature'),
  shutdown: ':signature_error',
};
const missingClaims = refusal('InvalidJWTToken', 'Fields `role` and `exp` are required in JWT');
const malformed = refusal('MalformedJWT', 'The token provided is not a valid JWT');
