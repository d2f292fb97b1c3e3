import { useEffect, useState } from 'react';
import { useClients } from '../../shared/clients/clients-context.ts';
import type { InvitationPreview } from './invitation.ts';
import { createInvitationsApi } from './invitations-api.ts';

/** What a token shows without a sign-in. `failed`: it could not be read, which does not prevent a sign-in. */
export function useInvitationPreview(token: string): InvitationPreview | 'loading' | 'unknown' | 'failed' {
  const { loadRest, platform } = useClients();
  const [preview, setPreview] = useState<InvitationPreview | 'loading' | 'unknown' | 'failed'>('loading');
  useEffect(() => {
    const controller = new AbortController();
    loadRest()
      .then((rest) => createInvitationsApi(rest).preview(token, controller.signal))
      .then(
        (found) => setPreview(found ?? 'unknown'),
        (problem: unknown) => {
          if (controller.signal.aborted) return;
          platform.report(problem);
          setPreview('failed');
        },
      );
    return () => controller.abort();
  }, [loadRest, platform, token]);
  return preview;
}
