import { useEffect } from 'react';
import { toasts } from '../../../ui/overlay/toasts.ts';
import { useInbox, useInboxSnapshot } from '../data/inbox-context.ts';
import { inboxTexts } from '../texts/inbox-texts.ts';

/** Shows one toast when an action failed and was rolled back, with a retry. */
export function useFailedActionToast(): void {
  const texts = inboxTexts.use();
  const inbox = useInbox();
  const { problem } = useInboxSnapshot();
  useEffect(() => {
    if (problem?.type !== 'action') return;
    const id = toasts.show(texts.actionFailed, {
      tone: 'error',
      action: { label: texts.retry, run: inbox.retry },
      onGone: () => inbox.getSnapshot().problem === problem && inbox.dismissProblem(),
    });
    return () => toasts.dismiss(id);
  }, [problem, inbox, texts]);
}
