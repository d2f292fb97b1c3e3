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
import type { Platform } from './platform/platform.ts';
import {
  createRealtimeClient,
  type RealtimeClient,
  type RealtimeClientOptions,
} from './realtime-client/index.ts';
import {
  createRestClient,
  type RestClient,
  type RestClientOptions,
  type UnknownDatabase,
} from './rest-client/index.ts';

type SharedOption = 'url' | 'apiKey' | 'platform' | 'getAccessToken' | 'onTokenChange';

/** The options of `createSupabaseClients`. */
export interface SupabaseClientsOptions {
  /** The project's URL (http or https). */
  readonly url: string;
  /** The project's publishable key, or its older anonymous key. */
  readonly apiKey: string;
  /** Where the session is stored. Default: the page's cookies, as `@supabase/ssr` has them; memory where there is no page. */
  readonly store?: Store;
  /** Default: `createBrowserPlatform()`. Node 20 has no WebSocket: see `adaptWebSocket`. */
  readonly platform?: Platform;
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
}

/** The clients of a project. */
export interface SupabaseClients<Database = UnknownDatabase> {
  /** Sign-in, session, account. */
  readonly auth: AuthClient;
  /** Tables, views and functions of the database. */
  readonly rest: RestClient<Database>;
  /** Channels. */
  readonly realtime: RealtimeClient<Database>;
  /** The platform of all clients. */
  readonly platform: Platform;
  /** For further clients: `createStorageClient(connection)`, `createFunctionsClient(connection)`. */
  readonly connection: SupabaseConnection;
  /** Ends timers, channels and the socket. The session stays in storage. */
  close(): void;
}

/**
 * Creates the auth, REST and realtime clients of a project; REST and realtime act as the signed-in user. Nothing is sent or
 * read before `auth.start()` or the first query.
 *
 * @throws {AuthError} `invalid-options`
 * @example
 * ```ts
 * import { createSupabaseClients } from 'supabase-protocol-clients';
 *
 * const { auth, rest } = createSupabaseClients<Database>({ url, apiKey });
 * await auth.start();
 * if (auth.getSnapshot().status === 'signed-out') {
 *   await auth.signInWithPassword({ email: 'ada@example.com', password: 'inbox-development' });
 * }
 * const unread = await rest.from('notifications').select().eq('status', 'unread');
 * ```
 */
export function createSupabaseClients<Database = UnknownDatabase>(
  options: SupabaseClientsOptions,
): SupabaseClients<Database> {
  const { url, apiKey, platform = createBrowserPlatform() } = options;
  const shared = { url, apiKey, platform };
  const auth = createAuthClient({
    address: getPageAddress(),
    ...options.auth,
    ...shared,
    store: options.store ?? createDefaultStore(),
  });
  const { getAccessToken, onTokenChange } = auth;
  const connection = { ...shared, getAccessToken };
  const rest = createRestClient({ ...options.rest, ...connection });
  const realtime = createRealtimeClient<Database>({ ...options.realtime, ...connection, onTokenChange });
  return {
    auth,
    rest: rest as unknown as RestClient<Database>,
    realtime,
    platform,
    connection,
    close() {
      realtime.close();
      auth.close();
    },
  };
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
