import type { Claims, TokenKeys } from './keys.ts';

export type BearerCheck =
  | { readonly ok: true; readonly claims: Claims }
  | { readonly ok: false; readonly message: string; readonly response: Response };

/** The clock skew that PostgREST tolerates. */
const LEEWAY_SECONDS = 30;

/**
 * Returns the claims of a REST request, from its bearer token or else its API key, or PostgREST's error. Another
 * authorization scheme is ignored.
 *
 * @see https://docs.postgrest.org/en/stable/references/errors.html#group-3-jwt
 */
export async function checkBearer(
  request: Request,
  apiKeyClaims: Claims,
  keys: TokenKeys,
): Promise<BearerCheck> {
  if (!request.headers.has('authorization')) return { ok: true, claims: apiKeyClaims };
  const token = readBearer(request);
  if (token === null) return { ok: true, claims: {} };
  if (isOpaqueKey(token)) return { ok: true, claims: apiKeyClaims };
  if (token === '') return refuse('PGRST301', 'Empty JWT is sent in Authorization header');
  const check = await keys.verify(token, { leewaySeconds: LEEWAY_SECONDS });
  if (check.ok) return { ok: true, claims: check.claims };
  const isAboutClaims = check.reason === 'expired' || check.reason === 'claims';
  return refuse(isAboutClaims ? 'PGRST303' : 'PGRST301', check.message, check.details);
}

/** API keys of the newer form are not tokens, although clients send them as bearer tokens. */
export const isOpaqueKey = (token: string): boolean => /^sb_(publishable|secret)_/.test(token);

/** The bearer token; null for another scheme or without the header. */
export function readBearer(request: Request): string | null {
  const [matched, token = ''] =
    /^Bearer(?:\s+(.*))?$/i.exec(request.headers.get('authorization') ?? '') ?? [];
  return matched === undefined ? null : token.trim();
}

function refuse(code: string, message: string, details: string | null = null): BearerCheck {
  const response = new Response(JSON.stringify({ code, details, hint: null, message }), {
    status: 401,
    headers: {
      'content-type': 'application/json; charset=utf-8',
      'www-authenticate': `Bearer error="invalid_token", error_description="${message}"`,
      'proxy-status': `PostgREST; error=${code}`,
    },
  });
  return { ok: false, message, response };
}
