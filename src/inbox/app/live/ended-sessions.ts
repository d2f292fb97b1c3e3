import type { Unsubscribe } from 'supabase-protocol-clients/platform';
import type { Channel, ChannelMessage } from 'supabase-protocol-clients/realtime-client';

/** Calls `listener` when the database broadcasts that sessions of the user have ended. */
export function listenToEndedSessions(channel: Channel, listener: () => void): Unsubscribe {
  // The entry for broadcasts would also load the code that sends them.
  return channel.port.onMessage((message) => {
    if (isEndOfSessions(message)) listener();
  });
}

function isEndOfSessions({ event, payload }: ChannelMessage): boolean {
  return (
    event === 'broadcast' &&
    typeof payload === 'object' &&
    payload !== null &&
    'event' in payload &&
    payload.event === 'sessions_ended'
  );
}
