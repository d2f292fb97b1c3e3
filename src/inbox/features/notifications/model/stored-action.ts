import { applyOperations } from './notification-operation.ts';
import type { NotificationAction } from './notification-operation.ts';
import type { NotificationStatus } from './notification.ts';
import type { NotificationsState } from './state-types.ts';

/** The topic of these actions in the outbox. */
export const actionsTopic = 'notifications';

/** Increase it when the shape changes: stored actions of another format are given up. */
const storedFormat = 2;

/** An action as the outbox stores it. */
export interface StoredAction {
  readonly format: typeof storedFormat;
  readonly action: NotificationAction;
  /** The status that each notification had before, as far as it was loaded. Another one by then is a conflict. */
  readonly before: Readonly<Record<string, NotificationStatus>>;
}

/** The action with the statuses before it, those of pending actions included. */
export function createStoredAction(
  { rows, operations }: Pick<NotificationsState, 'rows' | 'operations'>,
  action: NotificationAction,
): StoredAction {
  const before: Record<string, NotificationStatus> = {};
  for (const id of 'ids' in action ? action.ids : []) {
    const row = rows.get(id);
    const shown = row && applyOperations(row, operations);
    if (shown) before[id] = shown.status;
  }
  return { format: storedFormat, action, before };
}

/** null: stored by another version of the application. */
export function parseStoredAction(payload: unknown): StoredAction | null {
  const stored = payload as Partial<StoredAction> | null;
  return stored?.format === storedFormat ? (stored as StoredAction) : null;
}
