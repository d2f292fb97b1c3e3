import type { Platform, Unsubscribe } from 'supabase-protocol-clients/platform';
import type { Change, RealtimeClient, RowRecord } from 'supabase-protocol-clients/realtime-client';
import type { Inbox } from '../../features/notifications/data/inbox.ts';
import { parseNotificationChanges } from '../../features/notifications/data/notification-changes.ts';
import type { Configuration } from '../../shared/clients/env.ts';
import { createBurstFilter } from './change-burst.ts';
import { listenToEndedSessions } from './ended-sessions.ts';
import { listenToRows } from './live-rows.ts';

export interface LiveChannelOptions extends Pick<Configuration, 'usesBroadcasts'> {
  readonly realtime: RealtimeClient;
  readonly userId: string;
  readonly platform: Pick<Platform, 'clock' | 'report'>;
  readonly inbox: Pick<Inbox, 'follow' | 'receive' | 'catchUp' | 'setLost'>;
  readonly onPreferences: (changes: readonly Change<RowRecord>[]) => void;
  /** Called when the server broadcasts that sessions of the user have ended, perhaps this one. */
  readonly onSessionsEnded: () => void;
}

/** Joins the user's live channel (conformance/protocol/product.md#calls-of-the-application). @returns a function that leaves it. */
export function openLiveChannel(options: LiveChannelOptions): Unsubscribe {
  const { realtime, usesBroadcasts, userId, platform, inbox, onPreferences, onSessionsEnded } = options;
  const { clock, report } = platform;
  // Private: on a public channel every holder of the public key could broadcast.
  const channel = realtime.channel(`user:${userId}`, { private: true });
  const rows = listenToRows(channel, userId, usesBroadcasts);
  const burst = createBurstFilter({
    clock,
    onChanges: (changes: readonly Change<RowRecord>[]) =>
      inbox.receive(parseNotificationChanges(changes, clock.now(), report)),
    onDropped: inbox.catchUp,
  });
  const showLoss = () => inbox.setLost(realtime.getSnapshot().status === 'lost');
  showLoss();
  const endings = [
    burst.close,
    inbox.follow(channel),
    rows.onNotifications(burst.receive),
    rows.onPreferences(onPreferences),
    listenToEndedSessions(channel, onSessionsEnded),
    realtime.subscribe(showLoss),
    channel.join(),
  ];
  return () => {
    for (const end of endings.toReversed()) end();
  };
}
