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

/** Follows the user's rows in the user's channel, which has to be joined afterwards. */
export function listenToRows(channel: Channel, userId: string, usesBroadcasts: boolean): LiveRows {
  return usesBroadcasts ? followBroadcasts(channel) : followSubscription(channel, userId);
}

/**
 * Listens to `postgres_changes`, which the realtime service reads from the database's log
 * (conformance/protocol/product.md#calls-of-the-application).
 */
function followSubscription(channel: Channel, userId: string): LiveRows {
  const changes = createPostgresChanges(channel);
  return {
    // One listener for all three events preserves their order.
    onNotifications: (listener) =>
      changes.onChanges(
        {
          event: ['INSERT', 'UPDATE', 'DELETE'],
          table: 'notifications',
          filter: `recipient_id=eq.${userId}`,
        },
        listener,
      ),
    onPreferences: (listener) =>
      changes.onChanges(
        { event: '*', table: 'notification_preferences', filter: `user_id=eq.${userId}` },
        listener,
      ),
  };
}

/** Listens to the broadcasts of the database to this channel (`private.broadcast_notifications`). */
function followBroadcasts(channel: Channel): LiveRows {
  const changes = createDatabaseBroadcast(channel);
  return {
    onNotifications: (listener) => changes.onChanges({ table: 'notifications' }, listener),
    onPreferences: (listener) => changes.onChanges({ table: 'notification_preferences' }, listener),
  };
}
