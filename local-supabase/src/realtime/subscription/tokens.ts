import type { Claims, TokenKeys } from '../../keys/keys.ts';

/** The claims that a channel needs. */
export interface ChannelClaims extends Claims {
  readonly role: string;
  readonly exp: number;
}

export interface TokenRefusal {
  readonly ok: false;
  /** The first word of a refused join's reason. */
  readonly code: 'InvalidJWTToken' | 'MalformedJWT' | 'JwtSignatureError';
  readonly message: string;
}

export type TokenCheck = { readonly ok: true; readonly claims: ChannelClaims } | TokenRefusal;

/** Verifies a token as the real server does, with the same messages. */
export type CheckToken = (token: string) => Promise<TokenCheck>;

/** The real server checks `exp` by its own rule; `nbf` and `iat` may lie in the future, and a legacy token has any `kid`. */
const LENIENT = { leewaySeconds: Number.MAX_SAFE_INTEGER, ignoresLegacyKid: true };

/** Accepts JWTs, and API keys of the newer form as the project's legacy tokens. */
export function createTokenCheck(keys: TokenKeys, now: () => number): CheckToken {
  return async (token) => {
    const verified = await keys.verify(legacyToken(keys, token), LENIENT);
    if (!verified.ok && verified.reason === 'signature') return refusals.signature;
    if (!verified.ok && verified.reason === 'expired') {
      return expired(Math.max(0, secondsSince(unverifiedClaims(token)?.exp, now())));
    }
    if (!verified.ok) return verified.reason === 'claims' ? refusals.claims : refusals.malformed;
    const age = secondsSince(verified.claims.exp, now());
    if (age >= 0) return expired(age);
    return hasRequiredClaims(verified.claims) ? { ok: true, claims: verified.claims } : refusals.claims;
  };
}

const secondsSince = (exp: number | undefined, nowMs: number): number =>
  Math.floor(nowMs / 1000) - (exp ?? Infinity);

/** The JWT that an API key of the newer form represents; any other text unchanged. */
export function legacyToken(keys: TokenKeys, token: string): string {
  if (token === keys.publishableKey) return keys.anonKey;
  if (token === keys.secretKey) return keys.serviceRoleKey;
  return token;
}

export const expiredMessage = (seconds: number): string => `Token has expired ${seconds} seconds ago`;

const expired = (seconds: number): TokenCheck => ({
  ok: false,
  code: 'InvalidJWTToken',
  message: expiredMessage(seconds),
});

const refusals = {
  signature: { ok: false, code: 'JwtSignatureError', message: 'Failed to validate JWT signature' },
  claims: { ok: false, code: 'InvalidJWTToken', message: 'Fields `role` and `exp` are required in JWT' },
  malformed: { ok: false, code: 'MalformedJWT', message: 'The token provided is not a valid JWT' },
} as const satisfies Record<string, TokenCheck>;

const hasRequiredClaims = (claims: Claims): claims is ChannelClaims =>
  typeof claims.role === 'string' && typeof claims.exp === 'number';

/** Used only to report how long ago a token expired. */
function unverifiedClaims(token: string): Claims | null {
  try {
    const [, payload = ''] = token.split('.');
    return JSON.parse(Buffer.from(payload, 'base64url').toString()) as Claims;
  } catch {
    return null;
  }
}
