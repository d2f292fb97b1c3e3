import type { Change, RowRecord } from 'supabase-protocol-clients/realtime-client';
import { parseNotification } from '../model/notification.ts';
import type { NotificationChange } from '../model/state-types.ts';

/**
 * Parses the live channel's changes of the table `notifications`; a row that cannot be parsed is reported and left out.
 *
 * @param nowMs the current time, which tells whether a row is snoozed.
 */
export function parseNotificationChanges(
  changes: readonly Change<RowRecord>[],
  nowMs: number,
  report: (problem: unknown) => void,
): readonly NotificationChange[] {
  return changes.flatMap((change): readonly NotificationChange[] => {
    if (change.type === 'DELETE') {
      const { id } = change.oldRecord;
      return typeof id === 'string' ? [{ type: 'remove', id }] : [];
    }
    try {
      const notification = parseNotification(change.record, nowMs);
      return [{ type: change.type === 'INSERT' ? 'insert' : 'update', notification }];
    } catch (problem) {
      report(problem);
      return [];
    }
  });
}
