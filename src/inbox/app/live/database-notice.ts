import type { Unsubscribe } from 'supabase-protocol-clients/platform';
import type { Channel, ChannelMessage } from 'supabase-protocol-clients/realtime-client';

/** What the database broadcasts in the channel of a user, without a payload. */
export type DatabaseNotice =
  /** Sessions of the user have ended, perhaps this one. */
  'sessions_ended';

/** Calls `listener` with each broadcast of this notice. */
export function onDatabaseNotice(
  channel: Channel,
  notice: DatabaseNotice,
  listener: () => void,
): Unsubscribe {
  // The entry for broadcasts would also load the code that sends them.
  return channel.port.onMessage((message) => {
    if (isNotice(message, notice)) listener();
  });
}

function isNotice({ event, payload }: ChannelMessage, notice: DatabaseNotice): boolean {
  return (
    event === 'broadcast' &&
    typeof payload === 'object' &&
    payload !== null &&
    'event' in payload &&
    payload.event === notice
  );
}
