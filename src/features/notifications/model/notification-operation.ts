import { compareNewestFirst } from './notification.ts';
import type { Notification, NotificationKind, NotificationStatus } from './notification.ts';

/** What the reader did and the server has not confirmed yet. The list shows it as done. */
export type NotificationOperation = { readonly id: string } & NotificationAction;

export type NotificationAction =
  | { readonly type: 'status'; readonly ids: readonly string[]; readonly status: NotificationStatus }
  | { readonly type: 'remove'; readonly ids: readonly string[] }
  | {
      readonly type: 'read-all';
      readonly kind: NotificationKind | null;
      /** Later ones stay unread: the reader has not seen them. null: there was none. */
      readonly newest: Pick<Notification, 'id' | 'createdAt' | 'createdAtMs'> | null;
    };

/** The notification as it will be once the operations are done; null if it will be gone. */
export function applyOperations(
  notification: Notification,
  operations: readonly NotificationOperation[],
): Notification | null {
  let { status } = notification;
  for (const operation of operations) {
    if (operation.type === 'read-all') {
      if (status === 'unread' && coversAll(operation, notification)) status = 'read';
    } else if (operation.ids.includes(notification.id)) {
      if (operation.type === 'remove') return null;
      ({ status } = operation);
    }
  }
  return status === notification.status ? notification : { ...notification, status };
}

/**
 * Whether the later operation has to reach the server after the earlier one. A deletion waits for nothing: whatever is
 * done to a row before or after it, the row is gone.
 */
export function mustFollow(later: NotificationOperation, earlier: NotificationOperation): boolean {
  if (later.type === 'remove' || earlier.type === 'remove') return false;
  if (later.type === 'read-all' || earlier.type === 'read-all') return true;
  return later.ids.some((id) => earlier.ids.includes(id));
}

function coversAll(
  { kind, newest }: Extract<NotificationAction, { type: 'read-all' }>,
  notification: Notification,
): boolean {
  return (
    newest !== null &&
    (kind === null || kind === notification.kind) &&
    compareNewestFirst(notification, newest) >= 0
  );
}
