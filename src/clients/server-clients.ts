import { type AuthClient, createAuthClient } from '../auth-client/auth-client.ts';
import type { AuthClientOptions } from '../auth-client/index.ts';
import type { CookieScope } from '../auth-client/server/cookies-to-set.ts';
import {
  createRequestState,
  createServerStore,
  type RequestState,
  type ServerCookies,
} from '../auth-client/server/server-store.ts';
import { createShareRefresh } from '../auth-client/server/shared-refreshes.ts';
import { serializeCookie } from '../auth-client/server/cookies-to-set.ts';
import { parseCookieHeader } from '../auth-client/storage/cookie-store.ts';
import { createPlatform } from '../platform/browser-platform.ts';
import type { HttpLogEvent } from '../platform/log.ts';
import type { Platform } from '../platform/platform.ts';
import { serviceUrl } from '../platform/service.ts';
import {
  createRestClient,
  type RestClient,
  type RestClientOptions,
  type UnknownDatabase,
} from '../rest-client/index.ts';
import type { SupabaseConnection } from './shared-auth.ts';
import { type ServiceOptions, serviceOptions } from './service-options.ts';

type SharedOption = 'url' | 'publicUrl' | 'apiKey' | 'platform' | 'getAccessToken' | keyof ServiceOptions;

/** The options of `createServerClients`. */
export interface ServerClientsOptions extends ServiceOptions<HttpLogEvent> {
  /** The project's URL (http or https). */
  readonly url: string;
  /**
   * The project's URL as browsers reach it, where `url` is another one, as in a container network: it names the cookies, and sign-ins
   * with a provider lead there. Default: `url`.
   */
  readonly publicUrl?: string | undefined;
  /** The project's publishable key, or its older anonymous key. */
  readonly apiKey: string;
  /** The cookies of the request and the response: `{ getAll, setAll }`. */
  readonly cookies: ServerCookies;
  /** How the cookies are scoped. Default: over https only (`secure`), the host alone, `SameSite=Lax`. */
  readonly cookieOptions?: CookieScope | undefined;
  /** Default: the runtime's own. */
  readonly platform?: Platform | undefined;
  /** Further options of the auth client. */
  readonly auth?:
    | (Omit<Partial<AuthClientOptions>, SharedOption | 'store' | 'autoRefresh'> &
        ServiceOptions<HttpLogEvent>)
    | undefined;
  /** Further options of the REST client. */
  readonly rest?:
    | (Omit<RestClientOptions, SharedOption | 'schema'> & ServiceOptions<HttpLogEvent>)
    | undefined;
}

/** The clients of one request. */
export interface ServerClients<Database = UnknownDatabase> {
  /** Sign-in, callbacks, sign-out, session: as in a page. `getUser()` verifies who sent the request. */
  readonly auth: AuthClient;
  /** Tables, views and functions, as the user who sent the request. */
  readonly rest: RestClient<Database>;
  /** For further clients: `createStorageClient(connection)`, `createFunctionsClient(connection)`. */
  readonly connection: SupabaseConnection;
}

/**
 * Creates clients for one request, with the session of its cookies, which `@supabase/ssr` and this library's page client share.
 * A session with fewer than 90 s left is refreshed by the call that needs it; concurrent requests of this process share that
 * refresh. Every change of the session reaches `setAll`, with headers that forbid caching. Nothing has to be closed.
 *
 * Cookies come from the browser: trust `await auth.getUser()` or `createClaims(auth)`, not `getSession()`.
 *
 * @throws {AuthError} `invalid-options`
 * @example
 * ```ts
 * import { createRequestCookies, createServerClients } from 'supabase-protocol-clients/server';
 *
 * // Any server with Request and Response.
 * export async function handle(request: Request): Promise<Response> {
 *   const headers = new Headers();
 *   const cookies = createRequestCookies(request, headers);
 *   const { auth, rest } = createServerClients<Database>({ url, apiKey, cookies });
 *   if (!(await auth.getAccessToken())) return new Response(null, { status: 303, headers });
 *   const unread = await rest.from('notifications').count().eq('status', 'unread');
 *   return Response.json({ unread }, { headers });
 * }
 * ```
 */
export function createServerClients<Database = UnknownDatabase>(
  options: ServerClientsOptions,
): ServerClients<Database> {
  const { url, publicUrl, apiKey, cookies, cookieOptions } = options;
  const state = states.get(cookies) ?? createRequestState();
  const platform = { ...(options.platform ?? createPlatform()), locks: state.locks };
  const optionsOf = (own?: ServiceOptions<HttpLogEvent>) => ({
    url,
    apiKey,
    ...serviceOptions(options, own, platform),
  });
  const store = createServerStore(cookies, state, { secure: true, ...cookieOptions }, platform.report);
  const shareRefresh = createShareRefresh(serviceUrl(url, 'auth'), platform.clock);
  const auth = createAuthClient({
    ...options.auth,
    ...optionsOf(options.auth),
    publicUrl,
    store,
    autoRefresh: false,
    shareRefresh,
  });
  const { getAccessToken } = auth;
  const rest = createRestClient({ ...options.rest, ...optionsOf(options.rest), getAccessToken });
  const connection = { ...optionsOf(), getAccessToken };
  return { auth, rest: rest as unknown as RestClient<Database>, connection };
}

/** Only for cookies that belong to one request: an object of the caller may serve several. */
const states = new WeakMap<ServerCookies, RequestState>();

/** The cookies of a response by its headers, with the request that they belong to. */
const responses = new WeakMap<Headers, { readonly request: Request; readonly cookies: ServerCookies }>();

/**
 * Returns `{ getAll, setAll }` for a `Request` (Fetch standard) and the headers of its response: the same object for both, so that
 * several clients of a request set the session once.
 *
 * @param headers receives `Set-Cookie` and `Cache-Control`; pass it to the response.
 */
export function createRequestCookies(request: Request, headers: Headers): ServerCookies {
  const known = responses.get(headers);
  if (known?.request === request) return known.cookies;
  const cookies: ServerCookies = {
    getAll: () => parseCookieHeader(request.headers.get('cookie') ?? ''),
    setAll(changes, noStoreHeaders) {
      for (const cookie of changes) headers.append('Set-Cookie', serializeCookie(cookie));
      for (const [name, value] of Object.entries(noStoreHeaders)) headers.set(name, value);
    },
  };
  states.set(cookies, createRequestState());
  responses.set(headers, { request, cookies });
  return cookies;
}
