import type { Unsubscribe } from 'supabase-protocol-clients/platform';
import type { RealtimeClient } from 'supabase-protocol-clients/realtime-client';
import { createPresence } from 'supabase-protocol-clients/realtime-client/presence';

/** Presence channels, one topic per user; policies of the database decide who may join. */
export interface OnlineChannels {
  /** Shows the user as online in their own topic, once for all tabs of the browser. @returns a function that leaves it. */
  track(topic: string): Unsubscribe;
  /**
   * Calls `listener` with whether the topic of a contact has an entry, at first and after each change.
   * @returns a function that leaves it.
   */
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
      // The entry is empty: its existence says that the user is online.
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
        // Keep the last known entries during an interruption.
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
