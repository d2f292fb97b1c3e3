import { createContext, type ReactNode, use, useEffect } from 'react';
import type { LazyClients } from '../clients/lazy-clients.ts';
import type { UnknownDatabase } from '../rest-client/index.ts';
import type { SupabaseClients } from '../clients/supabase-clients.ts';

type ProvidedClients = SupabaseClients | LazyClients;

const ClientsContext = createContext<ProvidedClients | null>(null);

/** Props of {@link SupabaseProvider}. */
export interface SupabaseProviderProps<Database> {
  /** The result of `createSupabaseClients` or `createLazyClients`, created once outside of any component. */
  readonly clients: SupabaseClients<Database> | LazyClients<Database>;
  /** The components that may use the hooks. */
  readonly children: ReactNode;
}

/**
 * Provides the hooks with clients, and restores the stored session.
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
  return <ClientsContext value={clients as unknown as ProvidedClients}>{children}</ClientsContext>;
}

/**
 * The clients of the nearest {@link SupabaseProvider}, if `createSupabaseClients` made them.
 *
 * @throws {Error} outside of one.
 */
export function useSupabase<Database = UnknownDatabase>(): SupabaseClients<Database> {
  const clients = useProvidedClients();
  if (!('rest' in clients)) throw new Error('The clients are lazy: call useLazyClients()');
  return clients as unknown as SupabaseClients<Database>;
}

/**
 * The clients of the nearest {@link SupabaseProvider}, if `createLazyClients` made them.
 *
 * @throws {Error} outside of one.
 */
export function useLazyClients<Database = UnknownDatabase>(): LazyClients<Database> {
  const clients = useProvidedClients();
  if (!('loadRest' in clients)) throw new Error('The clients are not lazy: call useSupabase()');
  return clients as unknown as LazyClients<Database>;
}

/** The clients of either kind: `auth`, `platform`, `connection`. @throws {Error} outside of a provider. */
export function useProvidedClients(): ProvidedClients {
  const clients = use(ClientsContext);
  if (!clients) throw new Error('There is no SupabaseProvider above this component');
  return clients;
}
