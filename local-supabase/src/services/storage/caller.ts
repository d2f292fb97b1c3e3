import type { Claims, TokenKeys, TokenRejection, VerifyOptions } from '../../keys/keys.ts';

/** A token and its claims, or the reason why the token is invalid. */
type VerifiedToken = { readonly claims: Claims; readonly token: string } | { readonly problem: string };

/** The caller of a request; null without a token. */
export type StorageCaller = VerifiedToken | null;

/** jose's messages, which the service passes on. */
const PROBLEMS: Readonly<Record<TokenRejection, string>> = {
  malformed: 'JWS Protected Header is invalid',
  expired: '"exp" claim timestamp check failed',
  signature: 'signature verification failed',
  claims: 'JWT Claims Set is invalid',
};

const WRONG_ALGORITHM = '"alg" (Algorithm) Header Parameter value not allowed';

/** jose's more specific messages, by PostgREST's message. */
const EXACT_PROBLEMS: ReadonlyMap<string, string> = new Map([
  ['Wrong or unsupported encoding algorithm', WRONG_ALGORITHM],
  ["JWT couldn't be decoded", WRONG_ALGORITHM],
  ['JWT not yet valid', '"nbf" claim timestamp check failed'],
]);

export const readCaller = async (token: string | null, keys: TokenKeys): Promise<StorageCaller> =>
  token === null ? null : verifyToken(token, keys, { ignoresLegacyKid: true, mayBeFuture: ['iat'] });

export async function verifyToken(
  token: string,
  keys: TokenKeys,
  options: VerifyOptions,
): Promise<VerifiedToken> {
  if (token.split('.').length !== 3) return { problem: 'Invalid Compact JWS' };
  const check = await keys.verify(token, options);
  return check.ok
    ? { claims: check.claims, token }
    : { problem: EXACT_PROBLEMS.get(check.message) ?? PROBLEMS[check.reason] };
}
