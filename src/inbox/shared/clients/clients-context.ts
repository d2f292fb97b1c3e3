import { createContext, use, useContext } from 'react';
import type { LazyClients } from 'supabase-protocol-clients/lazy';
import { useLazyClients } from 'supabase-protocol-clients/react';
import type { RestClient } from 'supabase-protocol-clients/rest-client';
import type { Database } from '../../database.types.ts';
import type { Configuration } from './env.ts';

/** The application's clients; created once in main.tsx, or by a test. REST and realtime are loaded after sign-in. */
export type Clients = LazyClients<Database>;

export const ConfigurationContext = createContext<Configuration | null>(null);

export function useClients(): Clients {
  return useLazyClients<Database>();
}

/** The REST client. Suspends until its code is loaded. */
export function useRest(): RestClient<Database> {
  return use(useClients().loadRest());
}

export function useConfiguration(): Configuration {
  const configuration = useContext(ConfigurationContext);
  if (configuration === null) throw new Error('No configuration: render within <ConfigurationContext>');
  return configuration;
}
