import {
  type Address,
  type AuthClient,
  type AuthClientOptions,
  createCookieStore,
  createMemoryStore,
  type AuthStore,
} from '../auth-client/index.ts';
import { createAuthClient } from '../auth-client/auth-client.ts';
import { createPlatform } from '../platform/browser-platform.ts';
import type { HttpLogEvent, Log } from '../platform/log.ts';
import type { Platform } from '../platform/platform.ts';
import type { RealtimeClientOptions } from '../realtime-client/index.ts';
import type { RestClientOptions } from '../rest-client/index.ts';
import { type ClientEvent, type ServiceOptions, serviceOptions } from './service-options.ts';

type SharedOption = 'url' | 'apiKey' | 'platform' | 'getAccessToken' | 'onTokenChange' | keyof ServiceOptions;

/** The options of `createSupabaseClients`. `createLazyClients` takes them too, with its imports. */
export interface SupabaseClientsOptions extends ServiceOptions {
  /** The project's URL (http or https). */
  readonly url: string;
  /** The project's publishable key, or its older anonymous key. */
  readonly apiKey: string;
  /** Where the session is stored. Default: the page's cookies, as `@supabase/ssr` has them; memory outside of pages. */
  readonly store?: AuthStore;
  /** Default: `createPlatform()`. Node 20 has no WebSocket: see `adaptWebSocket`. */
  readonly platform?: Platform;
  /** Options of the auth client. Default `address`: the page's own, so that a link or provider that returns to it signs in. */
  readonly auth?: Partial<Omit<AuthClientOptions, SharedOption | 'store'>> & ServiceOptions<HttpLogEvent>;
  /** Options of the REST client. */
  readonly rest?: Omit<RestClientOptions, SharedOption | 'schema'> & ServiceOptions<HttpLogEvent>;
  /** Options of the realtime client. */
  readonly realtime?: Omit<RealtimeClientOptions, SharedOption> & ServiceOptions;
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
  /** Headers of every request. */
  readonly headers: Readonly<Record<string, string>>;
  /** Receives an event per HTTP exchange. Default: none. */
  readonly log?: Log;
  /** The `traceparent` header (W3C Trace Context) of the next request; null for none. Default: none. */
  readonly traceparent?: () => string | null;
}

/** The auth client, and the options with which the other clients act as its user. */
export interface SharedAuth {
  readonly auth: AuthClient;
  readonly connection: SupabaseConnection;
  readonly restOptions: Omit<RestClientOptions, 'schema'>;
  readonly realtimeOptions: RealtimeClientOptions;
}

/**
 * Creates the auth client, and the options that bind the other clients to it. Sends and reads nothing. @throws {AuthError}
 * `invalid-options`
 */
export function createSharedAuth(options: SupabaseClientsOptions): SharedAuth {
  const { url, apiKey, platform = createPlatform() } = options;
  const optionsOf = <Event extends ClientEvent>(own?: ServiceOptions<Event>) => ({
    url,
    apiKey,
    ...serviceOptions<Event>(options, own, platform),
  });
  const store = options.store ?? createPageStore();
  const auth = createAuthClient({
    address: getPageAddress(),
    ...options.auth,
    ...optionsOf(options.auth),
    // An open channel costs more memory than the clients.
    store: store ?? { ...createMemoryStore(), isShared: false },
  });
  const { getAccessToken, onTokenChange } = auth;
  return {
    auth,
    connection: { getAccessToken, ...optionsOf() },
    restOptions: { getAccessToken, ...options.rest, ...optionsOf(options.rest) },
    realtimeOptions: { getAccessToken, onTokenChange, ...options.realtime, ...optionsOf(options.realtime) },
  };
}

function createPageStore(): AuthStore | undefined {
  if (typeof document === 'undefined') return undefined;
  return createCookieStore({ jar: document, secure: location.protocol === 'https:' });
}

function getPageAddress(): Address | undefined {
  if (typeof document === 'undefined') return undefined;
  return {
    href: () => location.href,
    replace: (url) => history.replaceState(history.state, '', url),
  };
}
