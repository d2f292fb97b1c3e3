import type { Clock, Unsubscribe } from '../../platform/index.ts';
import { createPostgresChanges } from '../../realtime-client/changes/postgres-changes.ts';
import type { Change, ChannelMessage, RealtimeClient, RowRecord } from '../../realtime-client/index.ts';
import { createBurstGate } from './change-burst.ts';

export interface LiveChannelOptions {
  readonly realtime: RealtimeClient;
  readonly userId: string;
  readonly clock: Clock;
  readonly onNotifications: (changes: readonly Change<RowRecord>[]) => void;
  readonly onPreferences: (changes: readonly Change<RowRecord>[]) => void;
  /** Sessions of the user have ended, this one perhaps: the server says it by a broadcast. */
  readonly onSessionsEnded: () => void;
  /** Changes may have been missed: called when the channel becomes live, and after each interruption. */
  readonly onGap: () => void;
  /** A burst of notifications has ended: none of its changes were passed on. */
  readonly onBurst: () => void;
  readonly onConnection: (connection: 'connecting' | 'live' | 'lost') => void;
}

/** Joins the user's live channel (specification §7). @returns leaves it. */
export function openLiveChannel(options: LiveChannelOptions): Unsubscribe {
  const {
    realtime,
    userId,
    clock,
    onNotifications,
    onPreferences,
    onSessionsEnded,
    onGap,
    onBurst,
    onConnection,
  } = options;
  // Private: on a public channel every holder of the public key could broadcast.
  const channel = realtime.channel(`user:${userId}`, { private: true });
  const changes = createPostgresChanges(channel);
  const burst = createBurstGate({ clock, onChanges: onNotifications, onDropped: onBurst });
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
    // One listener for all three events preserves their order.
    changes.onChanges(
      {
        event: ['INSERT', 'UPDATE', 'DELETE'],
        table: 'notifications',
        filter: `recipient_id=eq.${userId}`,
      },
      burst.receive,
    ),
    changes.onChanges(
      { event: '*', table: 'notification_preferences', filter: `user_id=eq.${userId}` },
      onPreferences,
    ),
    // The entry for broadcasts would load their sending, too.
    channel.port.onMessage((message) => {
      if (isSessionsEnded(message)) onSessionsEnded();
    }),
    channel.onContinuity(onGap),
    channel.subscribe(follow),
    realtime.subscribe(follow),
    channel.join(),
  ];
  return () => {
    for (const end of endings.toReversed()) end();
  };
}

/** Whether a message is the database's broadcast after sessions of the user have ended. */
function isSessionsEnded({ event, payload }: ChannelMessage): boolean {
  return (
    event === 'broadcast' &&
    typeof payload === 'object' &&
    payload !== null &&
    'event' in payload &&
    payload.event === 'sessions_ended'
  );
}
