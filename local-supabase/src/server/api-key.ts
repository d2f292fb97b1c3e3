import { decodeJwt, decodeProtectedHeader } from 'jose';
import type { Claims, TokenKeys } from '../keys/keys.ts';
import { isOpaqueKey, readBearer } from '../keys/bearer.ts';

/** The API key of a request and the claims that it represents. */
export type ApiKeyCheck =
  | { readonly ok: true; readonly apiKey: string; readonly claims: Claims }
  | { readonly ok: false; readonly response: Response };

/** Routes without a key, because browsers navigate to them: links in mails, provider callbacks, discovery. */
const OPEN_ROUTES = [
  /^\/auth\/v1\/(verify|callback|authorize)$/,
  /^\/auth\/v1\/sso\/saml\//,
  /^\/auth\/v1\/\.well-known\//,
  /^\/auth\/v1\/(oauth|test-provider)\//,
  /^\/(storage|functions)\/v1\//,
];

export const isOpenRoute = (path: string): boolean => OPEN_ROUTES.some((route) => route.test(path));

/** The API key in a request's header or query. */
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
  const check = await claimsOf(apiKey, apiKey, keys);
  return check.ok && isKeyOfRole(check.claims) ? check : refuseKey();
}

/** As in a local stack, a token with an API role that the project signed is an API key; a user's token is not. */
const isKeyOfRole = ({ role, sub }: Claims): boolean =>
  sub === undefined && (role === 'anon' || role === 'service_role');

/** An API key of the newer form represents the token of its role. */
async function claimsOf(token: string, apiKey: string, keys: TokenKeys): Promise<ApiKeyCheck> {
  const check = await keys.verify(token);
  return check.ok ? { ok: true, apiKey, claims: check.claims } : refuseKey();
}

const refuseKey = (): ApiKeyCheck =>
  refuse('UNAUTHORIZED_INVALID_API_KEY', {
    message: 'Invalid API key',
    hint: 'Double check your Supabase `anon` or `service_role` API key.',
  });

/** The roles of tokens in web pages. */
const PUBLIC_ROLES: ReadonlySet<unknown> = new Set(['anon', 'authenticated']);

/** The response to a page that is not the developer's own. */
export function refuseForeign(request: Request): Response {
  const origin = request.headers.get('origin') ?? 'another site';
  const message = `This request is not accepted from ${origin}`;
  return Response.json({ message }, { status: 403, headers: { 'sb-error-code': 'FORBIDDEN_ORIGIN' } });
}

/**
 * Whether any page could have made a key or token of the request: the secrets of local projects are the same
 * everywhere. The anonymous keys are meant for pages, and users' tokens are signed with a key of this project only.
 */
export const isForgeable = (request: Request, { anonKey }: TokenKeys): boolean =>
  [readApiKey(request), readBearer(request)].some((key) => {
    if (!key || key === anonKey) return false;
    return isOpaqueKey(key) ? key.startsWith('sb_secret_') : !isTokenOfPage(key);
  });

/**
 * Reads the token without verification. An unreadable token is not a page's: Realtime accepts forms that this parser
 * does not, such as a percent-encoded token.
 */
function isTokenOfPage(token: string): boolean {
  try {
    return decodeProtectedHeader(token).alg !== 'HS256' && PUBLIC_ROLES.has(decodeJwt(token)['role']);
  } catch {
    return false;
  }
}

/** Whether the path belongs to the test provider, where visitors can sign in as any user. */
export const isTestProvider = (path: string): boolean => path.startsWith('/auth/v1/test-provider/');

function refuse(code: string, body: Readonly<Record<string, string>>): ApiKeyCheck {
  const response = Response.json(body, { status: 401, headers: { 'sb-error-code': code } });
  return { ok: false, response };
}
