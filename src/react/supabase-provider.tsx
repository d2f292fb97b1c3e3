import { createContext, type ReactNode, use, useEffect } from 'react';
import type { UnknownDatabase } from '../rest-client/index.ts';
import type { SupabaseClients } from '../supabase-clients.ts';

const ClientsContext = createContext<SupabaseClients | null>(null);

/** Props of {@link SupabaseProvider}. */
export interface SupabaseProviderProps<Database> {
  /** The result of `createSupabaseClients`, created once outside of any component. */
  readonly clients: SupabaseClients<Database>;
  /** The components that may use the hooks. */
  readonly children: ReactNode;
}

/**
 * Gives the hooks their clients, and restores the stored session.
 *
 * @example
 * ```tsx
 * import { createRoot } from 'react-dom/client';
 * import { createSupabaseClients } from 'supabase-protocol-clients';
 * import { SupabaseProvider, useUser } from 'supabase-protocol-clients/react';
 *
 * const clients = createSupabaseClients({ url, apiKey });
 * const Greeting = () => <h1>Hello {useUser()?.email ?? 'stranger'}</h1>;
 *
 * createRoot(document.body).render(
 *   <SupabaseProvider clients={clients}>
 *     <Greeting />
 *   </SupabaseProvider>,
 * );
 * ```
 */
export function SupabaseProvider<Database>({ clients, children }: SupabaseProviderProps<Database>) {
  useEffect(() => {
    clients.auth.start().catch(clients.platform.report);
  }, [clients]);
  return <ClientsContext value={clients as unknown as SupabaseClients}>{children}</ClientsContext>;
}

/**
 * The clients of the nearest {@link SupabaseProvider}.
 *
 * @throws {Error} outside of one.
 */
export function useSupabase<Database = UnknownDatabase>(): SupabaseClients<Database> {
  const clients = use(ClientsContext);
  if (!clients) throw new Error('There is no SupabaseProvider above this component');
  return clients as unknown as SupabaseClients<Database>;
}
