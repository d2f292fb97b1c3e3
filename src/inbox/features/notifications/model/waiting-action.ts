import { applyOperations } from './notification-operation.ts';
import type { NotificationOperation } from './notification-operation.ts';
import type { NotificationStatus } from './notification.ts';
import type { NotificationsState } from './state-types.ts';

/** Increase it when the shape changes: stored actions of another format are discarded. */
const waitingFormat = 1;

/** An action that waits for a connection. */
export interface WaitingAction {
  readonly format: typeof waitingFormat;
  readonly operation: NotificationOperation;
  /**
   * The status that each notification had before, as far as it was loaded. A different status when the action is sent is a
   * conflict.
   */
  readonly before: Readonly<Record<string, NotificationStatus>>;
}

/** The action with the statuses before it, earlier waiting actions included. */
export function createWaitingAction(
  { rows, operations }: Pick<NotificationsState, 'rows' | 'operations'>,
  operation: NotificationOperation,
): WaitingAction {
  const at = operations.findIndex(({ id }) => id === operation.id);
  const earlier = at < 0 ? operations : operations.slice(0, at);
  const before: Record<string, NotificationStatus> = {};
  for (const id of 'ids' in operation ? operation.ids : []) {
    const row = rows.get(id);
    const shown = row && applyOperations(row, earlier);
    if (shown) before[id] = shown.status;
  }
  return { format: waitingFormat, operation, before };
}

/** null: stored by another version of the application. */
export function parseWaitingAction(payload: unknown): WaitingAction | null {
  const stored = payload as Partial<WaitingAction> | null;
  return stored?.format === waitingFormat ? (stored as WaitingAction) : null;
}
