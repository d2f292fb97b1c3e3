import type { PageSignal, Platform, Timer } from 'supabase-protocol-clients/platform';
import type { Configuration } from '../../shared/clients/env.ts';
import { serverReachable } from '../../ui/state/online.ts';

export interface ConnectionWatchOptions {
  readonly platform: Pick<Platform, 'clock' | 'fetch' | 'page'>;
  readonly configuration: Pick<Configuration, 'supabaseUrl' | 'supabaseAnonKey'>;
  /** Receives `offline` and `online` when the server becomes unreachable, and reachable again. */
  readonly emit: (signal: PageSignal) => void;
}

const probeTimeoutMs = 3_000;
const firstPauseMs = 2_000;
const longestPauseMs = 30_000;

/** Finds out whether the server can be reached while requests hang. */
export class ConnectionWatch {
  readonly #options: ConnectionWatchOptions;
  readonly #slow = new Set<AbortController>();
  #pauseMs = firstPauseMs;
  #probing: AbortController | null = null;
  #timer: Timer | null = null;

  constructor(options: ConnectionWatchOptions) {
    this.#options = options;
  }

  /** A request takes long: the server is probed, and the request is aborted if it cannot be reached. */
  onSlow(request: AbortController): void {
    // Without a network the browser itself fails requests.
    if (!this.#options.platform.page.isOnline()) return;
    if (!serverReachable.getSnapshot()) return fail(request);
    this.#slow.add(request);
    if (!this.#probing) this.#probe();
  }

  /** The server responded, with any status. */
  onResponse(): void {
    this.#stop();
    if (serverReachable.getSnapshot()) return;
    serverReachable.set(true);
    this.#options.emit('online');
  }

  /** An event of the page or of the network. */
  onSignal(signal: PageSignal): void {
    if (signal === 'offline') {
      this.#stop();
      serverReachable.set(true);
    } else if (!serverReachable.getSnapshot() && !this.#probing) this.#probe();
  }

  /** Any response proves that the server is reachable, even an error. */
  #probe(): void {
    const { platform, configuration } = this.#options;
    this.#timer?.cancel();
    const current = (this.#probing = new AbortController());
    const settle = (act: () => void) => () => {
      if (this.#probing === current) act();
    };
    const onSilence = settle(() => this.#onSilence());
    this.#timer = platform.clock.setTimer(onSilence, probeTimeoutMs);
    const headers = { apikey: configuration.supabaseAnonKey };
    platform.fetch(`${configuration.supabaseUrl}/auth/v1/health`, { headers, signal: current.signal }).then(
      settle(() => this.onResponse()),
      onSilence,
    );
  }

  #onSilence(): void {
    const hanging = [...this.#slow];
    const nextMs = this.#pauseMs;
    this.#stop();
    // Publish before aborting: a change whose request fails while offline waits in the outbox.
    if (serverReachable.getSnapshot()) {
      serverReachable.set(false);
      this.#options.emit('offline');
    }
    for (const request of hanging) fail(request);
    this.#pauseMs = Math.min(2 * nextMs, longestPauseMs);
    this.#timer = this.#options.platform.clock.setTimer(() => this.#probe(), nextMs);
  }

  #stop(): void {
    this.#timer?.cancel();
    this.#probing?.abort();
    this.#timer = null;
    this.#probing = null;
    this.#pauseMs = firstPauseMs;
    this.#slow.clear();
  }
}

function fail(request: AbortController): void {
  request.abort(new TypeError('The server cannot be reached'));
}
