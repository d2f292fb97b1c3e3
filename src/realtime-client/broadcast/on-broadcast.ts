import type { Unsubscribe } from '../../platform/platform.ts';
import type { Channel } from '../channel/channel.ts';
import { isRecord } from '../json.ts';

/** Calls `listener` for each broadcast of one event; for channels that only receive. @returns stops it. */
export function onBroadcast(
  channel: Channel,
  event: string,
  listener: (payload: unknown) => void,
): Unsubscribe {
  return channel.port.onMessage((message) => {
    if (message.event !== 'broadcast' || !isRecord(message.payload)) return;
    if (message.payload['event'] === event) listener(message.payload['payload']);
  });
}
