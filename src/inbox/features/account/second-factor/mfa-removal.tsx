import { useState } from 'react';
import type { Factor } from 'supabase-protocol-clients/auth-client';
import { createMfa } from 'supabase-protocol-clients/auth-client/mfa';
import { runFormAction } from '../../../shared/auth-problem/auth-problem.ts';
import { useClients } from '../../../shared/clients/clients-context.ts';
import { usedOnlyRecoveryCode } from '../../../shared/token-claims.ts';
import { FormMessages } from '../../../ui/page/message.tsx';
import { accountTexts } from '../account-texts.ts';
import { ConfirmDialog } from '../confirm-dialog.tsx';
import { useRecentProof } from '../proof/recent-proof.tsx';

export interface MfaRemovalProps {
  /** The factor to remove; null: the dialog is closed. */
  readonly factor: Factor | null;
  readonly name: string;
  readonly isLast: boolean;
  /** The auth service has recovery codes of the account, and keeps the last factor until they are removed. */
  readonly hasServiceCodes: boolean;
  readonly onClose: () => void;
  readonly onRemoved: (name: string) => Promise<void>;
}

/** Asks for confirmation before a factor is removed. */
export function MfaRemoval({ factor, name, isLast, hasServiceCodes, onClose, onRemoved }: MfaRemovalProps) {
  const texts = accountTexts.use();
  const { auth } = useClients();
  const [pending, setPending] = useState(false);
  const [problem, setProblem] = useState<string>();
  const proof = useRecentProof();
  const takesCodes = isLast && hasServiceCodes;
  const remove = async () => {
    if (!factor || !(await proof.request('factors'))) return;
    const { session } = auth.getSnapshot();
    // Without the codes such a session could not remove the factor either, and the next sign-in would require it.
    if (takesCodes && session && usedOnlyRecoveryCode(session)) return setProblem(texts.mfaRemoveAddFirst);
    setPending(true);
    const failure = await runFormAction([], async () => {
      if (takesCodes) {
        const { createRecoveryCodes } = await import('supabase-protocol-clients/auth-client/recovery-codes');
        await createRecoveryCodes(auth).unenroll();
      }
      await createMfa(auth).unenroll({ factorId: factor.id });
    });
    setPending(false);
    setProblem(failure?.message);
    if (!failure) await onRemoved(name);
  };
  return (
    <>
      <ConfirmDialog
        open={factor !== null}
        title={texts.removeTitle(name)}
        action={texts.remove}
        pending={pending}
        onConfirm={() => void remove()}
        onClose={() => {
          setProblem(undefined);
          onClose();
        }}
      >
        <FormMessages error={problem} />
        <p>{texts.mfaRemoveText}</p>
        {takesCodes && <p>{texts.mfaRemoveCodesToo}</p>}
        {isLast && <p>{texts.mfaRemoveLast}</p>}
      </ConfirmDialog>
      {proof.dialog}
    </>
  );
}
