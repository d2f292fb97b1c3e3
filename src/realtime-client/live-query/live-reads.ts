import { duration } from '../../platform/number-options.ts';
import { requireRanges } from '../errors.ts';
import { backoffDelayMs } from '../../platform/backoff.ts';
import type { Platform, Timer } from '../../platform/platform.ts';
import { createStore, type Readable } from '../../platform/store.ts';
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
  /** As `refresh`, where nothing tells that the result is outdated: it is not pending before 2 s have passed, or the read fails. */
  recheck(): Promise<void>;
  /** Aborts a read in flight and cancels the retry; `refresh()` begins again. */
  stop(): void;
}

/** How long a recheck may take before what was read counts as outdated. In milliseconds. */
const recheckMs = 2_000;

/**
 * Creates reads that are combined, repeated for calls during a read, and retried. See {@link watchReads} for when to read.
 *
 * @example
 * ```ts
 * import { createLiveReads } from 'supabase-protocol-clients/realtime-client/live-query';
 *
 * const reads = createLiveReads({
 *   platform,
 *   async read(signal) {
 *     const unread = await rest.from('notifications').count().eq('status', 'unread').execute({ signal });
 *     if (!signal.aborted) console.log(`${unread} unread`);
 *   },
 * });
 * void reads.refresh();
 * ```
 */
export function createLiveReads(options: LiveReadsOptions): LiveReads {
  requireRanges(options, { retryDelaysMs: duration });
  const {
    read,
    platform: { clock, report },
    shouldRetry = () => true,
    retryDelaysMs: delaysMs = defaultSettings.reconnectDelaysMs,
  } = options;
  const store = createStore<LiveReadsSnapshot>({ isLoaded: false, isPending: false, error: null }, report);
  let run: { readonly controller: AbortController; readonly ended: Promise<void> } | null = null;
  let isDue = false;
  /** Whether the due read is needed because what was read is outdated. */
  let isOutdated = false;
  let failures = 0;
  let retryTimer: Timer | null = null;
  let pendingTimer: Timer | null = null;

  const showPending = () => {
    if (!store.getSnapshot().isPending) store.set({ ...store.getSnapshot(), isPending: true });
  };
  const showPendingLater = () => {
    pendingTimer ??= clock.setTimer(showPending, recheckMs);
  };
  const endPendingTimer = () => {
    pendingTimer?.cancel();
    pendingTimer = null;
  };

  const readWhileDue = async (signal: AbortSignal): Promise<void> => {
    if (signal.aborted) return;
    isDue = false;
    isOutdated = false;
    try {
      await read(signal);
    } catch (problem) {
      if (!signal.aborted) fail(problem);
      return;
    }
    if (signal.aborted) return;
    failures = 0;
    endPendingTimer();
    if (isDue) showPendingLater();
    else run = null;
    const isAgain = isDue;
    store.set({ isLoaded: true, isPending: isOutdated, error: null });
    if (isAgain) await readWhileDue(signal);
  };
  const fail = (problem: unknown) => {
    run = null;
    endPendingTimer();
    if (shouldRetry(problem)) {
      failures += 1;
      retryTimer = clock.setTimer(() => void refresh(), backoffDelayMs(failures, { delaysMs }, 0));
    }
    store.set({ ...store.getSnapshot(), isPending: true, error: toError(problem) });
  };
  const begin = () => {
    isDue = true;
    retryTimer?.cancel();
    if (!run) {
      const controller = new AbortController();
      run = { controller, ended: Promise.resolve(controller.signal).then(readWhileDue) };
    }
    return run.ended;
  };
  const refresh = () => {
    isOutdated = true;
    const ended = begin();
    showPending();
    return ended;
  };
  return {
    getSnapshot: store.getSnapshot,
    subscribe: store.subscribe,
    refresh,
    recheck() {
      const ended = begin();
      showPendingLater();
      return ended;
    },
    stop() {
      retryTimer?.cancel();
      endPendingTimer();
      run?.controller.abort();
      run = null;
    },
  };
}

/** A `read` of the caller may reject with anything. */
const toError = (problem: unknown): Error =>
  problem instanceof Error ? problem : new Error('The read failed', { cause: problem });
