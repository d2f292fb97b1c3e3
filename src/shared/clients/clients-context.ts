import { createContext, use, useContext, useSyncExternalStore } from 'react';
import type { AuthClient, UnverifiedUser } from '../../auth-client/index.ts';
import type { Platform } from '../../platform/platform.ts';
import type { RealtimeClient } from '../../realtime-client/index.ts';
import type { RestClient } from '../../rest-client/index.ts';
import type { Database } from '../../database.types.ts';
import type { Configuration } from './env.ts';

/** The application's clients; created once in main.tsx, or by a test. */
export interface Clients {
  readonly auth: AuthClient;
  readonly configuration: Configuration;
  readonly platform: Platform;
  /** Loads and creates the data clients, once. The auth screens do not need them. */
  readonly loadData: () => Promise<DataClients>;
}

export interface DataClients {
  readonly rest: RestClient<Database>;
  /** Loads and creates the realtime client, once, after the first list. */
  readonly loadRealtime: () => Promise<RealtimeClient>;
}

export const ClientsContext = createContext<Clients | null>(null);

export function useClients(): Clients {
  const clients = useContext(ClientsContext);
  if (clients === null) throw new Error('No clients: render within <ClientsContext>');
  return clients;
}

/** Suspends until the data clients are loaded. */
export function useDataClients(): DataClients {
  return use(useClients().loadData());
}

/** The auth client's snapshot; rerenders when it changes. */
export function useAuthState(): ReturnType<AuthClient['getSnapshot']> {
  const { auth } = useClients();
  return useSyncExternalStore(auth.subscribe, auth.getSnapshot);
}

/** The signed-in user; null when signed out. Unverified: for display, never for authorization. */
export function useUser(): UnverifiedUser | null {
  return useAuthState().session?.user ?? null;
}
