import type { Change, RowRecord } from 'supabase-protocol-clients/realtime-client';
import { parseNotifications } from '../model/notification.ts';
import type { NotificationChange } from '../model/state-types.ts';

/**
 * Parses the live channel's changes of the table `notifications`.
 *
 * @param nowMs the current time, which determines whether a row is snoozed.
 * @param report receives rows that cannot be parsed; they are left out.
 */
export function parseNotificationChanges(
  changes: readonly Change<RowRecord>[],
  nowMs: number,
  report: (problem: unknown) => void,
): readonly NotificationChange[] {
  return changes.flatMap((change): readonly NotificationChange[] => {
    if (change.type !== 'DELETE')
      return parseNotifications([change.record], nowMs, report).map((notification) => ({
        type: change.type === 'INSERT' ? 'insert' : 'update',
        notification,
      }));
    const { id } = change.oldRecord;
    return typeof id === 'string' ? [{ type: 'remove', id }] : [];
  });
}
