import type { Notification } from '../model/notification.ts';
import type { NotificationAction, StoredAction } from '../model/notification-operation.ts';
import type { InboxTexts } from '../texts/inbox-texts.ts';
import { notificationTitle } from '../texts/notification-words.ts';

/** The name of a pending action. Notifications that are not loaded are only counted. */
export function actionName(
  { action, before }: StoredAction,
  find: (id: string) => Notification | undefined,
  texts: InboxTexts,
): string {
  if (action.type === 'read-all') return texts.markAllRead;
  if (action.type === 'remove-all') return texts.removeAll;
  if (action.type === 'archive-all') return texts.archiveAll;
  const [id = ''] = action.ids;
  const row = action.ids.length === 1 ? find(id) : undefined;
  return texts.actionOn(
    verb(action, before, texts),
    row ? notificationTitle(row, texts) : texts.count(action.ids.length),
  );
}

function verb(
  action: Extract<NotificationAction, { ids: readonly string[] }>,
  before: StoredAction['before'],
  texts: InboxTexts,
): string {
  if (action.type === 'remove') return texts.remove;
  if (action.type === 'snooze')
    return action.untilMs !== null && action.untilMs > action.nowMs ? texts.snoozed : texts.unarchive;
  const wereArchived = action.ids.every((id) => before[id] === 'archived');
  if (action.status === 'read') return wereArchived ? texts.unarchive : texts.markRead;
  return action.status === 'archived' ? texts.archive : texts.markUnread;
}
