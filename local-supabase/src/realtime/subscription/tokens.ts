import type { Claims, TokenKeys } from '../../keys/keys.ts';
import { inspectTerm, isRecord } from './term.ts';

/** The claims that a channel needs. */
export interface ChannelClaims extends Claims {
  readonly role: string;
  readonly exp: number;
}

export interface TokenRefusal {
  readonly ok: false;
  /** The reason of a refused join. */
  readonly reason: string;
  /** The message with which a handshake is refused. */
  readonly message: string;
  /** The message of the channel that a token shuts down; most often `message`. */
  readonly shutdown: string;
}

export type TokenCheck = { readonly ok: true; readonly claims: ChannelClaims } | TokenRefusal;

/** Verifies a token as the real server does, with the same messages. */
export type CheckToken = (token: string) => Promise<TokenCheck>;

/** The real server checks `exp` by its own rule; `nbf` and `iat` may lie in the future, and a legacy token has any `kid`. */
const LENIENT = { leewaySeconds: Number.MAX_SAFE_INTEGER, ignoresLegacyKid: true, requiresKid: true };

/** Accepts JWTs, and API keys of the newer form as the project's legacy tokens. Checks in the order of the real server. */
export function createTokenCheck(keys: TokenKeys, now: () => number): CheckToken {
  return async (given) => {
    const token = legacyToken(keys, given);
    const claims = partOf(token, 1);
    if (claims === undefined) return malformed;
    if (!isRecord(claims)) return unknown(':expected_claims_map');
    const header = partOf(token, 0);
    if (!isRecord(header)) return unknown(':expected_header_map');
    const known = new Set((await keys.jwks()).keys.map(({ kid }) => kid));
    const refusal = signerRefusal(header, known);
    if (refusal) return refusal;
    const verified = await keys.verify(token, LENIENT);
    if (!verified.ok && verified.reason === 'signature') return wrongSignature;
    if (!verified.ok && verified.reason === 'expired') {
      return expired(Math.max(0, secondsSince(Number(claims['exp']), now())));
    }
    const wrong = ['exp', 'iat'].find((name) => name in claims && typeof claims[name] !== 'number');
    if (wrong !== undefined) return unknown(`[message: "Invalid token", claim: ${inspectTerm(wrong)}]`);
    if (typeof claims['exp'] === 'number') {
      const age = secondsSince(Math.round(claims['exp']), now());
      if (age >= 0) return expired(age);
    }
    return verified.ok && hasRequiredClaims(verified.claims)
      ? { ok: true, claims: verified.claims }
      : missingClaims;
  };
}

/** The header or the claims, unverified; undefined where the token cannot be read. */
function partOf(token: string, index: 0 | 1): unknown {
  const parts = token.split('.');
  if (parts.length !== 3) return undefined;
  try {
    return JSON.parse(Buffer.from(parts[index] ?? '', 'base64url').toString()) as unknown;
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

const secondsSince = (exp: number, nowMs: number): number => Math.floor(nowMs / 1000) - exp;

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
  shutdown: message,
});

const expired = (seconds: number): TokenRefusal => refusal('InvalidJWTToken', expiredMessage(seconds));

/** A refusal of which the real server has no words: it prints its own term. */
const unknown = (term: string): TokenRefusal => ({
  ok: false,
  reason: 'Unknown Error on Channel',
  message: 'Error connecting to Realtime',
  shutdown: term,
});

const wrongSignature: TokenRefusal = {
  ...refusal('JwtSignatureError', 'Failed to validate JWT signature'),
  shutdown: ':signature_error',
};
const missingClaims = refusal('InvalidJWTToken', 'Fields `role` and `exp` are required in JWT');
const malformed = refusal('MalformedJWT', 'The token provided is not a valid JWT');

const hasRequiredClaims = (claims: Claims): claims is ChannelClaims =>
  typeof claims.role === 'string' && typeof claims.exp === 'number';
