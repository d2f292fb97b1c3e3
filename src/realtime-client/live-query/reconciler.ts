import type { Page, Platform, Timer, Unsubscribe } from '../../platform/platform.ts';

/**
 * Why a list was compared with the table. `interval`: periodically; `rate`: changes arrived near the server's rate limit,
 * beyond which it drops them; `no-echo`: a write of this tab did not come back as a change.
 */
export type ReconcileCause = 'interval' | 'rate' | 'no-echo';

/** Decides when to compare a list with its table: of `createLiveQuery`, or of an application that merges changes itself. */
export interface Reconciler {
  /** The channel is live; does nothing if it was already. */
  start(): void;
  /** The channel is no longer live, or the query was stopped. */
  stop(): void;
  /** Changes of the server arrived for these keys. */
  noteChanges(keys: readonly string[]): void;
  /** This tab wrote these rows; their changes are expected soon. */
  noteOwnWrites(keys: readonly string[]): void;
  /** A comparison for this cause found lost changes: a server that limits the rate averages over a minute, and may lose more. */
  noteLosses(cause: ReconcileCause): void;
}

/** Options of {@link createReconciler}. */
export interface ReconcilerOptions {
  /** Default for `page`: always visible. */
  readonly platform: Pick<Platform, 'clock' | 'report'> & { readonly page?: Page };
  /** Milliseconds between comparisons while the page is visible; 0: none. */
  readonly intervalMs: number;
  /** The server's limit of changes per second, near which it may drop some. Default 100, the free plan's. */
  readonly maxEventsPerSecond?: number | undefined;
  /** Whether the list claims to equal the table; otherwise a read is on its way. */
  readonly isCurrent: () => boolean;
  /**
   * Compares the list with its table, best by one cheap request. Without it every comparison reads the list, and so does
   * one that fails.
   */
  readonly differs?: ((signal: AbortSignal) => Promise<boolean>) | undefined;
  /** Deadline of a comparison, its repetition included, in milliseconds. Default 5,000. */
  readonly answerMs?: number;
  /** Called when the list must be read again: it differs from the table, or is not known to equal it. */
  readonly onReadAgain: (cause: ReconcileCause) => void;
}

/** How long a change may be on its way before it counts as lost. In milliseconds. */
export const settleMs = 2_000;
/** How long the change of an own write may take. In milliseconds. */
const echoMs = 5_000;
/** Fraction of the server's rate limit from which on it may have dropped changes. */
const suspiciousRate = 0.8;

/** Creates a reconciler, which compares nothing before its `start`. */
export function createReconciler(options: ReconcilerOptions): Reconciler {
  const {
    platform,
    intervalMs,
    maxEventsPerSecond = 100,
    answerMs = 5_000,
    isCurrent,
    onReadAgain,
  } = options;
  const { clock, page, report } = platform;
  // The repetition needs time for its answer.
  const repetitionDelayMs = Math.min(settleMs, 0.4 * answerMs);
  let intervalTimer: Timer | undefined;
  let checkTimer: Timer | undefined;
  let echoTimer: Timer | undefined;
  let request: AbortController | undefined;
  let stopPage: Unsubscribe | undefined;
  let isRunning = false;
  let isDue = false;
  let secondStartMs = 0;
  let countInSecond = 0;
  const unechoed = new Set<string>();

  const compare = async (endMs: number): Promise<'same' | 'different' | 'unknown'> => {
    if (!options.differs) return 'unknown';
    request?.abort();
    const controller = new AbortController();
    request = controller;
    const late = new Error('The comparison of the list was not answered in time');
    const deadline = clock.setTimer(() => controller.abort(late), endMs - clock.monotonicMs());
    const aborted = new Promise<never>((_resolve, reject) => {
      controller.signal.addEventListener('abort', () => reject(late));
    });
    try {
      return (await Promise.race([options.differs(controller.signal), aborted])) ? 'different' : 'same';
    } catch (problem) {
      // Superseded by a later comparison.
      if (request !== controller) return 'same';
      report(problem);
      return 'unknown';
    } finally {
      deadline.cancel();
      if (request === controller) request = undefined;
    }
  };
  /**
   * A difference counts only if a second comparison finds it too, or has no time left: its change may still be on its way.
   *
   * @param endMs when the list is read again without an answer, for a second comparison.
   */
  const check = async (cause: ReconcileCause, endMs?: number) => {
    if (!isRunning || !isCurrent()) return;
    const startMs = clock.monotonicMs();
    const limitMs = endMs ?? startMs + answerMs;
    const result = startMs < limitMs ? await compare(limitMs) : 'unknown';
    if (result === 'same' || !isRunning || !isCurrent()) return;
    if (result === 'different' && endMs === undefined) checkLater(cause, limitMs);
    else onReadAgain(cause);
  };
  const checkLater = (cause: ReconcileCause, endMs?: number) => {
    checkTimer?.cancel();
    const delayMs = endMs === undefined ? settleMs : Math.min(repetitionDelayMs, endMs - clock.monotonicMs());
    checkTimer = clock.setTimer(() => {
      checkTimer = undefined;
      void check(cause, endMs);
    }, delayMs);
  };
  const checkNow = () => {
    // A comparison that is under way ends with an answer, a repetition or a read.
    if (!request && !checkTimer) void check('interval');
  };
  const tick = () => {
    intervalTimer = clock.setTimer(() => {
      isDue = page?.isVisible() === false;
      if (!isDue) checkNow();
      tick();
    }, intervalMs);
  };
  return {
    start() {
      if (isRunning) return;
      isRunning = true;
      if (intervalMs > 0) tick();
      stopPage = page?.subscribe((signal) => {
        if (signal !== 'visible' || !isDue) return;
        isDue = false;
        checkNow();
      });
    },
    stop() {
      isRunning = false;
      [intervalTimer, checkTimer, echoTimer].forEach((timer) => timer?.cancel());
      checkTimer = undefined;
      const stopped = request;
      request = undefined;
      stopped?.abort();
      stopPage?.();
      unechoed.clear();
    },
    noteChanges(keys) {
      keys.forEach((key) => unechoed.delete(key));
      const nowMs = clock.monotonicMs();
      if (nowMs - secondStartMs >= 1_000) {
        secondStartMs = nowMs;
        countInSecond = 0;
      }
      countInSecond += keys.length;
      // A pending comparison is not put off: the rate may stay high for long.
      if (isRunning && !checkTimer && countInSecond >= maxEventsPerSecond * suspiciousRate)
        checkLater('rate');
    },
    noteLosses(cause) {
      if (isRunning && cause === 'rate') checkLater(cause);
    },
    noteOwnWrites(keys) {
      if (!isRunning || intervalMs === 0) return;
      keys.forEach((key) => unechoed.add(key));
      echoTimer?.cancel();
      echoTimer = clock.setTimer(() => {
        if (unechoed.size > 0) void check('no-echo', clock.monotonicMs() + answerMs);
        unechoed.clear();
      }, echoMs);
    },
  };
}
