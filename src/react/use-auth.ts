import { useSyncExternalStore } from 'react';
import type { AuthSnapshot, Session, UnverifiedUser } from '../auth-client/index.ts';
import { useProvidedClients } from './supabase-provider.tsx';

/**
 * The auth client's snapshot: status, user, session and callback error. The component renders again when it changes.
 *
 * @throws {Error} outside of a `SupabaseProvider`, as all hooks do.
 * @example
 * ```tsx
 * import { useAuth, useSupabase } from 'supabase-protocol-clients/react';
 *
 * export function Account() {
 *   const { auth } = useSupabase();
 *   const { status, user } = useAuth();
 *   if (status !== 'signed-in') return status === 'loading' ? <p>Loading...</p> : <a href="/login">Sign in</a>;
 *   return <button onClick={() => void auth.signOut()}>Sign out {user.email}</button>;
 * }
 * ```
 */
export function useAuth(): AuthSnapshot {
  const { auth } = useProvidedClients();
  return useSyncExternalStore(auth.subscribe, auth.getSnapshot, getServerSnapshot);
}

/** The snapshot for server rendering and hydration: the session is unknown until storage is read. */
const loading: AuthSnapshot = {
  status: 'loading',
  session: null,
  user: null,
  recovery: false,
  callbackError: null,
  callbackMessage: null,
  storageProblem: null,
};
const getServerSnapshot = () => loading;

/** The session; null while it loads and after sign-out: `useAuth().status` distinguishes them. */
export function useSession(): Session | null {
  return useAuth().session;
}

/** The user of the stored session, unverified; null as in {@link useSession}. */
export function useUser(): UnverifiedUser | null {
  return useAuth().user;
}
