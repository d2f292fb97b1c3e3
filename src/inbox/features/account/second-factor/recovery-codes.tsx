import { useEffect, useState } from 'react';
import type { Factor } from 'supabase-protocol-clients/auth-client';
import { useClients } from '../../../shared/clients/clients-context.ts';
import { loadRecoveryCodes } from '../../../shared/recovery-codes/load-recovery-codes.ts';
import type { RecoveryCodeStatus } from '../../../shared/recovery-codes/recovery-codes.ts';
import { Button } from '../../../ui/button.tsx';
import { FormMessages, Message } from '../../../ui/page/message.tsx';
import { Skeleton } from '../../../ui/spinner.tsx';
import { useLanguage } from '../../../ui/texts.ts';
import layout from '../../../ui/layout.module.css';
import { ConfirmDialog } from '../confirm-dialog.tsx';
import { needsOlderProof, useRecentProof } from '../proof/recent-proof.tsx';
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
export function RecoveryCodes({ created, factors, onChanged }: RecoveryCodesProps) {
  const {
    recoveryCodes: texts,
    proof: { needsOlder },
  } = accountTexts.use();
  const language = useLanguage();
  const clients = useClients();
  const { platform } = clients;
  const proof = useRecentProof();
  const [codes, setCodes] = useState(created);
  const [isSaved, setSaved] = useState(false);
  const [status, setStatus] = useState<RecoveryCodeStatus | null>();
  const [isAsking, setAsking] = useState(false);
  const [pending, setPending] = useState(false);
  const [problem, setProblem] = useState<string>();
  useEffect(() => {
    if (codes) return undefined;
    const controller = new AbortController();
    const load = async () => (await loadRecoveryCodes(clients, factors)).getStatus(controller.signal);
    load().then(setStatus, (failure: unknown) => {
      if (controller.signal.aborted) return;
      platform.report(failure);
      setProblem(texts.loadFailed);
    });
    return () => controller.abort();
  }, [clients, codes, factors, platform, texts]);
  const create = async () => {
    setAsking(false);
    setProblem(undefined);
    if (!(await proof.request('codes'))) return;
    setPending(true);
    try {
      setCodes(await (await loadRecoveryCodes(clients, factors)).create());
      await onChanged();
    } catch (failure) {
      platform.report(failure);
      setProblem(needsOlderProof(failure) ? needsOlder : texts.createFailed);
    }
    setPending(false);
  };
  if (codes) {
    const onDone = () => {
      setSaved(true);
      setCodes(null);
    };
    // After an enrollment the focus stays at the section's heading; otherwise the codes replace the focused button.
    return <CodeSheet codes={codes} takesFocus={codes !== created} onDone={onDone} />;
  }
  const date = new Intl.DateTimeFormat(language, { dateStyle: 'long' });
  return (
    <>
      <h3 tabIndex={-1} ref={isSaved ? takeFocus : undefined}>
        {texts.title}
      </h3>
      <FormMessages error={problem} />
      {status === undefined && problem === undefined && <Skeleton height="48px" />}
      {status === null && <Message tone="warning">{texts.none}</Message>}
      {status?.unused === 0 && <Message tone="warning">{texts.noneLeft}</Message>}
      {status && status.unused > 0 && (
        <p className={layout.hint}>
          {texts.left(status.unused, status.createdAtMs === null ? null : date.format(status.createdAtMs))}
        </p>
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
        onConfirm={() => void create()}
        onClose={() => setAsking(false)}
      >
        <p>{texts.replaceText}</p>
      </ConfirmDialog>
      {proof.dialog}
    </>
  );
}
