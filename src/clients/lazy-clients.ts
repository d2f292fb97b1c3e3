import type { AuthClient } from '../auth-client/index.ts';
import { createSharedAuth, type SupabaseClientsOptions, type SupabaseConnection } from './shared-auth.ts';
import type { Platform } from '../platform/platform.ts';
import type { createRealtimeClient, RealtimeClient } from '../realtime-client/index.ts';
import type { createRestClient, RestClient, UnknownDatabase } from '../rest-client/index.ts';

/** The options of `createLazyClients`. */
export interface LazyClientsOptions extends SupabaseClientsOptions {
  /** Imports the REST client: `() => import('supabase-protocol-clients/rest-client')`, or a module of your own that exports it. */
  readonly importRest: () => Promise<{ readonly createRestClient: typeof createRestClient }>;
  /** Imports the realtime client: `() => import('supabase-protocol-clients/realtime-client')`, or a module of your own. */
  readonly importRealtime: () => Promise<{ readonly createRealtimeClient: typeof createRealtimeClient }>;
}

/** The clients of a project. The auth client exists at once; REST and realtime are loaded on first use. */
export interface LazyClients<Database = UnknownDatabase> {
  /** Sign-in, session, account. */
  readonly auth: AuthClient;
  /** The platform of all clients. */
  readonly platform: Platform;
  /** For further clients: `createStorageClient(connection)`, `createFunctionsClient(connection)`. */
  readonly connection: SupabaseConnection;
  /** Returns the REST client: the same promise at each call. The next call retries a rejected import. */
  loadRest(): Promise<RestClient<Database>>;
  /** Returns the realtime client, as {@link LazyClients.loadRest} does the REST client. */
  loadRealtime(): Promise<RealtimeClient<Database>>;
  /** Ends timers, channels and the socket. The session stays in storage. */
  close(): void;
}

/**
 * Creates the clients of `createSupabaseClients`, with the code of REST and realtime in separate chunks, for pages that
 * need them late or never, such as a sign-in page.
 *
 * @throws {AuthError} `invalid-options`
 * @example
 * ```ts
 * import { createLazyClients } from 'supabase-protocol-clients/lazy';
 *
 * const { auth, loadRest } = createLazyClients<Database>({
 *   url,
 *   apiKey,
 *   importRest: () => import('supabase-protocol-clients/rest-client'),
 *   importRealtime: () => import('supabase-protocol-clients/realtime-client'),
 * });
 * await auth.signInWithPassword({ email: 'ada@example.com', password: 'inbox-development' });
 * const rest = await loadRest();
 * const unread = await rest.from('notifications').select().eq('status', 'unread');
 * ```
 */
export function createLazyClients<Database = UnknownDatabase>(
  options: LazyClientsOptions,
): LazyClients<Database> {
  const { importRest, importRealtime } = options;
  const { auth, connection, restOptions, realtimeOptions } = createSharedAuth(options);
  let closeRealtime: (() => void) | null = null;
  let isClosed = false;
  return {
    auth,
    platform: connection.platform,
    connection,
    loadRest: once(async () => {
      const module = await importRest();
      return module.createRestClient(restOptions) as unknown as RestClient<Database>;
    }),
    loadRealtime: once(async () => {
      const realtime = (await importRealtime()).createRealtimeClient<Database>(realtimeOptions);
      closeRealtime = () => realtime.close();
      if (isClosed) closeRealtime();
      return realtime;
    }),
    close() {
      isClosed = true;
      closeRealtime?.();
      auth.close();
    },
  };
}

/** Keeps the promise of the first call, unless it rejects. */
function once<T>(load: () => Promise<T>): () => Promise<T> {
  let loading: Promise<T> | null = null;
  return () => {
    loading ??= load();
    loading.catch(() => {
      loading = null;
    });
    return loading;
  };
}
