import { backoffDelayMs } from '../../platform/backoff.ts';
import type { Platform, Timer, Unsubscribe } from '../../platform/platform.ts';
import { createStore, type Readable } from '../../platform/store.ts';
import type { Channel } from '../channel/channel.ts';
import { defaultSettings } from '../settings.ts';

/** Options of {@link createLiveReads}. */
export interface LiveReadsOptions {
  /** Reads, and applies the answer unless the signal was aborted meanwhile. */
  readonly read: (signal: AbortSignal) => Promise<void>;
  /** Clock and error reporting. */
  readonly platform: Pick<Platform, 'clock' | 'report'>;
  /** Whether a failed read is retried. Default: always. */
  readonly shouldRetry?: (problem: unknown) => boolean;
  /** Delays before a failed read is retried, in milliseconds; the last repeats. Default 1, 2, 5, 10 s. */
  readonly retryDelaysMs?: readonly number[];
}

/** The state of reads that repeat. */
export interface LiveReadsSnapshot {
  /** Whether a read has succeeded. */
  readonly isLoaded: boolean;
  /** Whether a read is due, in flight or has failed: what was read may be outdated. */
  readonly isPending: boolean;
  /** The error of the last read, what `read` threw; null after a success. */
  readonly error: Error | null;
}

/** Reads that repeat whenever their result may be outdated. */
export interface LiveReads extends Readable<LiveReadsSnapshot> {
  /**
   * Reads soon: calls within one task share a read, and a call during a read leads to one more after it. The promise
   * resolves when no read is due, or one has failed; it never rejects.
   */
  refresh(): Promise<void>;
  /** Aborts a read in flight and cancels the retry; `refresh()` begins again. */
  stop(): void;
}

/**
 * Creates the part of a live query that decides when to read. Use it with {@link watchGaps} where the data is not a list of rows: pages
 * with cursors, counts, or changes since the last answer.
 *
 * @example
 * ```ts
 * import { createLiveReads, watchGaps } from 'supabase-protocol-clients/realtime-client/live-query';
 *
 * const channel = realtime.channel('inbox');
 * const reads = createLiveReads({
 *   platform,
 *   async read(signal) {
 *     const unread = await rest.from('notifications').count().eq('status', 'unread').execute({ signal });
 *     if (!signal.aborted) console.log(`${unread} unread`);
 *   },
 * });
 * const stops = [watchGaps(channel, reads.refresh), channel.join(), reads.stop];
 * ```
 */
export function createLiveReads(options: LiveReadsOptions): LiveReads {
  const {
    read,
    platform: { clock, report },
    shouldRetry = () => true,
    retryDelaysMs: delaysMs = defaultSettings.reconnectDelaysMs,
  } = options;
  const store = createStore<LiveReadsSnapshot>({ isLoaded: false, isPending: false, error: null }, report);
  let run: { readonly controller: AbortController; readonly ended: Promise<void> } | null = null;
  let isDue = false;
  let failures = 0;
  let retryTimer: Timer | null = null;

  const readWhileDue = async (signal: AbortSignal): Promise<void> => {
    if (signal.aborted) return;
    isDue = false;
    try {
      await read(signal);
    } catch (problem) {
      if (!signal.aborted) fail(problem);
      return;
    }
    if (signal.aborted) return;
    failures = 0;
    const isPending = isDue;
    if (!isPending) run = null;
    store.set({ isLoaded: true, isPending, error: null });
    if (isPending) await readWhileDue(signal);
  };
  const fail = (problem: unknown) => {
    run = null;
    if (shouldRetry(problem)) {
      failures += 1;
      retryTimer = clock.setTimer(() => void refresh(), backoffDelayMs(failures, { delaysMs }, 0));
    }
    store.set({ ...store.getSnapshot(), error: toError(problem) });
  };
  const refresh = () => {
    isDue = true;
    retryTimer?.cancel();
    if (!run) {
      const controller = new AbortController();
      run = { controller, ended: Promise.resolve(controller.signal).then(readWhileDue) };
    }
    const { ended } = run;
    if (!store.getSnapshot().isPending) store.set({ ...store.getSnapshot(), isPending: true });
    return ended;
  };
  return {
    getSnapshot: store.getSnapshot,
    subscribe: store.subscribe,
    refresh,
    stop() {
      retryTimer?.cancel();
      run?.controller.abort();
      run = null;
    },
  };
}

/**
 * Calls `listener` when changes of a channel may have been missed: each time when the channel becomes live, at once if it is live
 * already, and after each interruption.
 *
 * @param source announces the interruptions. Default: the channel.
 */
export function watchGaps(
  channel: Channel,
  listener: () => unknown,
  source: Pick<Channel, 'onContinuity'> = channel,
): Unsubscribe {
  let wasLive = false;
  const follow = () => {
    const isLive = channel.getSnapshot().status === 'live';
    const isNew = isLive && !wasLive;
    wasLive = isLive;
    if (isNew) listener();
  };
  const stops = [channel.subscribe(follow), source.onContinuity(() => listener())];
  follow();
  return () => stops.forEach((stop) => stop());
}

/** A `read` of the caller may reject with anything. */
const toError = (problem: unknown): Error =>
  problem instanceof Error ? problem : new Error('The read failed', { cause: problem });
