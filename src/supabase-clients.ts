import {
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
import { createRestClient, type RestClient, type RestClientOptions } from './rest-client/index.ts';

type Shared = 'url' | 'apiKey' | 'platform' | 'getAccessToken' | 'onTokenChange';

export interface SupabaseClientsOptions {
  /** The project's URL (http or https). */
  readonly url: string;
  /** The project's public key: publishable, or the legacy anonymous JWT. */
  readonly anonKey: string;
  /** Where the session is kept. Default: the page's cookies, as `@supabase/ssr` has them; without a page, memory. */
  readonly store?: Store;
  /** Default: the realm's own (a page, a worker, Node). Node 20 has no WebSocket: pass `openSocket` there. */
  readonly platform?: Platform;
  readonly auth?: Partial<Omit<AuthClientOptions, Shared | 'store'>>;
  readonly rest?: Omit<RestClientOptions, Shared | 'schema'>;
  readonly realtime?: Omit<RealtimeClientOptions, Shared>;
}

export interface SupabaseClients<Database> {
  readonly auth: AuthClient;
  readonly rest: RestClient<Database>;
  readonly realtime: RealtimeClient<Database>;
  readonly platform: Platform;
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
 * const { auth, rest } = createSupabaseClients<Database>({ url, anonKey });
 * await auth.start();
 * const unread = await rest.from('notifications').select('*').eq('status', 'unread');
 * ```
 */
export function createSupabaseClients<Database = unknown>(
  options: SupabaseClientsOptions,
): SupabaseClients<Database> {
  const { url, anonKey: apiKey, platform = createBrowserPlatform() } = options;
  const connection = { url, apiKey, platform };
  const auth = createAuthClient({
    ...options.auth,
    ...connection,
    store: options.store ?? createDefaultStore(),
  });
  const { getAccessToken, onTokenChange } = auth;
  const rest = createRestClient({ ...options.rest, ...connection, getAccessToken });
  const realtime = createRealtimeClient<Database>({
    ...options.realtime,
    ...connection,
    getAccessToken,
    onTokenChange,
  });
  return {
    auth,
    rest: rest as unknown as RestClient<Database>,
    realtime,
    platform,
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
