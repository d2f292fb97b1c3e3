import type { Claims, TokenKeys } from '../keys/keys.ts';

export type BearerCheck =
  | { readonly ok: true; readonly claims: Claims }
  | { readonly ok: false; readonly message: string; readonly response: Response };

/** Clock skew that PostgREST tolerates. */
const LEEWAY_SECONDS = 30;

/**
 * The claims of a REST request: its bearer token's, else its API key's; or PostgREST's refusal.
 *
 * @see https://docs.postgrest.org/en/stable/references/errors.html#group-3-jwt
 */
export async function checkBearer(
  request: Request,
  apiKeyClaims: Claims,
  keys: TokenKeys,
): Promise<BearerCheck> {
  const token = readBearer(request);
  if (token === null || isOpaqueKey(token)) return { ok: true, claims: apiKeyClaims };
  if (token === '') return refuse('PGRST301', 'Empty JWT is sent in Authorization header');
  const check = await keys.verify(token, { leewaySeconds: LEEWAY_SECONDS });
  if (check.ok) return { ok: true, claims: check.claims };
  const isAboutClaims = check.reason === 'expired' || check.reason === 'claims';
  return refuse(
    isAboutClaims ? 'PGRST303' : 'PGRST301',
    check.message,
    check.reason === 'signature' ? 'None of the keys was able to decode the JWT' : null,
  );
}

/** API keys of the newer form are not tokens, although clients send them as bearer tokens. */
export const isOpaqueKey = (token: string): boolean => /^sb_(publishable|secret)_/.test(token);

export function readBearer(request: Request): string | null {
  return /^Bearer(?:\s+(.*))?$/i.exec(request.headers.get('authorization') ?? '')?.[1]?.trim() ?? null;
}

function refuse(code: string, message: string, details: string | null = null): BearerCheck {
  const challenge =
    code === 'PGRST302' ? 'Bearer' : `Bearer error="invalid_token", error_description="${message}"`;
  const response = Response.json(
    { code, details, hint: null, message },
    { status: 401, headers: { 'www-authenticate': challenge, 'proxy-status': `PostgREST; error=${code}` } },
  );
  return { ok: false, message, response };
}
