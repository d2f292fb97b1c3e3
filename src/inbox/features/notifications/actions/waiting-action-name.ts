import type { Notification } from '../model/notification.ts';
import type { WaitingAction } from '../model/waiting-action.ts';
import type { InboxTexts } from '../texts/notification-texts.en.ts';
import { notificationTitle } from '../texts/notification-words.ts';
import type { WaitingTexts } from './waiting-texts.en.ts';

/** What a waiting action does, in words. A notification that is not loaded is counted only. */
export function waitingActionName(
  { operation, before }: WaitingAction,
  find: (id: string) => Notification | undefined,
  texts: WaitingTexts,
  inboxTexts: InboxTexts,
): string {
  if (operation.type === 'read-all') return texts.readAll;
  if (operation.type === 'remove-all') return texts.removedAll;
  const [id = ''] = operation.ids;
  const row = operation.ids.length === 1 ? find(id) : undefined;
  const what = row ? texts.title(notificationTitle(row, inboxTexts)) : texts.count(operation.ids.length);
  if (operation.type === 'remove') return texts.removed(what);
  if (operation.type === 'snooze')
    return operation.untilMs !== null && operation.untilMs > operation.nowMs
      ? texts.snoozed(what)
      : texts.woken(what);
  if (operation.status === 'read' && operation.ids.every((each) => before[each] === 'archived'))
    return texts.unarchived(what);
  return texts[operation.status](what);
}
