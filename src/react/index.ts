/** React over the clients: a provider, and hooks for the session, the user, queries, writes and live lists. */
export {
  SupabaseProvider,
  type SupabaseProviderProps,
  useLazyClients,
  useSupabase,
} from './supabase-provider.tsx';
export { useAuth, useSession, useUser } from './use-auth.ts';
export type { QuerySnapshot } from './query-store.ts';
export {
  type QueryState,
  type SuspenseQueryState,
  useQuery,
  type UseQueryOptions,
  useSuspenseQuery,
} from './use-query.ts';
export {
  type MutationState,
  optimistic,
  type OptimisticChange,
  useInvalidate,
  useMutation,
  type UseMutationOptions,
} from './use-mutation.ts';
export { useLiveList } from './use-live-list.ts';
export { usePresence } from './use-presence.ts';
