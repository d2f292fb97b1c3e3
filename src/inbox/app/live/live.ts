// eslint-disable-next-line import/default -- Vite gives the URL of the worker's script.
import timerWorkerUrl from './timer-worker.ts?worker&url';
import * as realtime from 'supabase-protocol-clients/realtime-client';
import { shareSocket } from 'supabase-protocol-clients/realtime-client/shared-socket';
import { createWorkerClock } from 'supabase-protocol-clients/platform';
import { trustWorkerUrl } from '../worker-url.ts';
import type { RealtimeClient, RealtimeClientOptions } from 'supabase-protocol-clients/realtime-client';

/** Everything that needs the socket is in this chunk, which loads in parallel with the first read. */
export { openLiveChannel } from './live-channel.ts';

/** The realtime client as the application uses it: one socket for all tabs, heartbeats in hidden ones, one delivery per frame. */
export function createRealtimeClient<Database>(options: RealtimeClientOptions): RealtimeClient<Database> {
  const { platform } = options;
  return realtime.createRealtimeClient<Database>({
    ...options,
    platform: { ...platform, clock: createWorkerClock(platform, createTimerWorker) },
    share: shareSocket,
    schedule: (flush) => void requestAnimationFrame(flush),
  });
}

const createTimerWorker = () => new Worker(trustWorkerUrl(timerWorkerUrl), { type: 'module' });
