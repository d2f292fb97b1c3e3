import type { PageSignal, Platform, Timer } from 'supabase-protocol-clients/platform';
import type { Configuration } from '../../shared/clients/env.ts';
import { serverReachable } from '../../ui/state/online.ts';

/** Finds out whether the server can be reached while requests hang. */
export interface ConnectionWatch {
  /** A request takes long: the server is probed, and the request is aborted if it cannot be reached. */
  onSlow(request: AbortController): void;
  /** The server responded, with any status. */
  onResponse(): void;
  /** An event of the page or of the network. */
  onSignal(signal: PageSignal): void;
}

export interface ConnectionWatchOptions {
  readonly platform: Pick<Platform, 'clock' | 'fetch' | 'page'>;
  readonly configuration: Pick<Configuration, 'supabaseUrl' | 'supabaseAnonKey'>;
  /** Receives `offline` and `online` when the server becomes unreachable, and reachable again. */
  readonly emit: (signal: PageSignal) => void;
}

const probeTimeoutMs = 3_000;
const firstPauseMs = 2_000;
const longestPauseMs = 30_000;

export function createConnectionWatch({
  platform,
  configuration,
  emit,
}: ConnectionWatchOptions): ConnectionWatch {
  const { clock, fetch, page } = platform;
  const slow = new Set<AbortController>();
  let pauseMs = firstPauseMs;
  let probing: AbortController | null = null;
  let timer: Timer | null = null;

  const stop = () => {
    timer?.cancel();
    probing?.abort();
    timer = null;
    probing = null;
    pauseMs = firstPauseMs;
    slow.clear();
  };
  const onResponse = () => {
    stop();
    if (serverReachable.getSnapshot()) return;
    serverReachable.set(true);
    emit('online');
  };
  const onSilence = () => {
    const hanging = [...slow];
    const nextMs = pauseMs;
    stop();
    // Publish before aborting: a change whose request fails while offline waits in the outbox.
    if (serverReachable.getSnapshot()) {
      serverReachable.set(false);
      emit('offline');
    }
    for (const request of hanging) fail(request);
    pauseMs = Math.min(2 * nextMs, longestPauseMs);
    timer = clock.setTimer(probe, nextMs);
  };
  /** Any response proves that the server is reachable, even an error. */
  const probe = () => {
    timer?.cancel();
    const current = (probing = new AbortController());
    const settle = (act: () => void) => () => {
      if (probing === current) act();
    };
    timer = clock.setTimer(settle(onSilence), probeTimeoutMs);
    const headers = { apikey: configuration.supabaseAnonKey };
    fetch(`${configuration.supabaseUrl}/auth/v1/health`, { headers, signal: current.signal }).then(
      settle(onResponse),
      settle(onSilence),
    );
  };

  return {
    onSlow(request) {
      // Without a network the browser itself fails requests.
      if (!page.isOnline()) return;
      if (!serverReachable.getSnapshot()) return fail(request);
      slow.add(request);
      if (!probing) probe();
    },
    onResponse,
    onSignal(signal) {
      if (signal === 'offline') {
        stop();
        serverReachable.set(true);
      } else if (!serverReachable.getSnapshot() && !probing) probe();
    },
  };
}

function fail(request: AbortController): void {
  request.abort(new TypeError('The server cannot be reached'));
}
