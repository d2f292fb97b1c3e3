import { compareNewestFirst } from './notification.ts';
import type { Notification, NotificationKind, NotificationStatus } from './notification.ts';

/** An action that the server has not confirmed yet; the list shows it as done. */
export type NotificationOperation = { readonly id: string } & NotificationAction;

export type NotificationAction =
  | { readonly type: 'status'; readonly ids: readonly string[]; readonly status: NotificationStatus }
  | { readonly type: 'remove'; readonly ids: readonly string[] }
  | {
      readonly type: 'read-all';
      readonly kind: NotificationKind | null;
      /** How many were unread, for the server to choose its way. */
      readonly unread: number;
      /** Later ones stay unread, because the reader has not seen them; null: the list was empty. */
      readonly newest: Pick<Notification, 'id' | 'createdAt' | 'createdAtMs'> | null;
    };

/** The notification as it will be after the operations; null if they delete it. */
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
 * Whether the later operation has to reach the server after the earlier one. A deletion waits for none, because its
 * outcome does not depend on the order.
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
