import { useEffect, useMemo } from 'react';
import { useClients } from '../../../shared/clients/clients-context.ts';
import { toasts } from '../../../ui/overlay/toasts.ts';
import { createLoader, retryFailedLoad } from '../../../ui/state/loader.ts';
import { useInbox } from '../data/inbox-context.ts';
import { inboxTexts } from '../texts/inbox-texts.ts';
import type { createInboxCommands, InboxCommands } from './inbox-commands.ts';

let createCommands: typeof createInboxCommands | null = null;
const load = createLoader(async () => {
  createCommands = (await import('./inbox-commands.ts')).createInboxCommands;
});

/**
 * The same object until the inbox or the language changes. The code of the commands is loaded beside the first list; a command
 * before that takes effect once the code is there.
 */
export function useInboxCommands(): InboxCommands {
  const inbox = useInbox();
  const { report } = useClients().platform;
  const texts = inboxTexts.use();
  useEffect(() => {
    // A command tries again, and shows the failure.
    load().catch(retryFailedLoad);
  }, []);
  return useMemo(() => {
    const run = (command: (commands: InboxCommands) => void): void => {
      if (createCommands) return command(createCommands(inbox));
      load().then(
        () => run(command),
        (problem: unknown) => {
          retryFailedLoad(problem);
          report(problem);
          toasts.show(texts.actionFailed, {
            tone: 'error',
            action: { label: texts.retry, run: () => run(command) },
          });
        },
      );
    };
    return {
      setStatus: (...parts) => run((commands) => commands.setStatus(...parts)),
      snooze: (...parts) => run((commands) => commands.snooze(...parts)),
      unsnooze: (...parts) => run((commands) => commands.unsnooze(...parts)),
      remove: (...parts) => run((commands) => commands.remove(...parts)),
      markAllRead: (...parts) => run((commands) => commands.markAllRead(...parts)),
      removeAll: (...parts) => run((commands) => commands.removeAll(...parts)),
      toggleRead: (...parts) => run((commands) => commands.toggleRead(...parts)),
      toggleArchived: (...parts) => run((commands) => commands.toggleArchived(...parts)),
    };
  }, [inbox, report, texts]);
}
