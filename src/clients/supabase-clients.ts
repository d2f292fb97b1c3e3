import type { AuthClient } from '../auth-client/index.ts';
import { createSharedAuth, type SupabaseClientsOptions, type SupabaseConnection } from './shared-auth.ts';
import type { Platform } from '../platform/platform.ts';
import { createRealtimeClient, type RealtimeClient } from '../realtime-client/index.ts';
import { createRestClient, type RestClient, type UnknownDatabase } from '../rest-client/index.ts';

export type { SupabaseClientsOptions, SupabaseConnection } from './shared-auth.ts';
export type { ClientEvent, ServiceOptions } from './service-options.ts';

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
  const { auth, connection, restOptions, realtimeOptions } = createSharedAuth(options);
  const realtime = createRealtimeClient<Database>(realtimeOptions);
  return {
    auth,
    rest: createRestClient(restOptions) as unknown as RestClient<Database>,
    realtime,
    platform: connection.platform,
    connection,
    close() {
      realtime.close();
      auth.close();
    },
  };
}
