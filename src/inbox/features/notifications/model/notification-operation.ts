import {
  compareNewestFirst,
  type Cursor,
  type Notification,
  type NotificationStatus,
} from './notification.ts';
import { matchesFilter, type NotificationFilter } from './notification-filter.ts';

/** An action that the server has not confirmed yet; the list shows it as done. */
export type NotificationOperation = { readonly id: string } & NotificationAction;

/** The newest notification that the user could see; newer ones are left alone. null: the list was empty. */
type Newest = Cursor | null;

export type NotificationAction =
  | { readonly type: 'status'; readonly ids: readonly string[]; readonly status: NotificationStatus }
  | {
      readonly type: 'snooze';
      readonly ids: readonly string[];
      /** The time of the return, in milliseconds since the epoch; null ends the snooze. */
      readonly untilMs: number | null;
      /** When the action began: an earlier `untilMs` restores a past return. */
      readonly nowMs: number;
    }
  | { readonly type: 'remove'; readonly ids: readonly string[] }
  | {
      readonly type: 'read-all';
      readonly kind: string | null;
      /** How many were unread; many are marked by the bulk function. */
      readonly unread: number;
      readonly newest: Newest;
    }
  | { readonly type: 'remove-all'; readonly filter: NotificationFilter; readonly newest: Newest }
  | { readonly type: 'archive-all'; readonly filter: NotificationFilter; readonly newest: Newest };

/** Whether the action also changes notifications that are not loaded. */
export function isBulk({ type }: NotificationAction): boolean {
  return type === 'read-all' || type === 'remove-all' || type === 'archive-all';
}

/** The notification with the operations applied; null if one of them deletes it. */
export function applyOperations(
  notification: Notification,
  operations: readonly NotificationOperation[],
): Notification | null {
  let current: Notification | null = notification;
  for (const operation of operations) current = current && applyOperation(current, operation);
  return current;
}

function applyOperation(row: Notification, operation: NotificationOperation): Notification | null {
  switch (operation.type) {
    case 'read-all': {
      const { kind, newest } = operation;
      const isUnread = isUpTo(newest, row) && matchesFilter(row, { tab: 'unread', kind });
      return isUnread ? { ...row, status: 'read' } : row;
    }
    case 'remove-all':
    case 'archive-all': {
      const isListed = isUpTo(operation.newest, row) && matchesFilter(row, operation.filter);
      const archived = operation.type === 'archive-all' ? withStatus(row, 'archived') : null;
      return isListed ? archived : row;
    }
    case 'remove':
      return includesId(operation, row.id) ? null : row;
    case 'snooze':
      return includesId(operation, row.id) ? snooze(row, operation) : row;
    case 'status':
      return includesId(operation, row.id) ? withStatus(row, operation.status) : row;
  }
}

const idSets = new WeakMap<readonly string[], ReadonlySet<string>>();

/** Whether the operation concerns that notification. It must be fast: an operation may have thousands of ids. */
export function includesId({ ids }: { readonly ids: readonly string[] }, id: string): boolean {
  let set = idSets.get(ids);
  if (!set) idSets.set(ids, (set = new Set(ids)));
  return set.has(id);
}

/** A snoozed notification is unread: it returns as unread. */
function snooze(
  notification: Notification,
  { untilMs, nowMs }: { readonly untilMs: number | null; readonly nowMs: number },
): Notification {
  if (untilMs === null || untilMs <= nowMs)
    return { ...notification, snoozedUntilMs: untilMs, isSnoozed: false };
  return { ...notification, status: 'unread', snoozedUntilMs: untilMs, isSnoozed: true };
}

/** Reading or archiving ends a snooze. */
function withStatus(notification: Notification, status: NotificationStatus): Notification {
  if (status === notification.status) return notification;
  return notification.isSnoozed
    ? { ...notification, status, snoozedUntilMs: null, isSnoozed: false }
    : { ...notification, status };
}

function isUpTo(newest: Newest, notification: Notification): boolean {
  return newest !== null && compareNewestFirst(notification, newest) >= 0;
}

export const actionsTopic = 'notifications';

/** Increase it when the shape changes: stored actions of another format are dropped. */
const storedFormat = 2;

export interface StoredAction {
  readonly format: typeof storedFormat;
  readonly action: NotificationAction;
  /** The earlier status of each loaded notification. A different status when the action is sent is a conflict. */
  readonly before: Readonly<Record<string, NotificationStatus>>;
}

/** Adds the statuses before the action, including those of pending actions. */
export function createStoredAction(
  state: { rows: ReadonlyMap<string, Notification>; operations: readonly NotificationOperation[] },
  action: NotificationAction,
): StoredAction {
  const before: Record<string, NotificationStatus> = {};
  for (const id of 'ids' in action ? action.ids : []) {
    const row = state.rows.get(id);
    const shown = row && applyOperations(row, state.operations);
    if (shown) before[id] = shown.status;
  }
  return { format: storedFormat, action, before };
}

/** null: stored by another version of the application. */
export function parseStoredAction(payload: unknown): StoredAction | null {
  const stored = payload as Partial<StoredAction> | null;
  return stored?.format === storedFormat ? (stored as StoredAction) : null;
}
