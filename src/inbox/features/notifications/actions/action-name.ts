import type { Notification } from '../model/notification.ts';
import type { StoredAction } from '../model/stored-action.ts';
import type { InboxTexts } from '../texts/inbox-texts.ts';
import { notificationTitle } from '../texts/notification-words.ts';

/** What a pending action does, in words. A notification that is not loaded is counted only. */
export function actionName(
  { action, before }: StoredAction,
  find: (id: string) => Notification | undefined,
  texts: InboxTexts,
): string {
  const names = texts.actionNames;
  if (action.type === 'read-all') return names.readAll;
  if (action.type === 'remove-all') return names.removedAll;
  const [id = ''] = action.ids;
  const row = action.ids.length === 1 ? find(id) : undefined;
  const what = row ? names.title(notificationTitle(row, texts)) : names.count(action.ids.length);
  if (action.type === 'remove') return names.removed(what);
  if (action.type === 'snooze')
    return action.untilMs !== null && action.untilMs > action.nowMs ? names.snoozed(what) : names.woken(what);
  if (action.status === 'read' && action.ids.every((each) => before[each] === 'archived'))
    return names.unarchived(what);
  return names[action.status](what);
}
