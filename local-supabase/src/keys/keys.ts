import { exportJWK, generateKeyPair, importJWK, compactVerify, SignJWT, decodeProtectedHeader } from 'jose';
import type { CryptoKey, JWK, JWTPayload } from 'jose';

/** The claims of a token, with times in seconds. */
export type Claims = JWTPayload & { role?: string };

export type TokenRejection = 'malformed' | 'expired' | 'signature' | 'claims';

export type Verification =
  | { readonly ok: true; readonly claims: Claims }
  | {
      readonly ok: false;
      readonly reason: TokenRejection;
      /** PostgREST's message. */
      readonly message: string;
      /** The `details` of PostgREST's error. */
      readonly details?: string;
    };

export interface SignOptions {
  /** Default: the algorithm of the first key, which is ES256 unless `signingKeys` differ. HS256 uses the legacy secret. */
  readonly algorithm?: 'ES256' | 'RS256' | 'HS256';
}

export interface VerifyOptions {
  /** Accepts legacy tokens with any `kid`, as Realtime and GoTrue do; PostgREST rejects them. Default false. */
  readonly ignoresLegacyKid?: boolean;
  /** Rejects tokens of the legacy secret, which is the same for every local project. Default false. */
  readonly refusesLegacy?: boolean;
  /** Rejects tokens of the key set without a `kid`, as GoTrue does; PostgREST tries each key. Default false. */
  readonly requiresKid?: boolean;
  /** The tolerated clock skew for `exp`, `nbf` and `iat`, in seconds. Default 0; PostgREST allows 30. */
  readonly leewaySeconds?: number;
  /** Claims that may lie in the future. Default: none, as in PostgREST; GoTrue does not check `iat`. */
  readonly mayBeFuture?: readonly ('iat' | 'nbf')[];
}

/** Signs and verifies the project's tokens, and contains the project's API keys. */
export interface TokenKeys {
  /** Legacy API keys: HS256 tokens with the role as a claim. */
  readonly anonKey: string;
  readonly serviceRoleKey: string;
  /** API keys of the newer form, which are not tokens. */
  readonly publishableKey: string;
  readonly secretKey: string;
  readonly jwtSecret: string;
  sign(claims: Claims, options?: SignOptions): Promise<string>;
  /** Verifies tokens of every key that was ever in the set, and of the legacy secret. */
  verify(token: string, options?: VerifyOptions): Promise<Verification>;
  /** The published key set (RFC 7517): public keys, newest first, without the legacy secret. */
  jwks(): Promise<{ keys: JWK[] }>;
  /** Rotates the signing key; older keys stay published. */
  rotate(): Promise<void>;
  /** The private keys, for the option `saved` of `createTokenKeys`. Secret. */
  export(): Promise<SavedKeys>;
}

export interface SavedKeys {
  /** Private JWKs, newest first. */
  readonly keys: readonly JWK[];
}

/** The sources of the API keys. The defaults are those of the vendor's local stack, which are public. */
export interface ApiKeySettings {
  /** The legacy secret for HS256 tokens; at least 16 characters. */
  readonly jwtSecret?: string;
  /** Default: a legacy token with the role `anon`. */
  readonly anonKey?: string;
  /** Default: a legacy token with the role `service_role`. */
  readonly serviceRoleKey?: string;
  readonly publishableKey?: string;
  readonly secretKey?: string;
  /**
   * Private JWKs of ES256 or RS256, each with `kid`; all are published. The first with `sign` in its `key_ops`, else
   * the first, signs tokens and the default API keys. Default: a generated ES256 key, and the legacy secret for the API
   * keys.
   */
  readonly signingKeys?: readonly JWK[];
}

export interface TokenKeysOptions {
  readonly apiKeys?: ApiKeySettings | undefined;
  readonly saved?: SavedKeys | undefined;
  /** Milliseconds since the epoch. */
  readonly now?: () => number;
  /** Called after a change of the set, to persist it. */
  readonly onChange?: (saved: SavedKeys) => Promise<void>;
}

interface SigningKey {
  readonly kid: string;
  readonly algorithm: 'ES256' | 'RS256';
  readonly privateJwk: JWK;
  readonly privateKey: CryptoKey | Uint8Array;
  readonly publicKey: CryptoKey | Uint8Array;
}

/** The expiry of the public demonstration keys of the vendor's local stack (supabase/cli, `pkg/config/apikeys.go`): 2032. */
const LEGACY_EXPIRY_SECONDS = 1_983_812_996;
/** The lifetime of API keys that a signing key signs, as in the vendor's CLI: ten years. */
const KEY_LIFETIME_SECONDS = 10 * 365 * 24 * 60 * 60;
const DEFAULT_JWT_SECRET = 'super-secret-jwt-token-with-at-least-32-characters-long';
const DEFAULT_PUBLISHABLE_KEY = 'sb_publishable_ACJWlzQHlZjBrEguHvfOxg_3BJgxAaH';
const DEFAULT_SECRET_KEY = 'sb_secret_N7UND0UgjKTVK-Uodkm0Hg_xSvEMPvz';
const PUBLIC_MEMBERS = ['kty', 'crv', 'x', 'y', 'n', 'e', 'alg', 'kid'] as const;

export async function createTokenKeys(options: TokenKeysOptions = {}): Promise<TokenKeys> {
  const { now = Date.now, onChange, apiKeys = {} } = options;
  const { jwtSecret = DEFAULT_JWT_SECRET } = apiKeys;
  const legacySecret = new TextEncoder().encode(jwtSecret);
  const given = inSigningOrder(apiKeys.signingKeys ?? []);
  const saved = (options.saved?.keys ?? []).filter(({ kid }) => !given.some((key) => key.kid === kid));
  const keys = await Promise.all([...given, ...saved].map(importSigningKey));
  const changed = async () => onChange?.(await exportKeys(keys));
  const current = async (algorithm: 'ES256' | 'RS256') => {
    const known = keys.find((key) => key.algorithm === algorithm);
    if (known) return known;
    const made = await generateSigningKey(algorithm);
    keys.push(made);
    await changed();
    return made;
  };
  const first = keys[0] ?? (await current('ES256'));
  const signLegacy = (claims: Claims) =>
    new SignJWT(claims).setProtectedHeader({ alg: 'HS256', typ: 'JWT' }).sign(legacySecret);
  const sign = ({ kid, algorithm, privateKey }: SigningKey, claims: Claims) =>
    new SignJWT(claims).setProtectedHeader({ alg: algorithm, kid, typ: 'JWT' }).sign(privateKey);
  const exp = given.length > 0 ? Math.floor(now() / 1000) + KEY_LIFETIME_SECONDS : LEGACY_EXPIRY_SECONDS;
  const apiKey = (role: string) => {
    const claims = { iss: 'supabase-demo', role, exp };
    return given.length > 0 ? sign(first, claims) : signLegacy(claims);
  };

  return {
    anonKey: apiKeys.anonKey ?? (await apiKey('anon')),
    serviceRoleKey: apiKeys.serviceRoleKey ?? (await apiKey('service_role')),
    publishableKey: apiKeys.publishableKey ?? DEFAULT_PUBLISHABLE_KEY,
    secretKey: apiKeys.secretKey ?? DEFAULT_SECRET_KEY,
    jwtSecret,
    async sign(claims, { algorithm } = {}) {
      if (algorithm === 'HS256') return signLegacy(claims);
      return sign(algorithm ? await current(algorithm) : (keys[0] ?? first), claims);
    },
    verify: (token, verifyOptions) => verifyToken(token, { keys, legacySecret }, now(), verifyOptions),
    jwks: () => Promise.resolve({ keys: keys.map(({ privateJwk }) => publicHalf(privateJwk)) }),
    async rotate() {
      keys.unshift(await generateSigningKey('ES256'));
      await changed();
    },
    export: () => exportKeys(keys),
  };
}

function inSigningOrder(keys: readonly JWK[]): readonly JWK[] {
  const signing = keys.find((key) => key.key_ops?.includes('sign'));
  return signing ? [signing, ...keys.filter((key) => key !== signing)] : keys;
}

async function generateSigningKey(algorithm: 'ES256' | 'RS256'): Promise<SigningKey> {
  const { privateKey } = await generateKeyPair(algorithm, { extractable: true });
  const jwk = await exportJWK(privateKey);
  return importSigningKey({ ...jwk, alg: algorithm, kid: crypto.randomUUID() });
}

async function importSigningKey(privateJwk: JWK): Promise<SigningKey> {
  // The CLI's files have `sign` and `verify` in `key_ops`, but Web Crypto imports no private key for verification.
  const { key_ops: _, ...importable } = privateJwk;
  const { kid } = privateJwk;
  const algorithm = (['ES256', 'RS256'] as const).find((known) => known === privateJwk.alg);
  if (!algorithm || !kid) throw new Error('A saved signing key has no alg or kid');
  return {
    kid,
    algorithm,
    privateJwk,
    privateKey: await importJWK(importable, algorithm),
    publicKey: await importJWK(publicHalf(privateJwk), algorithm),
  };
}

const exportKeys = (keys: readonly SigningKey[]): Promise<SavedKeys> =>
  Promise.resolve({ keys: keys.map((key) => key.privateJwk) });

function publicHalf(privateJwk: JWK): JWK {
  const members = PUBLIC_MEMBERS.filter((name) => name in privateJwk).map((name) => [name, privateJwk[name]]);
  return { ...Object.fromEntries(members), use: 'sig', key_ops: ['verify'] } as JWK;
}

interface Secrets {
  readonly keys: readonly SigningKey[];
  readonly legacySecret: Uint8Array;
}

async function verifyToken(
  token: string,
  secrets: Secrets,
  nowMs: number,
  options: VerifyOptions = {},
): Promise<Verification> {
  const key = pickKey(token, secrets, options);
  if ('reason' in key) return key;
  try {
    const { payload } = await compactVerify(token, key.key, { algorithms: [key.algorithm] });
    const claims = parseClaims(payload);
    if (!claims) return refuse('claims', 'Parsing claims failed');
    // PostgreSQL reads `none` as the login role, which is a superuser here.
    if (claims.role === 'none') return refuse('claims', 'The role "none" is not a role of the API');
    return checkTimes(claims, Math.floor(nowMs / 1000), options) ?? { ok: true, claims };
  } catch {
    return refuse('signature', WRONG_KEY, 'None of the keys was able to decode the JWT');
  }
}

function parseClaims(payload: Uint8Array): Claims | undefined {
  try {
    const claims = JSON.parse(new TextDecoder().decode(payload)) as unknown;
    return typeof claims === 'object' && claims !== null && !Array.isArray(claims)
      ? (claims as Claims)
      : undefined;
  } catch {
    return undefined;
  }
}

/** Checks `exp`, `nbf` and `iat` (RFC 7519 section 4.1). As in PostgREST, fractional seconds count as 1970. */
function checkTimes(
  claims: Claims,
  nowSeconds: number,
  { leewaySeconds = 0, mayBeFuture = [] }: VerifyOptions,
): Verification | undefined {
  const times: Readonly<Record<string, unknown>> = claims;
  const wrong = ['exp', 'nbf', 'iat'].find((name) => {
    const time = times[name];
    return time !== undefined && time !== null && typeof time !== 'number';
  });
  if (wrong !== undefined) return refuse('claims', `The JWT '${wrong}' claim must be a number`);
  const read = (name: string) => {
    const time = times[name];
    return typeof time === 'number' ? (Number.isInteger(time) ? time : 0) : undefined;
  };
  const [expiry, start, issue] = ['exp', 'nbf', 'iat'].map(read);
  if (expiry !== undefined && expiry <= nowSeconds - leewaySeconds) return refuse('expired', 'JWT expired');
  const isFuture = (time: number | undefined) => time !== undefined && time > nowSeconds + leewaySeconds;
  if (isFuture(start) && !mayBeFuture.includes('nbf')) return refuse('claims', 'JWT not yet valid');
  if (isFuture(issue) && !mayBeFuture.includes('iat')) return refuse('claims', 'JWT issued at future');
  const { aud }: { aud?: unknown } = claims;
  const audiences = Array.isArray(aud) ? (aud as unknown[]) : [aud ?? ''];
  return audiences.every((one) => typeof one === 'string')
    ? undefined
    : refuse('claims', "The JWT 'aud' claim must be a string or an array of strings");
}

const WRONG_KEY = 'No suitable key or wrong key type';

/** PostgREST's signature algorithms; a header with another one is malformed. */
const ALGORITHMS = /^(?:(?:HS|RS|ES)(?:256|384|512)|EdDSA)$/;

type PickedKey = { readonly key: CryptoKey | Uint8Array; readonly algorithm: string };

function pickKey(
  token: string,
  { keys, legacySecret }: Secrets,
  { refusesLegacy = false, ignoresLegacyKid = false, requiresKid = false }: VerifyOptions,
): PickedKey | Extract<Verification, { ok: false }> {
  const parts = token.split('.').length;
  if (parts !== 3) return refuse('malformed', `Expected 3 parts in JWT; got ${parts}`);
  const header = parseHeader(token);
  if (!header) return refuse('malformed', 'JWT cryptographic operation failed');
  const { alg, kid } = header;
  if (alg === 'none') {
    const details = "JWT is unsecured but expected 'alg' was not 'none'";
    return refuse('malformed', 'Wrong or unsupported encoding algorithm', details);
  }
  if (!ALGORITHMS.test(alg ?? '')) return refuse('malformed', "JWT couldn't be decoded");
  const isLegacy = alg === 'HS256' && !refusesLegacy && (kid === undefined || ignoresLegacyKid);
  if (isLegacy) return { key: legacySecret, algorithm: alg };
  const mayMatch = (known: SigningKey) => (kid === undefined ? !requiresKid : known.kid === kid);
  const key = keys.find((known) => known.algorithm === alg && mayMatch(known));
  if (!key) return refuse('signature', WRONG_KEY, 'No suitable key was found to decode the JWT');
  return { key: key.publicKey, algorithm: key.algorithm };
}

function parseHeader(token: string): { readonly alg?: string; readonly kid?: string } | undefined {
  try {
    return decodeProtectedHeader(token);
  } catch {
    return undefined;
  }
}

function refuse(
  reason: TokenRejection,
  message: string,
  details?: string,
): Extract<Verification, { ok: false }> {
  return { ok: false, reason, message, ...(details !== undefined && { details }) };
}
