import { createContext, use, useContext, useSyncExternalStore } from 'react';
import type { AuthClient, UnverifiedUser } from '../../auth-client/index.ts';
import type { Platform } from '../../platform/platform.ts';
import type { RealtimeClient } from '../../realtime-client/index.ts';
import type { RestClient } from '../../rest-client/index.ts';
import type { Database } from '../../database.types.ts';
import type { Configuration } from './env.ts';

/** What the application talks to the world through; made once in main.tsx, or by a test. */
export interface Clients {
  readonly auth: AuthClient;
  readonly configuration: Configuration;
  readonly platform: Platform;
  /** Loads the code of the data clients and makes them, once. The auth screens go without. */
  readonly loadData: () => Promise<DataClients>;
}

export interface DataClients {
  readonly rest: RestClient<Database>;
  /** Loads the realtime client's code and makes it, once: the first list does not wait for it. */
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

/** What the auth client knows of the session; renders anew whenever that changes. */
export function useAuthState(): ReturnType<AuthClient['getSnapshot']> {
  const { auth } = useClients();
  return useSyncExternalStore(auth.subscribe, auth.getSnapshot);
}

/** Who is signed in; `null` where nobody is. Unverified: good for showing, not for deciding. */
export function useUser(): UnverifiedUser | null {
  return useAuthState().session?.user ?? null;
}
