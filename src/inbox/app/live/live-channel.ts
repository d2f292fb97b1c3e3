import type { Clock, Unsubscribe } from 'supabase-protocol-clients/platform';
import type { Change, RealtimeClient, RowRecord } from 'supabase-protocol-clients/realtime-client';
import { parseNotificationChanges } from '../../features/notifications/data/notification-changes.ts';
import type { NotificationChange } from '../../features/notifications/model/state-types.ts';
import type { Configuration } from '../../shared/clients/env.ts';
import { createBurstFilter } from './change-burst.ts';
import { onDatabaseNotice } from './database-notice.ts';
import { listenToRows } from './live-rows.ts';

export interface LiveChannelOptions extends Pick<Configuration, 'usesBroadcasts'> {
  readonly realtime: RealtimeClient;
  readonly userId: string;
  readonly clock: Clock;
  readonly onNotifications: (changes: readonly NotificationChange[]) => void;
  readonly onPreferences: (changes: readonly Change<RowRecord>[]) => void;
  /** Called when the server broadcasts that sessions of the user have ended, perhaps this one. */
  readonly onSessionsEnded: () => void;
  /** Called when changes may have been missed: when the channel becomes live, and after each interruption. */
  readonly onGap: () => void;
  /** Called when a burst of notifications has ended, whose changes were dropped. */
  readonly onBurst: () => void;
  readonly onConnection: (connection: 'connecting' | 'live' | 'lost') => void;
  /** Receives rows that cannot be parsed. */
  readonly report: (problem: unknown) => void;
}

/** Joins the user's live channel (conformance/protocol/product.md#calls-of-the-application). @returns a function that leaves it. */
export function openLiveChannel(options: LiveChannelOptions): Unsubscribe {
  const {
    realtime,
    usesBroadcasts,
    userId,
    clock,
    onNotifications,
    onPreferences,
    onSessionsEnded,
    onGap,
    onBurst,
    onConnection,
    report,
  } = options;
  // Private: on a public channel every holder of the public key could broadcast.
  const channel = realtime.channel(`user:${userId}`, { private: true });
  const rows = listenToRows(channel, userId, usesBroadcasts);
  const burst = createBurstFilter({
    clock,
    onChanges: (changes: readonly Change<RowRecord>[]) =>
      onNotifications(parseNotificationChanges(changes, clock.now(), report)),
    onDropped: onBurst,
  });
  let wasLive = false;

  const follow = () => {
    const { status } = channel.getSnapshot();
    const isLost = realtime.getSnapshot().status === 'lost' || status === 'failed';
    onConnection(isLost ? 'lost' : status === 'live' ? 'live' : 'connecting');
    if (status !== 'live' || wasLive) return;
    wasLive = true;
    onGap();
  };
  const endings = [
    burst.close,
    rows.onNotifications(burst.receive),
    rows.onPreferences(onPreferences),
    onDatabaseNotice(channel, 'sessions_ended', onSessionsEnded),
    channel.onContinuity(onGap),
    channel.subscribe(follow),
    realtime.subscribe(follow),
    channel.join(),
  ];
  return () => {
    for (const end of endings.toReversed()) end();
  };
}
