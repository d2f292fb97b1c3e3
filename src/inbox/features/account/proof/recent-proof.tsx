import { useState, type ReactNode } from 'react';
import { useClients } from '../../../shared/clients/clients-context.ts';
import { readProofTimeMs } from '../../../shared/token-claims.ts';
import { ProofDialog } from './proof-dialog.tsx';

/** As long as `delete_account` accepts a proof, less a minute for the request and for clocks that differ. */
const recentMs = 9 * 60_000;

export interface RecentProof {
  /** Asks for a password or code unless one was given some minutes ago. Resolves with false if the user cancels. */
  readonly request: () => Promise<boolean>;
  /** Render it beside the form, never inside of it: it has a form of its own. */
  readonly dialog: ReactNode;
}

/** A recent proof of identity, which changes of the address, the second factor and the account need. */
export function useRecentProof(): RecentProof {
  const { auth, platform } = useClients();
  const [settle, setSettle] = useState<((isProven: boolean) => void) | null>(null);
  const isRecent = () => {
    const { session } = auth.getSnapshot();
    return session !== null && platform.clock.now() - readProofTimeMs(session) < recentMs;
  };
  return {
    request: () =>
      isRecent()
        ? Promise.resolve(true)
        : new Promise((resolve) =>
            setSettle(() => (isProven: boolean) => {
              setSettle(null);
              resolve(isProven);
            }),
          ),
    dialog: settle && <ProofDialog onProven={() => settle(true)} onCancel={() => settle(false)} />,
  };
}
