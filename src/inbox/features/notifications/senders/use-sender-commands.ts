import { useUser } from 'supabase-protocol-clients/react';
import { formatComingTime } from '../../../shared/coming-time.ts';
import { useClients } from '../../../shared/clients/clients-context.ts';
import { createSenderControlsApi } from '../../../shared/sender-controls/sender-controls-api.ts';
import type {
  MutedThread,
  SenderControlsApi,
  SenderReport,
  Thread,
} from '../../../shared/sender-controls/sender-controls-api.ts';
import { toasts } from '../../../ui/state/toasts.ts';
import { useLocale } from '../data/inbox-context.ts';
import { showUndoToast } from '../../../ui/list/undo-toast.ts';
import type { Notification } from '../model/notification.ts';
import { inboxTexts } from '../texts/inbox-texts.ts';
import { notificationEntity } from '../texts/notification-words.ts';
import { inboxDialogTexts } from '../texts/inbox-dialog-texts.ts';

/** Blocks senders and mutes threads, each with a toast that undoes it, and reports notifications. */
export function useSenderCommands() {
  const { loadRest, platform } = useClients();
  const userId = useUser()?.id ?? '';
  const texts = inboxDialogTexts.use().senders;
  const common = inboxTexts.use();
  const locale = useLocale();
  const withApi = async (act: (api: SenderControlsApi) => Promise<void>) => {
    const rest = await loadRest();
    await act(createSenderControlsApi(rest, userId));
  };
  /** Runs an action; if it fails, a toast offers to retry. */
  const attempt = async (act: (api: SenderControlsApi) => Promise<void>, onDone?: () => void) => {
    try {
      await withApi(act);
      onDone?.();
    } catch (problem) {
      platform.report(problem);
      toasts.show(texts.failed, {
        tone: 'error',
        action: { label: common.retry, run: () => void attempt(act, onDone) },
      });
    }
  };
  return {
    /** @param name the sender's name, for the toast. */
    block: (senderId: string, name: string) =>
      void attempt(
        (api) => api.block(senderId),
        () =>
          showUndoToast({
            text: texts.blocked(name),
            label: common.undo,
            undo: () => void attempt((api) => api.unblock(senderId)),
          }),
      ),
    /** Replaces an earlier mute, which an undo restores. */
    mute(thread: MutedThread, name: string) {
      const { mutedUntilMs } = thread;
      let earlier: MutedThread | null = null;
      const mute = async (api: SenderControlsApi) => {
        earlier = await api.readMute(thread);
        await api.mute(thread);
      };
      const restore = (api: SenderControlsApi) => (earlier ? api.mute(earlier) : api.unmute(thread));
      const text =
        mutedUntilMs === null
          ? texts.muted(name)
          : texts.mutedUntil(name, formatComingTime(mutedUntilMs, platform.clock.now(), locale, 'long'));
      void attempt(mute, () =>
        showUndoToast({ text, label: common.undo, undo: () => void attempt(restore) }),
      );
    },
    /** Rejects if the server refuses it. */
    report: (report: SenderReport) => withApi((api) => api.report(report)),
  };
}

/** The thread of the notification's entity, which a mute applies to; null: it has no entity. */
export function notificationThread(notification: Notification): Thread | null {
  const { entityType, entityId } = notification;
  if (entityId === null) return null;
  return { entityType: entityType ?? '', entityId, entityName: notificationEntity(notification) };
}
