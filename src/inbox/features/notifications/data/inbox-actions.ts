import type { Clock } from 'supabase-protocol-clients/platform';
import type { Outbox } from '../../../shared/outbox/outbox.ts';
import type { AddedAction } from '../../../shared/outbox/outbox-topic.ts';
import type { InboxStore } from './inbox-store.ts';
import type { NotificationsApi } from './notifications-api.ts';
import { cursorOf, newestOf, type Notification, type NotificationStatus } from '../model/notification.ts';
import type { NotificationFilter } from '../model/notification-filter.ts';
import { actionsTopic, createStoredAction, parseStoredAction } from '../model/notification-operation.ts';
import type { NotificationAction } from '../model/notification-operation.ts';
import { sendAction, type ActionOutcome } from './send-action.ts';

export type InboxAction = AddedAction<readonly Notification[]>;

export interface InboxActionsOptions {
  readonly api: NotificationsApi;
  readonly store: InboxStore;
  readonly outbox: Pick<Outbox, 'addTopic'>;
  readonly clock: Clock;
}

/** The user's actions. Each is shown at once in every tab, and sent by the outbox. */
export function createInboxActions({ api, store, outbox, clock }: InboxActionsOptions) {
  const add = outbox.addTopic(actionsTopic, {
    parse: parseStoredAction,
    keysOf: ({ action }) => ('ids' in action ? action.ids : null),
    send: (stored) => sendAction(api, stored),
    show: (id, { action }) => store.dispatch({ type: 'started', operation: { ...action, id } }),
    settle(id, _stored, { type, response }: ActionOutcome) {
      // Other tabs receive only the outcome, not the rows: apply the action itself.
      if (response) store.dispatch({ type: 'done', id, rows: response });
      else store.dispatch({ type: type === 'sent' ? 'done' : 'dropped', id });
    },
    repeat: ({ action }) => void perform(action),
  });
  const perform = (action: NotificationAction, undo?: 'undoable') =>
    add(createStoredAction(store.getState(), action), undo);
  const newestCursor = () => {
    const newest = newestOf(store.getState().rows.values());
    return newest ? cursorOf(newest) : null;
  };
  return {
    setStatus: (ids: readonly string[], status: NotificationStatus) =>
      perform({ type: 'status', ids, status }),
    /** Snoozes until the time, in milliseconds since the epoch; null or a past time ends the snooze. */
    snooze: (ids: readonly string[], untilMs: number | null) =>
      perform({ type: 'snooze', ids, untilMs, nowMs: clock.now() }),
    /** Marks all unread notifications of the kind as read, also those that are not loaded; null: of every kind. Undoable. */
    markAllRead: (kind: string | null) =>
      perform(
        { type: 'read-all', kind, newest: newestCursor(), unread: store.getSnapshot().counts.unread },
        'undoable',
      ),
    /** Undoable, as every deletion. */
    remove: (ids: readonly string[]) => perform({ type: 'remove', ids }, 'undoable'),
    /** Deletes the whole list of the filter, also the part that is not loaded. */
    removeAll: (filter: NotificationFilter) =>
      perform({ type: 'remove-all', filter, newest: newestCursor() }, 'undoable'),
    /** Archives the whole list of the filter. Undoable. */
    archiveAll: (filter: NotificationFilter) =>
      perform({ type: 'archive-all', filter, newest: newestCursor() }, 'undoable'),
  };
}
