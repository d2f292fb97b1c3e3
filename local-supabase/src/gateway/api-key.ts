import { decodeJwt } from 'jose';
import type { Claims, TokenKeys } from '../keys/keys.ts';
import { isOpaqueKey, readBearer } from './bearer.ts';

/** The API key of a request and the claims that it represents. */
export type ApiKeyCheck =
  | { readonly ok: true; readonly apiKey: string; readonly claims: Claims }
  | { readonly ok: false; readonly response: Response };

/** Routes that need no key, because browsers navigate to them: links in mails, provider callbacks, discovery. */
const OPEN_ROUTES = [
  /^\/auth\/v1\/(verify|callback|authorize)$/,
  /^\/auth\/v1\/sso\/saml\//,
  /^\/auth\/v1\/\.well-known\//,
  /^\/auth\/v1\/(oauth|test-provider)\//,
  /^\/(storage|functions)\/v1\//,
];

export const isOpenRoute = (path: string): boolean => OPEN_ROUTES.some((route) => route.test(path));

/** The key of a request, from a header or a query parameter. */
export function readApiKey(request: Request): string | null {
  return request.headers.get('apikey') ?? new URL(request.url).searchParams.get('apikey');
}

export async function checkApiKey(request: Request, keys: TokenKeys): Promise<ApiKeyCheck> {
  const apiKey = readApiKey(request);
  if (!apiKey) {
    return refuse('UNAUTHORIZED_MISSING_API_KEY', {
      message: 'No API key found in request',
      hint: 'No `apikey` request header or url param was found.',
    });
  }
  if (apiKey === keys.publishableKey) return claimsOf(keys.anonKey, apiKey, keys);
  if (apiKey === keys.secretKey) {
    if (/^\s*Mozilla\/5\.0/i.test(request.headers.get('user-agent') ?? '')) {
      return refuse('UNAUTHORIZED_INVALID_API_KEY_TYPE', {
        message: 'Forbidden use of secret API key in browser',
      });
    }
    return claimsOf(keys.serviceRoleKey, apiKey, keys);
  }
  if (apiKey === keys.anonKey || apiKey === keys.serviceRoleKey) return claimsOf(apiKey, apiKey, keys);
  return refuseKey();
}

/** A key of the newer form represents the token of its role. */
async function claimsOf(token: string, apiKey: string, keys: TokenKeys): Promise<ApiKeyCheck> {
  const check = await keys.verify(token);
  return check.ok ? { ok: true, apiKey, claims: check.claims } : refuseKey();
}

const refuseKey = (): ApiKeyCheck =>
  refuse('UNAUTHORIZED_INVALID_API_KEY', {
    message: 'Invalid API key',
    hint: 'Double check your Supabase `anon` or `service_role` API key.',
  });

/** The roles of tokens that pages have. */
const PUBLIC_ROLES: ReadonlySet<unknown> = new Set(['anon', 'authenticated']);

/**
 * The refusal of a role above a user's that a page of another host sends, as a key or in a token of its own making: the
 * secrets of local projects are the same everywhere.
 */
export function refuseForeignService(request: Request): Response {
  const origin = request.headers.get('origin') ?? 'another site';
  const message = `The service role is not accepted from ${origin}`;
  return Response.json({ message }, { status: 403, headers: { 'sb-error-code': 'FORBIDDEN_ORIGIN' } });
}

/** Whether a key or token of the request stands for a role that no page has. */
export const isService = (request: Request): boolean =>
  [readApiKey(request), readBearer(request)].some((key) => {
    if (!key) return false;
    return isOpaqueKey(key) ? key.startsWith('sb_secret_') : !PUBLIC_ROLES.has(roleOf(key));
  });

/** The role of a token, unverified; a text that is no token counts as public, as no service accepts it. */
function roleOf(token: string): unknown {
  try {
    return decodeJwt(token)['role'];
  } catch {
    return 'anon';
  }
}

function refuse(code: string, body: Readonly<Record<string, string>>): ApiKeyCheck {
  const response = Response.json(body, { status: 401, headers: { 'sb-error-code': code } });
  return { ok: false, response };
}
