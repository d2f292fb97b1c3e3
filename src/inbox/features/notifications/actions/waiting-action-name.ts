import type { Notification } from '../model/notification.ts';
import type { WaitingAction } from '../model/waiting-action.ts';
import type { InboxTexts } from '../texts/inbox-texts.ts';
import { notificationTitle } from '../texts/notification-words.ts';

/** What a waiting action does, in words. A notification that is not loaded is counted only. */
export function waitingActionName(
  { operation, before }: WaitingAction,
  find: (id: string) => Notification | undefined,
  texts: InboxTexts,
): string {
  const names = texts.waitingAction;
  if (operation.type === 'read-all') return names.readAll;
  if (operation.type === 'remove-all') return names.removedAll;
  const [id = ''] = operation.ids;
  const row = operation.ids.length === 1 ? find(id) : undefined;
  const what = row ? names.title(notificationTitle(row, texts)) : names.count(operation.ids.length);
  if (operation.type === 'remove') return names.removed(what);
  if (operation.type === 'snooze')
    return operation.untilMs !== null && operation.untilMs > operation.nowMs
      ? names.snoozed(what)
      : names.woken(what);
  if (operation.status === 'read' && operation.ids.every((each) => before[each] === 'archived'))
    return names.unarchived(what);
  return names[operation.status](what);
}
