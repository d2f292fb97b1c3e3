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

/** Reads a caller's token. */
export async function readCaller(
  token: string | null,
  keys: TokenKeys,
  options: VerifyOptions = { ignoresLegacyKid: true },
): Promise<StorageCaller> {
  if (token === null) return null;
  if (token.split('.').length !== 3) return { problem: 'Invalid Compact JWS' };
  const check = await keys.verify(token, options);
  return check.ok ? { claims: check.claims } : { problem: PROBLEMS[check.reason] };
}
