import type { Claims, TokenKeys, TokenRejection, VerifyOptions } from '../keys/keys.ts';

/** Who sends a request: the claims of a token, or why the token is none; null without a token. */
export type StorageCaller = { readonly claims: Claims } | { readonly problem: string } | null;

/** The words of jose, which the service passes on. */
const PROBLEMS: Readonly<Record<TokenRejection, string>> = {
  malformed: 'JWS Protected Header is invalid',
  expired: '"exp" claim timestamp check failed',
  signature: 'signature verification failed',
  claims: 'JWT Claims Set is invalid',
};

const WRONG_ALGORITHM = '"alg" (Algorithm) Header Parameter value not allowed';

/** Where jose tells more than the reason, by the message of PostgREST. */
const EXACT_PROBLEMS: ReadonlyMap<string, string> = new Map([
  ['Wrong or unsupported encoding algorithm', WRONG_ALGORITHM],
  ["JWT couldn't be decoded", WRONG_ALGORITHM],
  ['JWT not yet valid', '"nbf" claim timestamp check failed'],
]);

/** Reads a caller's token. */
export async function readCaller(
  token: string | null,
  keys: TokenKeys,
  options: VerifyOptions = { ignoresLegacyKid: true, mayBeFuture: ['iat'] },
): Promise<StorageCaller> {
  if (token === null) return null;
  if (token.split('.').length !== 3) return { problem: 'Invalid Compact JWS' };
  const check = await keys.verify(token, options);
  return check.ok
    ? { claims: check.claims }
    : { problem: EXACT_PROBLEMS.get(check.message) ?? PROBLEMS[check.reason] };
}
