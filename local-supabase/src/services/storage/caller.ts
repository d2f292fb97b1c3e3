import type { Claims, TokenKeys, TokenRejection, VerifyOptions } from '../../keys/keys.ts';

/** The caller of a request: its token and claims, or the reason why the token is invalid; null without a token. */
export type StorageCaller =
  | { readonly claims: Claims; readonly token: string }
  | { readonly problem: string }
  | null;

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

export async function readCaller(
  token: string | null,
  keys: TokenKeys,
  options: VerifyOptions = { ignoresLegacyKid: true, mayBeFuture: ['iat'] },
): Promise<StorageCaller> {
  if (token === null) return null;
  if (token.split('.').length !== 3) return { problem: 'Invalid Compact JWS' };
  const check = await keys.verify(token, options);
  return check.ok
    ? { claims: check.claims, token }
    : { problem: EXACT_PROBLEMS.get(check.message) ?? PROBLEMS[check.reason] };
}
