import type { OutboxOutcome } from '../../../shared/outbox/outbox-state.ts';
import type { NotificationsApi } from './notifications-api.ts';
import type { Notification, NotificationStatus } from '../model/notification.ts';
import { type NotificationAction, type StoredAction } from '../model/notification-operation.ts';

/** The response: the current rows of the action, without deleted ones. */
export type ActionOutcome = OutboxOutcome<readonly Notification[]>;

/**
 * Sends an action. Each write names the status that the rows had: a row that another device has changed keeps its state, and
 * a second attempt after a lost response changes nothing.
 */
export async function sendAction(
  api: NotificationsApi,
  { action, before }: StoredAction,
): Promise<ActionOutcome> {
  switch (action.type) {
    case 'read-all':
      await api.markAllRead(action.kind, action.unread, action.newest?.createdAt ?? null);
      return { type: 'sent' };
    case 'remove-all':
      await api.removeAll(action.filter, action.newest?.createdAt ?? null);
      return { type: 'sent' };
    case 'archive-all':
      await api.archiveAll(action.filter, action.newest?.createdAt ?? null);
      return { type: 'sent' };
    case 'remove': {
      const removed = await byStatus(action.ids, before, api.remove);
      const left = await findOthers(api, action.ids, removed);
      return { type: left.length > 0 ? 'changed' : 'sent', response: left };
    }
    case 'snooze':
    case 'status': {
      const written = await byStatus(action.ids, before, (ids, from) =>
        action.type === 'snooze'
          ? api.snooze(ids, action.untilMs, from)
          : api.setStatus(ids, action.status, from),
      );
      const ids = written.map(({ id }) => id);
      const others = await findOthers(api, action.ids, ids);
      const response = [...written, ...others];
      if (others.some((row) => !isApplied(row, action))) return { type: 'changed', response };
      return { type: response.length < action.ids.length ? 'deleted' : 'sent', response };
    }
  }
}

/** Whether an earlier attempt, or another device, has done the same. */
function isApplied(row: Notification, action: NotificationAction): boolean {
  return action.type === 'snooze'
    ? row.snoozedUntilMs === action.untilMs
    : action.type === 'status' && row.status === action.status;
}

/** One write for each status that the rows had, all at once, because the page may be closing. */
async function byStatus<Row>(
  ids: readonly string[],
  before: StoredAction['before'],
  write: (ids: readonly string[], from: NotificationStatus | undefined) => Promise<readonly Row[]>,
): Promise<readonly Row[]> {
  const statuses = [...new Set(ids.map((id) => before[id]))];
  const idsFrom = (from: NotificationStatus | undefined) => ids.filter((id) => before[id] === from);
  const written = await Promise.all(statuses.map((from) => write(idsFrom(from), from)));
  return written.flat();
}

async function findOthers(
  api: NotificationsApi,
  ids: readonly string[],
  known: readonly string[],
): Promise<readonly Notification[]> {
  const set = new Set(known);
  const others = ids.filter((id) => !set.has(id));
  return others.length > 0 ? api.findAll(others) : [];
}
