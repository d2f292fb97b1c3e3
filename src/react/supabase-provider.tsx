import { createContext, type ReactNode, use, useEffect } from 'react';
import type { SupabaseClients } from '../supabase-clients.ts';

const ClientsContext = createContext<SupabaseClients<unknown> | null>(null);

export interface SupabaseProviderProps {
  /** What `createSupabaseClients` returned, made once outside of any component. */
  readonly clients: SupabaseClients<unknown>;
  readonly children: ReactNode;
}

/** Gives the hooks their clients, and restores the stored session. */
export function SupabaseProvider({ clients, children }: SupabaseProviderProps) {
  useEffect(() => {
    clients.auth.start().catch(clients.platform.report);
  }, [clients]);
  return <ClientsContext value={clients}>{children}</ClientsContext>;
}

/**
 * The clients of the nearest {@link SupabaseProvider}.
 *
 * @throws {Error} outside of one.
 */
export function useSupabase<Database = unknown>(): SupabaseClients<Database> {
  const clients = use(ClientsContext);
  if (!clients) throw new Error('There is no SupabaseProvider above this component');
  return clients as SupabaseClients<Database>;
}
