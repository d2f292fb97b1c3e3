/** React over the clients: a provider, and hooks for the session, the user, live lists and presence. */
export {
  SupabaseProvider,
  type SupabaseProviderProps,
  useLazyClients,
  useSupabase,
} from './supabase-provider.tsx';
export { useAuth, useSession, useUser } from './use-auth.ts';
export { useLiveList } from './use-live-list.ts';
export { usePresence } from './use-presence.ts';
