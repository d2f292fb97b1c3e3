import { exportJWK, generateKeyPair, importJWK, SignJWT, type JWK } from 'jose';

const algorithms = ['ES256', 'RS256'] as const;

/**
 * Creates a private key for `auth.signing_keys_path`.
 *
 * @throws {TypeError} for another algorithm than ES256 and RS256.
 */
export async function createSigningKey(name: string): Promise<JWK> {
  const alg = algorithms.find((each) => each === name);
  if (alg === undefined) throw new TypeError(`--algorithm must be ${algorithms.join(' or ')}, not "${name}"`);
  const { privateKey } = await generateKeyPair(alg, { extractable: true });
  const kid = crypto.randomUUID();
  return { ...(await exportJWK(privateKey)), kid, use: 'sig', key_ops: ['sign', 'verify'], alg, ext: true };
}

export interface TokenOptions {
  readonly role: string | undefined;
  readonly sub?: string | undefined;
  /** When it expires, as RFC 3339. Default: after `validFor`. */
  readonly exp?: string | undefined;
  /** A duration such as `30m`. */
  readonly validFor: string;
  /** Further claims as JSON. */
  readonly payload: string;
}

const UNIT_SECONDS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600 };

/**
 * Creates a token for a role, as the vendor's CLI does.
 *
 * @param key a private key, or the legacy secret.
 * @throws {TypeError} without a role, and for a malformed option.
 */
export async function createBearerToken(
  { role, sub, exp, validFor, payload }: TokenOptions,
  key: JWK | string,
  nowMs: number,
): Promise<string> {
  if (role === undefined) throw new TypeError('Expected: gen bearer-jwt --role ROLE');
  const seconds = secondsOf(validFor);
  const expiresAt = exp === undefined ? Math.floor(nowMs / 1000) + seconds : Date.parse(exp) / 1000;
  if (!Number.isFinite(expiresAt))
    throw new TypeError(`--exp must be a time such as 2030-01-01T00:00:00Z, not "${exp}"`);
  const isAnonymous = role === 'authenticated' && sub === undefined;
  const claims = {
    ...(sub !== undefined && { sub }),
    role,
    ...(isAnonymous && { is_anonymous: true }),
    iat: expiresAt - seconds,
    exp: expiresAt,
    ...parseClaims(payload),
  };
  const token = new SignJWT(claims);
  if (typeof key === 'string')
    return token.setProtectedHeader({ alg: 'HS256', typ: 'JWT' }).sign(new TextEncoder().encode(key));
  // The web's cryptography imports a private key for signing only.
  const { key_ops: _, ...signer } = key;
  const { alg = '', kid = '' } = signer;
  return token.setProtectedHeader({ alg, kid, typ: 'JWT' }).sign(await importJWK(signer, alg));
}

/** A duration as Go writes it, such as `1h30m`. */
function secondsOf(text: string): number {
  const parts = [...text.matchAll(/(\d+)([smh])/g)];
  if (parts.length === 0 || parts.map(([part]) => part).join('') !== text)
    throw new TypeError(`--valid-for must be a duration such as 30m, not "${text}"`);
  return parts.reduce((sum, [, count, unit = 's']) => sum + Number(count) * (UNIT_SECONDS[unit] ?? 1), 0);
}

function parseClaims(text: string): Readonly<Record<string, unknown>> {
  try {
    const claims: unknown = JSON.parse(text);
    if (typeof claims === 'object' && claims !== null && !Array.isArray(claims))
      return claims as Readonly<Record<string, unknown>>;
  } catch {
    // A text that is not JSON is refused below.
  }
  throw new TypeError('--payload must be a JSON object');
}
