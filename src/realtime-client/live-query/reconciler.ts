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
  /** Compares the list with its table by one cheap request. Without it every comparison reads the list. */
  readonly differs?: ((signal: AbortSignal) => Promise<boolean>) | undefined;
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
  const { platform, intervalMs, maxEventsPerSecond = 100, isCurrent, onReadAgain } = options;
  const { clock, page, report } = platform;
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

  const differs = async (): Promise<boolean> => {
    if (!options.differs) return true;
    request?.abort();
    request = new AbortController();
    const { signal } = request;
    try {
      return (await options.differs(signal)) && !signal.aborted;
    } catch (problem) {
      if (!signal.aborted) report(problem);
      return false;
    }
  };
  /** A difference counts only if a second comparison finds it too: its change may still be on its way. */
  const check = async (cause: ReconcileCause, isSecond: boolean) => {
    if (!isRunning || !isCurrent() || !(await differs()) || !isCurrent()) return;
    if (isSecond || !options.differs) onReadAgain(cause);
    else checkLater(cause, true);
  };
  const checkLater = (cause: ReconcileCause, isSecond: boolean) => {
    checkTimer?.cancel();
    checkTimer = clock.setTimer(() => void check(cause, isSecond), settleMs);
  };
  const tick = () => {
    intervalTimer = clock.setTimer(() => {
      isDue = page?.isVisible() === false;
      if (!isDue) void check('interval', false);
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
        void check('interval', false);
      });
    },
    stop() {
      isRunning = false;
      [intervalTimer, checkTimer, echoTimer].forEach((timer) => timer?.cancel());
      request?.abort();
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
      if (isRunning && countInSecond >= maxEventsPerSecond * suspiciousRate) checkLater('rate', false);
    },
    noteLosses(cause) {
      if (isRunning && cause === 'rate') checkLater(cause, false);
    },
    noteOwnWrites(keys) {
      if (!isRunning || intervalMs === 0) return;
      keys.forEach((key) => unechoed.add(key));
      echoTimer?.cancel();
      echoTimer = clock.setTimer(() => {
        if (unechoed.size > 0) void check('no-echo', true);
        unechoed.clear();
      }, echoMs);
    },
  };
}
