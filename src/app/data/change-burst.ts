import type { Clock, Timer, Unsubscribe } from '../../platform/index.ts';

/** Passes changes on, but drops those of a burst: one request for the changes then replaces them. */
export interface BurstGate<Change> {
  receive(changes: readonly Change[]): void;
  /** Ends the timer. */
  readonly close: Unsubscribe;
}

export interface BurstGateOptions<Change> {
  readonly clock: Clock;
  readonly onChanges: (changes: readonly Change[]) => void;
  /** Changes were dropped, and no more have come for a moment. Also called every few seconds of a long burst. */
  readonly onDropped: () => void;
}

/** More changes within `windowMs` than this are a burst: marking a long inbox as read sends one for each row. */
const mostChanges = 200;
/** A busy server sends some fifty changes a second. */
const windowMs = 5_000;
const quietMs = 500;
const longestMs = 5_000;

export function createBurstGate<Change>(options: BurstGateOptions<Change>): BurstGate<Change> {
  const { clock, onChanges, onDropped } = options;
  let windowStartMs = -Infinity;
  let count = 0;
  let burst: { readonly endMs: number; readonly timer: Timer } | null = null;

  const waitForQuiet = (endMs: number) => {
    burst?.timer.cancel();
    const waitMs = Math.max(0, Math.min(quietMs, endMs - clock.monotonicMs()));
    burst = { endMs, timer: clock.setTimer(end, waitMs) };
  };
  const end = () => {
    burst = null;
    windowStartMs = -Infinity;
    onDropped();
  };

  return {
    receive(changes) {
      const nowMs = clock.monotonicMs();
      if (burst) return waitForQuiet(burst.endMs);
      if (nowMs - windowStartMs >= windowMs) {
        windowStartMs = nowMs;
        count = 0;
      }
      count += changes.length;
      if (count > mostChanges) waitForQuiet(nowMs + longestMs);
      else onChanges(changes);
    },
    close: () => burst?.timer.cancel(),
  };
}
