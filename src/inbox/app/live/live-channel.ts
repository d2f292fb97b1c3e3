import type { Platform, Unsubscribe } from 'supabase-protocol-clients/platform';
import type { Change, RealtimeClient, RowRecord } from 'supabase-protocol-clients/realtime-client';
import { watchReads } from 'supabase-protocol-clients/realtime-client/live-query';
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
  /**
   * Called when changes of notifications are to be asked for: a burst was dropped, the server may have lost some silently, or
   * none arrive because the channel is not live.
   */
  readonly onDoubt: () => void;
  readonly onConnection: (connection: 'connecting' | 'live' | 'lost') => void;
}

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
  const triggers = watchReads({
    channel,
    platform,
    onRead: (cause) => (cause === 'live' || cause === 'gap' ? onGap() : onDoubt()),
  });
  const burst = createBurstFilter({
    clock,
    onChanges(changes: readonly Change<RowRecord>[]) {
      triggers.noteChanges(changes.length);
      onNotifications(parseNotificationChanges(changes, clock.now(), report));
    },
    onDropped() {
      triggers.restart();
      onDoubt();
    },
  });

  const follow = () => {
    const { status } = channel.getSnapshot();
    const isLost = realtime.getSnapshot().status === 'lost' || status === 'failed';
    onConnection(isLost ? 'lost' : isLive() ? 'live' : 'connecting');
  };
  const endings = [
    burst.close,
    triggers.stop,
    rows.onNotifications(burst.receive),
    rows.onPreferences(onPreferences),
    onDatabaseNotice(channel, 'sessions_ended', onSessionsEnded),
    channel.subscribe(follow),
    realtime.subscribe(follow),
    channel.join(),
  ];
  return () => {
    for (const end of endings.toReversed()) end();
  };
}
