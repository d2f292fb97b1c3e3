import { useState, type ReactNode } from 'react';
import { RestError } from 'supabase-protocol-clients/rest-client';
import { useClients, type Clients } from '../../../shared/clients/clients-context.ts';
import { onDemand } from '../../../ui/state/loader.ts';
import { PartBoundary } from '../../../ui/page/part-boundary.tsx';
import { readProofTimeMs, readSessionId } from '../../../shared/token-claims.ts';
import { createAccountApi } from '../account-api.ts';
import { endedSessions } from '../ended-sessions.ts';
import type { ProofPurpose } from './proof-dialog.tsx';

const ProofDialog = onDemand(async () => (await import('./proof-dialog.tsx')).ProofDialog);

/** Half as long as the database accepts a proof: an enrollment, which ends with recovery codes, takes minutes. */
const recentMs = 5 * 60_000;

/** Whether the database refused because the session was proven too long ago, or by a credential that was set within a day. */
export const isProofTooOld = (problem: unknown): boolean =>
  problem instanceof RestError && problem.message === 'reauthentication_needed';

export interface RecentProof {
  /** Requires a password or code unless one was entered some minutes ago. Resolves with false if the user cancels. */
  readonly request: (purpose: ProofPurpose) => Promise<boolean>;
  /** Render it beside the form, not inside, because it contains a form. */
  readonly dialog: ReactNode;
}

interface OpenRequest {
  readonly purpose: ProofPurpose;
  readonly settle: (isProven: boolean) => void;
}

/** A recent proof of identity, which changes of the address, the second factor and the account need. */
export function useRecentProof(): RecentProof {
  const clients = useClients();
  const { auth, platform } = clients;
  const [open, setOpen] = useState<OpenRequest | null>(null);
  const isRecent = () => {
    const { session } = auth.getSnapshot();
    return session !== null && platform.clock.now() - readProofTimeMs(session) < recentMs;
  };
  const ask = (purpose: ProofPurpose) => {
    const { session } = auth.getSnapshot();
    const earlierId = session === null ? '' : readSessionId(session);
    return new Promise<boolean>((resolve) =>
      setOpen({
        purpose,
        settle(isProven) {
          setOpen(null);
          resolve(isProven);
          if (isProven) void endReplacedSession(clients, earlierId);
        },
      }),
    );
  };
  return {
    request: (purpose) => (isRecent() ? Promise.resolve(true) : ask(purpose)),
    dialog: open && (
      <PartBoundary onFail={() => open.settle(false)}>
        <ProofDialog
          purpose={open.purpose}
          onProven={() => open.settle(true)}
          onCancel={() => open.settle(false)}
        />
      </PartBoundary>
    ),
  };
}

/** A proof by password or mail is a new sign-in: without this the earlier session would stay as another device. */
async function endReplacedSession({ auth, loadRest, platform }: Clients, earlierId: string): Promise<void> {
  const { session } = auth.getSnapshot();
  if (earlierId === '' || session === null || readSessionId(session) === earlierId) return;
  try {
    await createAccountApi(await loadRest()).endDevice(earlierId);
    endedSessions.set(endedSessions.getSnapshot() + 1);
  } catch (problem) {
    platform.report(problem);
  }
}
