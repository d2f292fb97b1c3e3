import { duration, limit } from '../../platform/number-options.ts';
import { requireRanges } from '../errors.ts';
import { backoffDelayMs } from '../../platform/backoff.ts';
import type { Page, Platform, Timer, Unsubscribe } from '../../platform/platform.ts';
import { createStore, type Readable } from '../../platform/store.ts';
import { defaultSettings } from '../settings.ts';
import type { ChannelSnapshot } from '../socket/connection.ts';
import { watchReads, type ReadCause, type ReadTriggers } from './read-triggers.ts';
import type { FollowedChannel, ReadTriggersOptions } from './read-triggers.ts';

/** Options of {@link createLiveReads}. */
export interface LiveReadsOptions extends Pick<ReadTriggersOptions, 'intervalMs' | 'maxEventsPerSecond'> {
  /** Reads, and applies the response unless the signal was aborted meanwhile. */
  readonly read: (signal: AbortSignal) => Promise<void>;
  /** Called before a read for a cause; returns whether to read. Default: always. */
  readonly onCause?: (cause: ReadCause) => boolean;
  /** Clock, error reporting and the page's visibility and network. Default for `page`: always visible and online. */
  readonly platform: Pick<Platform, 'clock' | 'report'> & { readonly page?: Page };
  /** Whether a failed read is retried. Default: always. */
  readonly shouldRetry?: (problem: unknown) => boolean;
  /** Delays before a failed read is retried, in milliseconds; the last repeats. Default 1, 2, 5, 10 s. */
  readonly retryDelaysMs?: readonly number[];
}

/**
 * Whether the result is current, and why not. `stopped`: no channel is followed; `joining`: the channel is not live;
 * `failed`: the channel has failed; `reading`: a read is in flight, or has failed and is retried; `current`.
 */
export type LiveStatus = 'stopped' | 'joining' | 'failed' | 'reading' | 'current';

/** Whether the result is current, and why not. */
export interface LiveReadsSnapshot {
  /** Whether a read has succeeded. */
  readonly isLoaded: boolean;
  /** Whether a read is due, in flight or has failed: the result may be outdated. */
  readonly isPending: boolean;
  /** Whether the result is current, and why not. */
  readonly status: LiveStatus;
  /** Whether the result equals the table as far as the client can know: the status is `current`. */
  readonly isCurrent: boolean;
  /** The error of the last read; null after a success. */
  readonly error: Error | null;
  /** Why the channel has failed; null unless `failed`. */
  readonly failure: ChannelSnapshot['error'];
}

/** Reads that repeat whenever their result may be outdated. */
export interface LiveReads extends Readable<LiveReadsSnapshot> {
  /**
   * Follows a channel that the caller joins, until the returned function is called: reads when it is live, after an
   * interruption, and for as long as it may lose changes silently.
   *
   * @param source announces the interruptions. Default: the channel.
   */
  follow(channel: FollowedChannel, source?: Pick<FollowedChannel, 'onContinuity'>): Unsubscribe;
  /** Counts changes that arrived. */
  noteChanges(count: number): void;
  /** A read for this cause found lost changes. */
  noteLosses(cause: ReadCause): void;
  /**
   * Reads soon: calls within one task share a read, and a call during a read leads to one more after it. The promise
   * resolves when no read is due, or one has failed; it never rejects.
   */
  refresh(): Promise<void>;
  /**
   * As `refresh`, without evidence that the result is outdated: it becomes pending only after 2 s, or when the read fails.
   */
  recheck(): Promise<void>;
  /** Aborts a read in flight and cancels the retry; `refresh()` begins again. */
  stop(): void;
}

/** How long a recheck may take before the result counts as outdated. In milliseconds. */
const recheckMs = 2_000;

/**
 * Creates reads that follow a channel, are combined, repeated for calls during a read, and retried: a live query without its
 * rows, for pages with cursors, counts, or changes since the last response.
 *
 * @example
 * ```ts
 * import { createLiveReads } from 'supabase-protocol-clients/realtime-client/live-query';
 *
 * const channel = realtime.channel('inbox');
 * const reads = createLiveReads({
 *   platform,
 *   async read(signal) {
 *     const unread = await rest.from('notifications').count().eq('status', 'unread').execute({ signal });
 *     if (!signal.aborted) console.log(`${unread} unread`);
 *   },
 * });
 * const stops = [reads.follow(channel), channel.join(), reads.stop];
 * ```
 */
export function createLiveReads(options: LiveReadsOptions): LiveReads {
  requireRanges(options, { intervalMs: duration, maxEventsPerSecond: limit, retryDelaysMs: duration });
  const { read, platform, onCause = () => true, shouldRetry = () => true } = options;
  const { retryDelaysMs: delaysMs = defaultSettings.reconnectDelaysMs } = options;
  const { clock, report } = platform;
  const store = createStore<LiveReadsSnapshot>(
    { isLoaded: false, isPending: false, status: 'stopped', isCurrent: false, error: null, failure: null },
    report,
  );
  let channel: FollowedChannel | null = null;
  let triggers: ReadTriggers | null = null;
  let error: Error | null = null;
  let run: { readonly controller: AbortController; readonly ended: Promise<void> } | null = null;
  let isDue = false;
  /** Whether the due read is needed because the result is outdated. */
  let isOutdated = false;
  let failures = 0;
  let retryTimer: Timer | null = null;
  let pendingTimer: Timer | null = null;

  const publish = ({ isLoaded, isPending }: Pick<LiveReadsSnapshot, 'isLoaded' | 'isPending'>) => {
    const followed = channel?.getSnapshot();
    const status = statusOf(followed?.status, isPending || !isLoaded);
    const failure = followed?.error ?? null;
    store.set({ isLoaded, isPending, status, isCurrent: status === 'current', error, failure });
  };
  const showPending = () => {
    if (!store.getSnapshot().isPending) publish({ ...store.getSnapshot(), isPending: true });
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
    error = null;
    endPendingTimer();
    if (isDue) showPendingLater();
    else run = null;
    const isAgain = isDue;
    publish({ isLoaded: true, isPending: isOutdated });
    if (isAgain) await readWhileDue(signal);
  };
  const fail = (problem: unknown) => {
    run = null;
    endPendingTimer();
    if (shouldRetry(problem)) {
      failures += 1;
      retryTimer = clock.setTimer(() => void readSoon(), backoffDelayMs(failures, { delaysMs }, 0));
    }
    error = toError(problem);
    publish({ ...store.getSnapshot(), isPending: true });
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
  const readSoon = () => {
    isOutdated = true;
    const ended = begin();
    showPending();
    return ended;
  };
  const recheck = () => {
    const ended = begin();
    showPendingLater();
    return ended;
  };
  const onRead = (cause: ReadCause) => {
    if (onCause(cause)) void (cause === 'interval' || cause === 'rate' ? recheck() : readSoon());
  };
  return {
    getSnapshot: store.getSnapshot,
    subscribe: store.subscribe,
    follow(followed, source) {
      channel = followed;
      triggers = watchReads({ ...options, channel: followed, source, onRead });
      const show = () => publish(store.getSnapshot());
      const stops = [triggers.stop, followed.subscribe(show)];
      show();
      return () => {
        stops.forEach((end) => end());
        channel = null;
        triggers = null;
        show();
      };
    },
    noteChanges: (count) => triggers?.noteChanges(count),
    noteLosses: (cause) => triggers?.noteLosses(cause),
    refresh() {
      triggers?.restart();
      return readSoon();
    },
    recheck,
    stop() {
      retryTimer?.cancel();
      endPendingTimer();
      run?.controller.abort();
      run = null;
    },
  };
}

function statusOf(channel: ChannelSnapshot['status'] | undefined, isReading: boolean): LiveStatus {
  if (channel === undefined) return 'stopped';
  if (channel !== 'live') return channel === 'failed' ? 'failed' : 'joining';
  return isReading ? 'reading' : 'current';
}

/** A `read` of the caller may reject with anything. */
const toError = (problem: unknown): Error =>
  problem instanceof Error ? problem : new Error('The read failed', { cause: problem });
