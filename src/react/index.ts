/** React over the clients: a provider, and hooks for the session, the user, a query and a live list. */
export {
  SupabaseProvider,
  type SupabaseProviderProps,
  useLazyClients,
  useSupabase,
} from './supabase-provider.tsx';
export { useAuth, useSession, useUser } from './use-auth.ts';
export type { QuerySnapshot } from './query-store.ts';
export { type QueryState, useQuery } from './use-query.ts';
export { useLiveList } from './use-live-list.ts';
export { usePresence } from './use-presence.ts';
