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
 * Follows the user's rows in the user's channel, which has to be joined afterwards: by broadcasts of the database, or
 * inserts and updates by `postgres_changes`, which the realtime service reads from the database's log and whose DELETEs
 * would tell strangers ids (conformance/protocol/product.md#calls-of-the-application).
 */
export function listenToRows(channel: Channel, userId: string, usesBroadcasts: boolean): LiveRows {
  const broadcast = createDatabaseBroadcast(channel);
  if (usesBroadcasts) {
    return {
      onNotifications: (listener) => broadcast.onChanges({ table: 'notifications' }, listener),
      onPreferences: (listener) => broadcast.onChanges({ table: 'notification_preferences' }, listener),
    };
  }
  const subscribed = createPostgresChanges(channel);
  const onRows =
    (table: string, ownerColumn: string): OnChanges =>
    (listener) => {
      const stops = [
        // One listener for both events preserves their order.
        subscribed.onChanges(
          { event: ['INSERT', 'UPDATE'], table, filter: `${ownerColumn}=eq.${userId}` },
          listener,
        ),
        broadcast.onChanges({ event: 'DELETE', table }, listener),
      ];
      return () => stops.forEach((stop) => stop());
    };
  return {
    onNotifications: onRows('notifications', 'recipient_id'),
    onPreferences: onRows('notification_preferences', 'user_id'),
  };
}
