import type { Unsubscribe } from 'supabase-protocol-clients/platform';
import { createDatabaseBroadcast } from 'supabase-protocol-clients/realtime-client/database-broadcast';
import { createPostgresChanges } from 'supabase-protocol-clients/realtime-client/postgres-changes';
import type { Change, Channel, RowRecord } from 'supabase-protocol-clients/realtime-client';

type OnChanges = (listener: (changes: readonly Change<RowRecord>[]) => void) => Unsubscribe;

/** The changes of the user's rows, in the order of their commits. */
export interface LiveRows {
  readonly onNotifications: OnChanges;
  readonly onPreferences: OnChanges;
}

/**
 * Follows the user's rows in the user's channel, which has to be joined afterwards: by broadcasts of the database
 * (`private.broadcast_notifications`), or by `postgres_changes`, which the realtime service reads from the database's log
 * (conformance/protocol/product.md#calls-of-the-application).
 */
export function listenToRows(channel: Channel, userId: string, usesBroadcasts: boolean): LiveRows {
  if (usesBroadcasts) {
    const { onChanges } = createDatabaseBroadcast(channel);
    return {
      onNotifications: (listener) => onChanges({ table: 'notifications' }, listener),
      onPreferences: (listener) => onChanges({ table: 'notification_preferences' }, listener),
    };
  }
  const { onChanges } = createPostgresChanges(channel);
  return {
    // One listener for all three events preserves their order.
    onNotifications: (listener) =>
      onChanges(
        {
          event: ['INSERT', 'UPDATE', 'DELETE'],
          table: 'notifications',
          filter: `recipient_id=eq.${userId}`,
        },
        listener,
      ),
    onPreferences: (listener) =>
      onChanges({ event: '*', table: 'notification_preferences', filter: `user_id=eq.${userId}` }, listener),
  };
}
