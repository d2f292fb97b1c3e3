import { duration, limit } from '../../platform/number-options.ts';
import { requireRanges } from '../errors.ts';
import { backoffDelayMs } from '../../platform/backoff.ts';
import type { Clock, Page, Platform, Timer, Unsubscribe } from '../../platform/platform.ts';
import { createObservable, type Readable, type Observable } from '../../platform/observable.ts';
import { defaultSettings } from '../settings.ts';
import type { ChannelSnapshot } from '../socket/connection.ts';
import { ReadTriggers, type ReadCause } from './read-triggers.ts';
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
  return new FollowingReads(options);
}

class FollowingReads implements LiveReads {
  readonly getSnapshot: LiveReads['getSnapshot'];
  readonly subscribe: LiveReads['subscribe'];
  readonly #options: LiveReadsOptions;
  readonly #clock: Clock;
  readonly #observable: Observable<LiveReadsSnapshot>;
  #triggers: ReadTriggers | null = null;
  #channel: FollowedChannel | null = null;
  #error: Error | null = null;
  #run: { readonly controller: AbortController; readonly ended: Promise<void> } | null = null;
  #isDue = false;
  /** Whether the due read is needed because the result is outdated. */
  #isOutdated = false;
  #failures = 0;
  #retryTimer: Timer | null = null;
  #pendingTimer: Timer | null = null;

  constructor(options: LiveReadsOptions) {
    this.#options = options;
    this.#clock = options.platform.clock;
    this.#observable = createObservable<LiveReadsSnapshot>(
      { isLoaded: false, isPending: false, status: 'stopped', isCurrent: false, error: null, failure: null },
      options.platform.report,
    );
    ({ getSnapshot: this.getSnapshot, subscribe: this.subscribe } = this.#observable);
  }

  readonly follow: LiveReads['follow'] = (channel, source) => {
    this.#channel = channel;
    const onRead = (cause: ReadCause) => this.#onRead(cause);
    const triggers = new ReadTriggers({ ...this.#options, channel, source, onRead });
    this.#triggers = triggers;
    const show = () => this.#publish(this.getSnapshot());
    const unsubscribe = channel.subscribe(show);
    show();
    return () => {
      triggers.stop();
      unsubscribe();
      this.#channel = null;
      this.#triggers = null;
      show();
    };
  };

  readonly noteChanges = (count: number): void => this.#triggers?.noteChanges(count);

  readonly noteLosses = (cause: ReadCause): void => this.#triggers?.noteLosses(cause);

  readonly refresh = (): Promise<void> => {
    this.#triggers?.restart();
    return this.#readSoon();
  };

  readonly recheck = (): Promise<void> => {
    const ended = this.#begin();
    this.#showPendingLater();
    return ended;
  };

  readonly stop = (): void => {
    this.#retryTimer?.cancel();
    this.#endPendingTimer();
    this.#run?.controller.abort();
    this.#run = null;
  };

  #onRead(cause: ReadCause): void {
    const { onCause = () => true } = this.#options;
    if (onCause(cause)) void (cause === 'interval' || cause === 'rate' ? this.recheck() : this.#readSoon());
  }

  #readSoon(): Promise<void> {
    this.#isOutdated = true;
    const ended = this.#begin();
    this.#showPending();
    return ended;
  }

  #begin(): Promise<void> {
    this.#isDue = true;
    this.#retryTimer?.cancel();
    if (!this.#run) {
      const controller = new AbortController();
      const ended = Promise.resolve(controller.signal).then((signal) => this.#readWhileDue(signal));
      this.#run = { controller, ended };
    }
    return this.#run.ended;
  }

  async #readWhileDue(signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    this.#isDue = false;
    this.#isOutdated = false;
    try {
      await this.#options.read(signal);
    } catch (problem) {
      if (!signal.aborted) this.#fail(problem);
      return;
    }
    if (signal.aborted) return;
    this.#failures = 0;
    this.#error = null;
    this.#endPendingTimer();
    const isAgain = this.#isDue;
    if (isAgain) this.#showPendingLater();
    else this.#run = null;
    this.#publish({ isLoaded: true, isPending: this.#isOutdated });
    if (isAgain) await this.#readWhileDue(signal);
  }

  #fail(problem: unknown): void {
    const { shouldRetry = () => true, retryDelaysMs: delaysMs = defaultSettings.reconnectDelaysMs } =
      this.#options;
    this.#run = null;
    this.#endPendingTimer();
    if (shouldRetry(problem)) {
      this.#failures += 1;
      const delayMs = backoffDelayMs(this.#failures, { delaysMs }, 0);
      this.#retryTimer = this.#clock.setTimer(() => void this.#readSoon(), delayMs);
    }
    this.#error = toError(problem);
    this.#publish({ ...this.getSnapshot(), isPending: true });
  }

  #showPending(): void {
    const shown = this.getSnapshot();
    if (!shown.isPending) this.#publish({ ...shown, isPending: true });
  }

  #showPendingLater(): void {
    this.#pendingTimer ??= this.#clock.setTimer(() => this.#showPending(), recheckMs);
  }

  #endPendingTimer(): void {
    this.#pendingTimer?.cancel();
    this.#pendingTimer = null;
  }

  #publish({ isLoaded, isPending }: Pick<LiveReadsSnapshot, 'isLoaded' | 'isPending'>): void {
    const followed = this.#channel?.getSnapshot();
    const status = statusOf(followed?.status, isPending || !isLoaded);
    const failure = followed?.error ?? null;
    const isCurrent = status === 'current';
    this.#observable.set({ isLoaded, isPending, status, isCurrent, error: this.#error, failure });
  }
}

function statusOf(channel: ChannelSnapshot['status'] | undefined, isReading: boolean): LiveStatus {
  if (channel === undefined) return 'stopped';
  if (channel !== 'live') return channel === 'failed' ? 'failed' : 'joining';
  return isReading ? 'reading' : 'current';
}

/** A `read` of the caller may reject with anything. */
const toError = (problem: unknown): Error =>
  problem instanceof Error ? problem : new Error('The read failed', { cause: problem });
