import {
  type Address,
  type AuthClient,
  type AuthClientOptions,
  createAuthClient,
  createCookieStore,
  createMemoryStore,
  type Store,
} from './auth-client/index.ts';
import { createBrowserPlatform } from './platform/browser-platform.ts';
import type { HttpLogEvent } from './platform/log.ts';
import type { Platform } from './platform/platform.ts';
import type { RealtimeClientOptions, RealtimeEvent } from './realtime-client/index.ts';
import type { RestClientOptions } from './rest-client/index.ts';

type SharedOption = 'url' | 'apiKey' | 'platform' | 'getAccessToken' | 'onTokenChange';

/** The options of `createSupabaseClients`, and with its imports of `createLazyClients`. */
export interface SupabaseClientsOptions {
  /** The project's URL (http or https). */
  readonly url: string;
  /** The project's publishable key, or its older anonymous key. */
  readonly apiKey: string;
  /** Where the session is stored. Default: the page's cookies, as `@supabase/ssr` has them; memory where there is no page. */
  readonly store?: Store;
  /** Default: `createBrowserPlatform()`. Node 20 has no WebSocket: see `adaptWebSocket`. */
  readonly platform?: Platform;
  /** Added to every HTTP request of every service; a WebSocket cannot send headers. A service's own `headers` win. Default: none. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Receives the events of every service, without tokens and bodies; a service's own `log` takes its place. Default: none. */
  readonly log?: (event: HttpLogEvent | RealtimeEvent) => void;
  /** Options of the auth client. Default `address`: the page's own, so that a link or provider that returns to it signs in. */
  readonly auth?: Partial<Omit<AuthClientOptions, SharedOption | 'store'>>;
  /** Options of the REST client. */
  readonly rest?: Omit<RestClientOptions, SharedOption | 'schema'>;
  /** Options of the realtime client. */
  readonly realtime?: Omit<RealtimeClientOptions, SharedOption>;
}

/** What the storage and functions clients need to act as the signed-in user. */
export interface SupabaseConnection {
  /** The project's URL. */
  readonly url: string;
  /** The project's publishable key. */
  readonly apiKey: string;
  /** The platform of all clients. */
  readonly platform: Platform;
  /** Returns the user's access token. */
  readonly getAccessToken: AuthClient['getAccessToken'];
  /** Added to every request; undefined for none. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Receives the events of every exchange; undefined for none. */
  readonly log?: (event: HttpLogEvent) => void;
}

/** The auth client, and the options with which the other clients act as its user. */
export interface JoinedAuth {
  readonly auth: AuthClient;
  readonly connection: SupabaseConnection;
  readonly restOptions: Omit<RestClientOptions, 'schema'>;
  readonly realtimeOptions: RealtimeClientOptions;
}

/** Creates the auth client, and joins the other clients to it. Sends and reads nothing. @throws {AuthError} `invalid-options` */
export function joinAuth(options: SupabaseClientsOptions): JoinedAuth {
  const { url, apiKey, platform = createBrowserPlatform(), headers, log } = options;
  const project = { url, apiKey, platform };
  const shared = shareOptions(project, options);
  const auth = createAuthClient({
    address: getPageAddress(),
    ...shared,
    ...options.auth,
    ...mergeHeaders(headers, options.auth?.headers),
    ...project,
    store: options.store ?? createDefaultStore(),
  });
  const { getAccessToken, onTokenChange } = auth;
  const connection = { ...shared, getAccessToken };
  return {
    auth,
    connection,
    restOptions: { ...connection, ...options.rest, ...mergeHeaders(headers, options.rest?.headers) },
    realtimeOptions: {
      ...project,
      ...(log && { log }),
      ...options.realtime,
      getAccessToken,
      onTokenChange,
    },
  };
}

type Headers = Readonly<Record<string, string>>;

interface OptionsForAll<Event> {
  readonly headers?: Headers | undefined;
  readonly log?: ((event: Event) => void) | undefined;
}

/** The options of the project, and those for all services that are set. */
export function shareOptions<Project, Event>(project: Project, { headers, log }: OptionsForAll<Event>) {
  return { ...project, ...(headers && { headers }), ...(log && { log }) };
}

/** The headers of one service: its own win over those for all. */
export function mergeHeaders(all: Headers | undefined, own: Headers | undefined) {
  return own && { headers: { ...all, ...own } };
}

function createDefaultStore(): Store {
  if (typeof document === 'undefined') return createMemoryStore();
  return createCookieStore({ jar: document, secure: location.protocol === 'https:' });
}

function getPageAddress(): Address | undefined {
  if (typeof document === 'undefined') return undefined;
  return {
    href: () => location.href,
    replace: (url) => history.replaceState(history.state, '', url),
  };
}
