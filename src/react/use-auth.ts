import { useSyncExternalStore } from 'react';
import type { AuthSnapshot, Session, UnverifiedUser } from '../auth-client/index.ts';
import { useSupabase } from './supabase-provider.tsx';

/**
 * Whether somebody is signed in, who, and what the last callback URL brought. Rendered anew when it changes.
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
  const { auth } = useSupabase();
  return useSyncExternalStore(auth.subscribe, auth.getSnapshot, auth.getSnapshot);
}

/** The session; null while it loads and when nobody is signed in: `useAuth().status` tells which. */
export function useSession(): Session | null {
  return useAuth().session;
}

/** The user as stored, unverified; null as in {@link useSession}. */
export function useUser(): UnverifiedUser | null {
  return useAuth().user;
}
