import type { Unsubscribe } from 'supabase-protocol-clients/platform';
import type { RealtimeClient } from 'supabase-protocol-clients/realtime-client';
import { createPresence } from 'supabase-protocol-clients/realtime-client/presence';

/** The presence channels of people, which the database's policies guard. */
export interface OnlineChannels {
  /** Shows the user in the user's own topic: once for all tabs of the browser. @returns leaves it. */
  track(topic: string): Unsubscribe;
  /** Calls `listener` with whether the topic of a contact has an entry, at first and after each change. @returns leaves it. */
  watch(topic: string, listener: (isPresent: boolean) => void): Unsubscribe;
  /** Calls `listener` when the connection is lost. */
  onLost(listener: () => void): Unsubscribe;
}

export function createOnlineChannels(realtime: RealtimeClient): OnlineChannels {
  const open = (topic: string) => {
    const channel = realtime.channel(topic, { private: true });
    return { channel, presence: createPresence(channel) };
  };
  return {
    track(topic) {
      const { channel, presence } = open(topic);
      // An entry says nothing but that the user is there.
      presence.track({});
      const leave = channel.join();
      return () => {
        presence.close();
        leave();
      };
    },
    watch(topic, listener) {
      const { channel, presence } = open(topic);
      const stop = presence.subscribe(() => {
        const { isSynced, entries } = presence.getSnapshot();
        // During an interruption the last known entries stay.
        if (isSynced) listener(entries.size > 0);
      });
      const leave = channel.join();
      return () => {
        stop();
        presence.close();
        leave();
      };
    },
    onLost: (listener) =>
      realtime.subscribe(() => {
        if (realtime.getSnapshot().status === 'lost') listener();
      }),
  };
}
