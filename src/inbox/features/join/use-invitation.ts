import { useEffect, useState } from 'react';
import { useAuth } from 'supabase-protocol-clients/react';
import { useClients } from '../../shared/clients/clients-context.ts';
import { needsSecondFactor } from '../../shared/token-claims.ts';
import { classifyInvitation, type Invitation, type JoinState } from './invitation.ts';
import { createInvitationsApi, type InvitationAnswer } from './invitations-api.ts';

export interface UseInvitationResult {
  readonly state: JoinState;
  readonly reload: () => void;
  /** Resolves when the server has recorded the answer; rejects if the server refuses. */
  readonly answer: (answer: InvitationAnswer) => Promise<void>;
}

interface Reading {
  readonly token: string;
  readonly userId: string;
  readonly attempt: number;
  readonly outcome: { readonly invitation: Invitation | null } | { readonly error: unknown };
}

/** The invitation of a token as the signed-in user sees it; read again when the user changes. */
export function useInvitation(token: string): UseInvitationResult {
  const { loadRest, platform } = useClients();
  const { session } = useAuth();
  // Without the required second factor the user is not signed in yet; /login requires it.
  const userId = session && !needsSecondFactor(session) ? session.user.id : null;
  const [reading, setReading] = useState<Reading | null>(null);
  const [attempt, setAttempt] = useState(0);

  useEffect(() => {
    if (userId === null) return;
    const ended = new AbortController();
    const settle = (outcome: Reading['outcome']) => {
      if (!ended.signal.aborted) setReading({ token, userId, attempt, outcome });
    };
    loadRest()
      .then((rest) => createInvitationsApi(rest).read(token, ended.signal))
      .then(
        (invitation) => settle({ invitation }),
        (error: unknown) => {
          if (!ended.signal.aborted) platform.report(error);
          settle({ error });
        },
      );
    return () => ended.abort();
  }, [loadRest, platform, token, userId, attempt]);

  return {
    state: describe(reading?.attempt === attempt ? reading : null, token, userId),
    reload: () => setAttempt((current) => current + 1),
    async answer(answer) {
      const rest = await loadRest();
      const invitation = await createInvitationsApi(rest).answer(token, answer);
      if (userId !== null) setReading({ token, userId, attempt, outcome: { invitation } });
    },
  };
}

function describe(reading: Reading | null, token: string, userId: string | null): JoinState {
  if (userId === null) return { type: 'signed-out' };
  if (reading?.token !== token || reading.userId !== userId) return { type: 'loading' };
  return 'error' in reading.outcome
    ? { type: 'failed', error: reading.outcome.error }
    : classifyInvitation(reading.outcome.invitation, userId);
}
