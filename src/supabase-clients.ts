import {
  type Address,
  type AuthClient,
  type AuthClientOptions,
  AuthError,
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

type Shared = 'url' | 'apiKey' | 'platform' | 'getAccessToken' | 'onTokenChange';

/** The project, and what to use instead of the defaults. */
export interface SupabaseClientsOptions {
  /** The project's URL (http or https). */
  readonly url: string;
  /** The project's public key: publishable, or the legacy anonymous JWT. */
  readonly anonKey: string;
  /** Where the session is kept. Default: the page's cookies, as `@supabase/ssr` has them; without a page, memory. */
  readonly store?: Store;
  /** Default: the realm's own (a page, a worker, Node). Node 20 has no WebSocket: see `adaptWebSocket`. */
  readonly platform?: Platform;
  /** Default `address`: the page's own, so that a link or a provider that leads back to it signs in. */
  readonly auth?: Partial<Omit<AuthClientOptions, Shared | 'store'>>;
  readonly rest?: Omit<RestClientOptions, Shared | 'schema'>;
  readonly realtime?: Omit<RealtimeClientOptions, Shared>;
}

/** What the storage and functions clients need to act as whoever is signed in. */
export interface SupabaseConnection {
  readonly url: string;
  readonly apiKey: string;
  readonly platform: Platform;
  readonly getAccessToken: AuthClient['getAccessToken'];
}

/** The clients of a project, joined. */
export interface SupabaseClients<Database = UnknownDatabase> {
  readonly auth: AuthClient;
  readonly rest: RestClient<Database>;
  readonly realtime: RealtimeClient<Database>;
  readonly platform: Platform;
  /** For further clients: `createStorageClient(connection)`, `createFunctionsClient(connection)`. */
  readonly connection: SupabaseConnection;
  /** Ends timers, channels and the socket. The session stays stored. */
  close(): void;
}

/**
 * The three clients of a project, joined: REST and realtime act as whoever is signed in. Nothing is sent and nothing
 * is read before `auth.start()` or the first query.
 *
 * @throws {AuthError} `configuration-incomplete`
 * @example
 * ```ts
 * import { createSupabaseClients } from 'supabase-protocol-clients';
 *
 * const { auth, rest } = createSupabaseClients<Database>({ url, anonKey });
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
  const { url, anonKey, platform = createBrowserPlatform() } = options;
  // The clients themselves know it as the API key.
  if (!anonKey)
    throw new AuthError('configuration-incomplete', 'Supabase configuration incomplete: anonKey is not set');
  const apiKey = anonKey;
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
