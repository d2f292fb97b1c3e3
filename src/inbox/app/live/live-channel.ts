import type { Platform, Unsubscribe } from 'supabase-protocol-clients/platform';
import type { Change, RealtimeClient, RowRecord } from 'supabase-protocol-clients/realtime-client';
import { createReconciler, watchGaps } from 'supabase-protocol-clients/realtime-client/live-query';
import { parseNotificationChanges } from '../../features/notifications/data/notification-changes.ts';
import type { NotificationChange } from '../../features/notifications/model/state-types.ts';
import type { Configuration } from '../../shared/clients/env.ts';
import { createBurstFilter } from './change-burst.ts';
import { onDatabaseNotice } from './database-notice.ts';
import { listenToRows } from './live-rows.ts';

export interface LiveChannelOptions extends Pick<Configuration, 'usesBroadcasts'> {
  readonly realtime: RealtimeClient;
  readonly userId: string;
  readonly platform: Pick<Platform, 'clock' | 'page' | 'report'>;
  readonly onNotifications: (changes: readonly NotificationChange[]) => void;
  readonly onPreferences: (changes: readonly Change<RowRecord>[]) => void;
  /** Called when the server broadcasts that sessions of the user have ended, perhaps this one. */
  readonly onSessionsEnded: () => void;
  /** Called when changes may have been missed: when the channel becomes live, and after each interruption. */
  readonly onGap: () => void;
  /** Called when changes of notifications are to be asked for: a burst was dropped, or the server may have lost some silently. */
  readonly onDoubt: () => void;
  readonly onConnection: (connection: 'connecting' | 'live' | 'lost') => void;
}

/** The server loses changes without a sign when its replication ends, or another subscriber's filter fails. */
const doubtAfterMs = 25_000;

/** Joins the user's live channel (conformance/protocol/product.md#calls-of-the-application). @returns a function that leaves it. */
export function openLiveChannel(options: LiveChannelOptions): Unsubscribe {
  const {
    realtime,
    usesBroadcasts,
    userId,
    platform,
    onNotifications,
    onPreferences,
    onSessionsEnded,
    onGap,
    onDoubt,
    onConnection,
  } = options;
  const { clock, report } = platform;
  // Private: on a public channel every holder of the public key could broadcast.
  const channel = realtime.channel(`user:${userId}`, { private: true });
  const rows = listenToRows(channel, userId, usesBroadcasts);
  const isLive = () => channel.getSnapshot().status === 'live';
  const reconciler = createReconciler({
    platform,
    intervalMs: doubtAfterMs,
    isCurrent: isLive,
    onReadAgain: onDoubt,
  });
  const burst = createBurstFilter({
    clock,
    onChanges(changes: readonly Change<RowRecord>[]) {
      reconciler.noteChanges(changes.map(({ commitTimestamp }) => commitTimestamp));
      onNotifications(parseNotificationChanges(changes, clock.now(), report));
    },
    onDropped() {
      // This request brings what a comparison that is due would look for.
      reconciler.stop();
      if (isLive()) reconciler.start();
      onDoubt();
    },
  });

  const follow = () => {
    const { status } = channel.getSnapshot();
    const isLost = realtime.getSnapshot().status === 'lost' || status === 'failed';
    onConnection(isLost ? 'lost' : isLive() ? 'live' : 'connecting');
    if (isLive()) reconciler.start();
  };
  const endings = [
    burst.close,
    reconciler.stop,
    rows.onNotifications(burst.receive),
    rows.onPreferences(onPreferences),
    onDatabaseNotice(channel, 'sessions_ended', onSessionsEnded),
    channel.subscribe(follow),
    watchGaps(channel, onGap),
    realtime.subscribe(follow),
    channel.join(),
  ];
  return () => {
    for (const end of endings.toReversed()) end();
  };
}
