import { useCallback, useEffect, useState } from 'react';
import type { UnverifiedUser } from 'supabase-protocol-clients/auth-client';
import { runFormAction } from '../../shared/auth-problem/auth-problem.ts';
import { useAuth } from 'supabase-protocol-clients/react';
import { useClients } from '../../shared/clients/clients-context.ts';

export interface Account {
  /** From the server; from the stored session until the response arrives. */
  readonly user: UnverifiedUser;
  readonly status: 'loading' | 'ready' | 'failed';
  /** Why it could not be loaded. */
  readonly problem: string | undefined;
  /** Reads the account from the server again. */
  readonly reload: () => Promise<void>;
}

/** The signed-in user's account. Null only while signing out. */
export function useAccount(): Account | null {
  const { auth } = useClients();
  const { user: stored } = useAuth();
  const [loaded, setLoaded] = useState<UnverifiedUser | null>(null);
  const [state, setState] = useState<Pick<Account, 'status' | 'problem'>>({
    status: 'loading',
    problem: undefined,
  });
  const load = useCallback(
    () =>
      runFormAction([], async () => setLoaded(await auth.getUser())).then((failure) =>
        setState({ status: failure ? 'failed' : 'ready', problem: failure?.message }),
      ),
    [auth],
  );
  useEffect(() => void load(), [load]);
  // A change of the stored user (by this page, a refresh or another tab) supersedes the loaded one.
  const [seen, setSeen] = useState(stored);
  if (stored !== seen) {
    setSeen(stored);
    setLoaded(null);
  }
  const user = loaded ?? stored;
  return user && { user, ...state, reload: load };
}
