import * as realtime from '../../realtime-client/index.ts';
import { shareSocket } from '../../realtime-client/tabs/shared-socket.ts';
import type { RealtimeClient, RealtimeClientOptions } from '../../realtime-client/index.ts';

/** The realtime client as the application uses it: one socket for all tabs, one delivery per frame. */
export function createRealtimeClient<Database>(options: RealtimeClientOptions): RealtimeClient<Database> {
  return realtime.createRealtimeClient<Database>({
    ...options,
    share: shareSocket,
    schedule: (flush) => void requestAnimationFrame(flush),
  });
}
