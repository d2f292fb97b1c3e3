import type { Database } from '../../database.types.ts';
import { readOnlineTopics } from '../../features/online/online-api.ts';
import { createOnlineChannels } from '../../features/online/online-channels.ts';
import { createOnlinePeople } from '../../features/online/online-people.ts';
import type { OnlinePeople } from '../../features/online/online-people.ts';
import type { Platform } from 'supabase-protocol-clients/platform';
import type { RealtimeClient } from 'supabase-protocol-clients/realtime-client';
import type { RestClient } from 'supabase-protocol-clients/rest-client';
import { onDatabaseNotice } from './database-notice.ts';

/** Shows the user to contacts as online, and contacts to the user. */
export interface UserOnline {
  readonly people: OnlinePeople;
  close(): void;
}

export interface UserOnlineOptions {
  readonly userId: string;
  readonly rest: RestClient<Database>;
  readonly realtime: RealtimeClient;
  readonly platform: Platform;
}

export function openUserOnline({ userId, rest, realtime, platform }: UserOnlineOptions): UserOnline {
  const people = createOnlinePeople({
    ...platform,
    channels: createOnlineChannels(realtime),
    readTopics: () => readOnlineTopics(rest, userId),
  });
  const channel = realtime.channel(`user:${userId}`, { private: true });
  const stops = [
    onDatabaseNotice(channel, 'online_topics_changed', people.refresh),
    // A notice may be missed during an interruption.
    channel.onContinuity(people.refresh),
  ];
  return {
    people,
    close() {
      for (const stop of stops) stop();
      people.close();
    },
  };
}
