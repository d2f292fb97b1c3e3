import { useCallback, useEffect, useState } from 'react';
import type { UnverifiedUser } from '../../auth-client/index.ts';
import { attempt } from '../../shared/auth-problem/auth-problem.ts';
import { useAuthState, useClients } from '../../shared/clients/clients-context.ts';

export interface Account {
  /** As the server knows it; from storage until it has answered. */
  readonly user: UnverifiedUser;
  readonly status: 'loading' | 'ready' | 'failed';
  /** Why it could not be loaded. */
  readonly problem: string | undefined;
  /** Asks the server anew. */
  readonly reload: () => Promise<void>;
}

/** The account of whoever is signed in. Null only while they are leaving. */
export function useAccount(): Account | null {
  const { auth } = useClients();
  const { user: stored } = useAuthState();
  const [loaded, setLoaded] = useState<UnverifiedUser | null>(null);
  const [state, setState] = useState<Pick<Account, 'status' | 'problem'>>({
    status: 'loading',
    problem: undefined,
  });
  const load = useCallback(
    () =>
      attempt([], async () => setLoaded(await auth.getUser())).then((failure) =>
        setState({ status: failure ? 'failed' : 'ready', problem: failure?.message }),
      ),
    [auth],
  );
  useEffect(() => void load(), [load]);
  // A change of the stored user (by this page, a refresh or another tab) is newer than what was loaded.
  const [seen, setSeen] = useState(stored);
  if (stored !== seen) {
    setSeen(stored);
    setLoaded(null);
  }
  const user = loaded ?? stored;
  return user && { user, ...state, reload: load };
}
