import { compareNewestFirst } from './notification.ts';
import type { Notification, NotificationKind, NotificationStatus } from './notification.ts';
import { matchesFilter } from './notification-filter.ts';
import type { NotificationFilter } from './notification-filter.ts';

/** An action that the server has not confirmed yet; the list shows it as done. */
export type NotificationOperation = { readonly id: string } & NotificationAction;

/** The newest notification that the user could see; newer ones are left alone. null: the list was empty. */
type Newest = Pick<Notification, 'id' | 'createdAt' | 'createdAtMs'> | null;

export type NotificationAction =
  | { readonly type: 'status'; readonly ids: readonly string[]; readonly status: NotificationStatus }
  | { readonly type: 'remove'; readonly ids: readonly string[] }
  | {
      readonly type: 'read-all';
      readonly kind: NotificationKind | null;
      /** How many were unread; many are marked by the bulk function. */
      readonly unread: number;
      readonly newest: Newest;
    }
  | { readonly type: 'remove-all'; readonly filter: NotificationFilter; readonly newest: Newest };

/** Whether the action also changes notifications that are not loaded. */
export function isBulk({ type }: NotificationAction): boolean {
  return type === 'read-all' || type === 'remove-all';
}

/** The notification with the operations applied; null if one of them deletes it. */
export function applyOperations(
  notification: Notification,
  operations: readonly NotificationOperation[],
): Notification | null {
  let { status } = notification;
  for (const operation of operations) {
    switch (operation.type) {
      case 'read-all': {
        const { kind, newest } = operation;
        if (
          isUpTo(newest, notification) &&
          matchesFilter({ ...notification, status }, { tab: 'unread', kind })
        )
          status = 'read';
        break;
      }
      case 'remove-all':
        if (
          isUpTo(operation.newest, notification) &&
          matchesFilter({ ...notification, status }, operation.filter)
        )
          return null;
        break;
      case 'remove':
        if (operation.ids.includes(notification.id)) return null;
        break;
      case 'status':
        if (operation.ids.includes(notification.id)) ({ status } = operation);
    }
  }
  return status === notification.status ? notification : { ...notification, status };
}

/**
 * Whether the later operation must reach the server after the earlier one. The outcome of deleting single rows does not
 * depend on the order.
 */
export function mustFollow(later: NotificationOperation, earlier: NotificationOperation): boolean {
  if (later.type === 'remove' || earlier.type === 'remove') return false;
  if (later.type !== 'status' || earlier.type !== 'status') return true;
  return later.ids.some((id) => earlier.ids.includes(id));
}

function isUpTo(newest: Newest, notification: Notification): boolean {
  return newest !== null && compareNewestFirst(notification, newest) >= 0;
}
