import { useUser } from '../../../react/index.ts';
import { useClients } from '../../../shared/clients/clients-context.ts';
import { createSenderControlsApi } from '../../../shared/sender-controls/sender-controls-api.ts';
import type {
  MutedThread,
  SenderControlsApi,
  SenderReport,
} from '../../../shared/sender-controls/sender-controls-api.ts';
import { toasts } from '../../../ui/overlay/toasts.ts';
import { showUndoToast } from '../actions/undo-toast.ts';
import type { Notification } from '../model/notification.ts';
import { inboxTexts } from '../texts/notification-texts.ts';
import { notificationEntity } from '../texts/notification-words.ts';
import { senderTexts } from './sender-texts.ts';

/** Limits senders, each action with a toast that undoes it. */
export interface SenderCommands {
  /** @param name the sender's name, for the toast. */
  block(senderId: string, name: string): void;
  mute(thread: MutedThread, name: string): void;
  /** Rejects if the server refuses it. */
  report(report: SenderReport): Promise<void>;
}

export function useSenderCommands(): SenderCommands {
  const { loadRest, platform } = useClients();
  const userId = useUser()?.id ?? '';
  const texts = senderTexts.use();
  const common = inboxTexts.use();
  const withApi = async (act: (api: SenderControlsApi) => Promise<void>) => {
    const rest = await loadRest();
    await act(createSenderControlsApi(rest, userId));
  };
  /** An action that failed offers another try. */
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
    block: (senderId, name) =>
      void attempt(
        (api) => api.block(senderId),
        () =>
          showUndoToast({
            text: texts.blocked(name),
            label: common.undo,
            undo: () => void attempt((api) => api.unblock(senderId)),
          }),
      ),
    mute: (thread, name) =>
      void attempt(
        (api) => api.mute(thread),
        () =>
          showUndoToast({
            text: texts.muted(name),
            label: common.undo,
            undo: () => void attempt((api) => api.unmute(thread)),
          }),
      ),
    report: (report) => withApi((api) => api.report(report)),
  };
}

/** The thread that a mute of the notification's entity concerns; null: it is about no entity. */
export function threadOf(notification: Notification): MutedThread | null {
  const { entityType, entityId } = notification;
  if (entityId === null) return null;
  return { entityType: entityType ?? '', entityId, entityName: notificationEntity(notification) };
}
