import { useEffect, useState } from 'react';
import type { Factor } from 'supabase-protocol-clients/auth-client';
import { useClients } from '../../../shared/clients/clients-context.ts';
import { loadRecoveryCodes } from '../../../shared/load-recovery-codes.ts';
import type { RecoveryCodeStatus } from '../../../shared/recovery-codes/recovery-codes.ts';
import { Button } from '../../../ui/button.tsx';
import { FormMessages, Message } from '../../../ui/page/message.tsx';
import { Skeleton } from '../../../ui/spinner.tsx';
import { useLanguage } from '../../../ui/texts.ts';
import layout from '../../../ui/layout.module.css';
import { ConfirmDialog } from '../confirm-dialog.tsx';
import { isProofTooOld, useRecentProof } from '../proof/recent-proof.tsx';
import { takeFocus } from '../take-focus.ts';
import { accountTexts } from '../account-texts.ts';
import { CodeSheet } from './code-sheet.tsx';

export interface RecoveryCodesProps {
  /** Codes that the enrollment has just created; null: none. */
  readonly created: readonly string[] | null;
  readonly factors: readonly Factor[];
  readonly onChanged: () => Promise<void>;
}

/** How many recovery codes are left, and how to create new ones. */
export function RecoveryCodes(props: RecoveryCodesProps) {
  const { created, factors } = props;
  const { recoveryCodes: texts } = accountTexts.use();
  const [isSaved, setSaved] = useState(false);
  const [isAsking, setAsking] = useState(false);
  const { codes, setCodes, pending, problem, setProblem, create, dialog } = useCodes(props);
  const status = useCodeStatus(codes, factors, setProblem);
  if (codes) {
    const onDone = () => {
      setSaved(true);
      setCodes(null);
    };
    // After an enrollment the focus stays at the section's heading; otherwise the codes replace the focused button.
    return <CodeSheet codes={codes} takesFocus={codes !== created} onDone={onDone} />;
  }
  return (
    <>
      <h3 tabIndex={-1} ref={isSaved ? takeFocus : undefined}>
        {texts.title}
      </h3>
      <FormMessages error={problem} />
      {status === undefined ? (
        problem === undefined && <Skeleton height="48px" />
      ) : (
        <CodesLeft status={status} />
      )}
      {status !== undefined && (
        <div className={layout.row}>
          <Button pending={pending} onClick={() => (status ? setAsking(true) : void create())}>
            {status ? texts.replace : texts.create}
          </Button>
        </div>
      )}
      <ConfirmDialog
        open={isAsking}
        title={texts.replaceTitle}
        action={texts.replace}
        pending={false}
        onConfirm={() => {
          setAsking(false);
          void create();
        }}
        onClose={() => setAsking(false)}
      >
        <p>{texts.replaceText}</p>
      </ConfirmDialog>
      {dialog}
    </>
  );
}

function useCodes({ created, factors, onChanged }: RecoveryCodesProps) {
  const { recoveryCodes: texts, proof: proofTexts } = accountTexts.use();
  const clients = useClients();
  const proof = useRecentProof();
  const [codes, setCodes] = useState(created);
  const [pending, setPending] = useState(false);
  const [problem, setProblem] = useState<string>();
  const create = async () => {
    setProblem(undefined);
    if (!(await proof.request('codes'))) return;
    setPending(true);
    try {
      setCodes(await (await loadRecoveryCodes(clients, factors)).create());
      await onChanged();
    } catch (failure) {
      clients.platform.report(failure);
      setProblem(isProofTooOld(failure) ? proofTexts.needsOlder : texts.createFailed);
    }
    setPending(false);
  };
  return { codes, setCodes, pending, problem, setProblem, create, dialog: proof.dialog };
}

/** undefined: it is being read, or the codes are shown; null: no codes exist. */
function useCodeStatus(
  codes: readonly string[] | null,
  factors: readonly Factor[],
  onFail: (problem: string) => void,
): RecoveryCodeStatus | null | undefined {
  const { recoveryCodes: texts } = accountTexts.use();
  const clients = useClients();
  const [status, setStatus] = useState<RecoveryCodeStatus | null>();
  useEffect(() => {
    if (codes) return undefined;
    const controller = new AbortController();
    const load = async () => (await loadRecoveryCodes(clients, factors)).getStatus(controller.signal);
    load().then(setStatus, (failure: unknown) => {
      if (controller.signal.aborted) return;
      clients.platform.report(failure);
      onFail(texts.loadFailed);
    });
    return () => controller.abort();
  }, [clients, codes, factors, onFail, texts]);
  return status;
}

function CodesLeft({ status }: { readonly status: RecoveryCodeStatus | null }) {
  const { recoveryCodes: texts } = accountTexts.use();
  const date = new Intl.DateTimeFormat(useLanguage(), { dateStyle: 'long' });
  if (!status) return <Message tone="warning">{texts.none}</Message>;
  const { unused, createdAtMs } = status;
  if (unused === 0) return <Message tone="warning">{texts.noneLeft}</Message>;
  const since = createdAtMs === null ? null : date.format(createdAtMs);
  return <p className={layout.hint}>{texts.left(unused, since)}</p>;
}
