import { useState } from 'react';
import { navigate } from 'wouter/use-browser-location';
import { type LoginNotice, links } from '../../shared/routes.ts';
import { useClients, useRest } from '../../shared/clients/clients-context.ts';
import type { AuthClient } from 'supabase-protocol-clients/auth-client';
import { RestError } from 'supabase-protocol-clients/rest-client';
import { Button } from '../../ui/button.tsx';
import { toasts } from '../../ui/state/toasts.ts';
import { FormMessages } from '../../ui/page/message.tsx';
import { createAccountApi } from './account-api.ts';
import layout from '../../ui/layout.module.css';
import { ConfirmDialog } from './confirm-dialog.tsx';
import { isProofTooOld, useRecentProof } from './proof/recent-proof.tsx';
import { Section } from '../../ui/section.tsx';
import { accountTexts, type AccountTexts } from './account-texts.ts';
import { saveFile } from './save-file.ts';

interface Message {
  readonly error?: string;
  readonly success?: string;
}

export function DataSection() {
  const texts = accountTexts.use();
  const [message, setMessage] = useState<Message>({});
  return (
    <Section id="data" title={texts.data}>
      <FormMessages {...message} />
      <div className={layout.row}>
        <ExportButton onMessage={setMessage} />
        <DeletionButton onMessage={setMessage} />
      </div>
    </Section>
  );
}

interface DataButtonProps {
  readonly onMessage: (message: Message) => void;
}

function ExportButton({ onMessage }: DataButtonProps) {
  const texts = accountTexts.use();
  const { platform } = useClients();
  const rest = useRest();
  const proof = useRecentProof();
  const [pending, setPending] = useState(false);
  const [exported, setExported] = useState(0);
  const exportData = async () => {
    if (!(await proof.request('export'))) return;
    setPending(true);
    setExported(0);
    try {
      const date = new Date(platform.clock.now()).toISOString().slice(0, 10);
      const data = JSON.stringify(await createAccountApi(rest).exportData(setExported), null, 2);
      saveFile(`tidings-${date}.json`, data, 'application/json');
      onMessage({ success: texts.exportDone });
    } catch (problem) {
      platform.report(problem);
      onMessage({ error: isProofTooOld(problem) ? texts.proof.needsOlder : texts.exportFailed });
    }
    setPending(false);
  };
  return (
    <>
      <Button pending={pending} onClick={() => void exportData()}>
        {pending && exported > 0 ? texts.exportProgress(exported) : texts.export}
      </Button>
      {proof.dialog}
    </>
  );
}

function DeletionButton({ onMessage }: DataButtonProps) {
  const texts = accountTexts.use();
  const { auth, platform } = useClients();
  const rest = useRest();
  const proof = useRecentProof();
  const [isAsking, setAsking] = useState(false);
  const [pending, setPending] = useState(false);
  const deleteAccount = async () => {
    setAsking(false);
    if (!(await proof.request('deletion'))) return;
    setPending(true);
    try {
      await createAccountApi(rest).deleteAccount();
    } catch (problem) {
      platform.report(problem);
      const error = await explainDeletion(problem, auth, texts);
      if (error !== null) {
        onMessage({ error });
        return setPending(false);
      }
    }
    toasts.clear();
    // The server has ended the session already.
    await auth.signOut({ scope: 'local' }).catch(platform.report);
    navigate(links.login(), { replace: true, state: 'account-deleted' satisfies LoginNotice });
  };
  return (
    <>
      <Button look="danger" pending={pending} onClick={() => setAsking(true)}>
        {texts.delete}
      </Button>
      <ConfirmDialog
        open={isAsking}
        title={texts.deleteTitle}
        action={texts.delete}
        pending={false}
        onConfirm={() => void deleteAccount()}
        onClose={() => setAsking(false)}
      >
        <p>{texts.deleteText}</p>
      </ConfirmDialog>
      {proof.dialog}
    </>
  );
}

/** The message of a failed deletion; null if only the response was lost, because a long deletion outlasts the request. */
async function explainDeletion(
  problem: unknown,
  auth: AuthClient,
  texts: AccountTexts,
): Promise<string | null> {
  const { message = '', status = null } = problem instanceof RestError ? problem : {};
  if (message === 'account_has_files') return texts.deleteHasFiles;
  if (isProofTooOld(problem)) return texts.proof.needsOlder;
  if (status !== null && status < 500) return texts.deleteFailed;
  const hasAccount = await auth.getUser().then(
    () => true,
    () => auth.getSnapshot().session !== null,
  );
  return hasAccount ? texts.deleteUnconfirmed : null;
}
