import type { Unsubscribe } from 'supabase-protocol-clients/platform';
import { createDatabaseBroadcast } from 'supabase-protocol-clients/realtime-client/broadcast';
import {
  createPostgresChanges,
  type ChangeBinding,
} from 'supabase-protocol-clients/realtime-client/postgres-changes';
import type { Change, Channel, RowRecord } from 'supabase-protocol-clients/realtime-client';

type OnChanges = (listener: (changes: readonly Change<RowRecord>[]) => void) => Unsubscribe;

/** The changes of the user's rows, in the order of their commits. */
export interface LiveRows {
  readonly onNotifications: OnChanges;
  readonly onPreferences: OnChanges;
}

/**
 * Follows the user's rows in the user's channel, which has to be joined afterwards: by broadcasts of the database, or by
 * `postgres_changes`, which the realtime service reads from the database's log
 * (conformance/protocol/product.md#calls-of-the-application). The database broadcasts deletions in both cases, because a
 * publication with deletions would reveal their ids to strangers.
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
    (binding: ChangeBinding & { readonly table: string }): OnChanges =>
    (listener) => {
      const stops = [
        // One listener for all events preserves their order.
        subscribed.onChanges(binding, listener),
        broadcast.onChanges({ event: 'DELETE', table: binding.table }, listener),
      ];
      return () => stops.forEach((stop) => stop());
    };
  return {
    onNotifications: onRows({
      event: ['INSERT', 'UPDATE', 'DELETE'],
      table: 'notifications',
      filter: `recipient_id=eq.${userId}`,
    }),
    onPreferences: onRows({
      event: '*',
      table: 'notification_preferences',
      filter: `user_id=eq.${userId}`,
    }),
  };
}
