import { useMemo, useState } from 'react';
import { navigate } from 'wouter/use-browser-location';
import { type LoginNotice, links } from '../../shared/routes.ts';
import { useClients, useRest } from '../../shared/clients/clients-context.ts';
import { RestError } from 'supabase-protocol-clients/rest-client';
import { Button } from '../../ui/button.tsx';
import { toasts } from '../../ui/overlay/toasts.ts';
import { FormMessages } from '../../ui/page/message.tsx';
import { createAccountApi } from './account-api.ts';
import layout from '../../ui/layout.module.css';
import { ConfirmDialog } from './confirm-dialog.tsx';
import { needsOlderProof, useRecentProof } from './proof/recent-proof.tsx';
import { Section } from '../../ui/section.tsx';
import { accountTexts } from './account-texts.ts';
import { saveFile } from './save-file.ts';

export function DataSection() {
  const texts = accountTexts.use();
  const { data: title } = accountTexts.use();
  const { auth, platform } = useClients();
  const rest = useRest();
  const api = useMemo(() => createAccountApi(rest), [rest]);
  const proof = useRecentProof();
  const [isAsking, setAsking] = useState(false);
  const [pending, setPending] = useState<'export' | 'delete' | null>(null);
  const [exported, setExported] = useState(0);
  const [message, setMessage] = useState<{ readonly error?: string; readonly success?: string }>({});

  const exportData = async () => {
    if (!(await proof.request('export'))) return;
    setPending('export');
    setExported(0);
    try {
      const date = new Date(platform.clock.now()).toISOString().slice(0, 10);
      const data = JSON.stringify(await api.exportData(setExported), null, 2);
      saveFile(`tidings-${date}.json`, data, 'application/json');
      setMessage({ success: texts.exportDone });
    } catch (problem) {
      platform.report(problem);
      setMessage({ error: needsOlderProof(problem) ? texts.proof.needsOlder : texts.exportFailed });
    }
    setPending(null);
  };
  const deleteAccount = async () => {
    setAsking(false);
    if (!(await proof.request('deletion'))) return;
    setPending('delete');
    try {
      await api.deleteAccount();
    } catch (problem) {
      platform.report(problem);
      const error = await explain(problem);
      if (error !== null) {
        setMessage({ error });
        return setPending(null);
      }
    }
    toasts.clear();
    // The server has ended the session already.
    await auth.signOut({ scope: 'local' }).catch(platform.report);
    navigate(links.login(), { replace: true, state: 'account-deleted' satisfies LoginNotice });
  };
  /** The message of a failed deletion; null if only the response was lost, because a long deletion outlasts the request. */
  const explain = async (problem: unknown): Promise<string | null> => {
    const { message = '', status = null } = problem instanceof RestError ? problem : {};
    if (message === 'account_has_files') return texts.deleteHasFiles;
    if (needsOlderProof(problem)) return texts.proof.needsOlder;
    if (status !== null && status < 500) return texts.deleteFailed;
    const hasAccount = await auth.getUser().then(
      () => true,
      () => auth.getSnapshot().session !== null,
    );
    return hasAccount ? texts.deleteUnconfirmed : null;
  };
  return (
    <Section id="data" title={title}>
      <FormMessages {...message} />
      <div className={layout.row}>
        <Button pending={pending === 'export'} onClick={() => void exportData()}>
          {pending === 'export' && exported > 0 ? texts.exportProgress(exported) : texts.export}
        </Button>
        <Button look="danger" pending={pending === 'delete'} onClick={() => setAsking(true)}>
          {texts.delete}
        </Button>
      </div>
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
    </Section>
  );
}
