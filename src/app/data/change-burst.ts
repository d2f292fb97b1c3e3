import type { Clock, Timer, Unsubscribe } from '../../platform/index.ts';

/** Passes changes on, but drops those of a burst: requests for the changes then replace them. */
export interface BurstGate<Change> {
  receive(changes: readonly Change[]): void;
  /** Ends the timer. */
  readonly close: Unsubscribe;
}

export interface BurstGateOptions<Change> {
  readonly clock: Clock;
  readonly onChanges: (changes: readonly Change[]) => void;
  /**
   * Changes were dropped. Called soon after a burst begins, because all changes of one statement are committed when the
   * first arrives; again at its end if more were dropped since; and every half minute of a long burst.
   */
  readonly onDropped: () => void;
}

/** More changes within `windowMs` than this are a burst: marking a long inbox as read sends one for each row. */
const mostChanges = 200;
/** A busy server sends some fifty changes a second. */
const windowMs = 5_000;
/** A burst of some hundred changes is over by then, and needs one call only. */
const firstCallMs = 200;
const repeatMs = 30_000;
/** A burst ends when no change has come for this time. */
const quietMs = 500;

interface Burst {
  nextCallMs: number;
  lastChangeMs: number;
  /** Whether changes were dropped since the last call. */
  isStale: boolean;
}

export function createBurstGate<Change>(options: BurstGateOptions<Change>): BurstGate<Change> {
  const { clock, onChanges, onDropped } = options;
  let windowStartMs = -Infinity;
  let count = 0;
  let burst: Burst | null = null;
  let timer: Timer | null = null;

  const wait = ({ nextCallMs, lastChangeMs }: Burst) => {
    const atMs = Math.min(nextCallMs, lastChangeMs + quietMs);
    timer = clock.setTimer(check, Math.max(0, atMs - clock.monotonicMs()));
  };
  const check = () => {
    if (!burst) return;
    const nowMs = clock.monotonicMs();
    const isOver = nowMs - burst.lastChangeMs >= quietMs;
    const isDue = burst.isStale && (isOver || nowMs >= burst.nextCallMs);
    if (nowMs >= burst.nextCallMs) burst.nextCallMs = nowMs + repeatMs;
    if (isDue) burst.isStale = false;
    if (isOver) {
      burst = null;
      windowStartMs = -Infinity;
    } else {
      wait(burst);
    }
    if (isDue) onDropped();
  };

  return {
    receive(changes) {
      const nowMs = clock.monotonicMs();
      if (burst) {
        burst.lastChangeMs = nowMs;
        burst.isStale = true;
        return;
      }
      if (nowMs - windowStartMs >= windowMs) {
        windowStartMs = nowMs;
        count = 0;
      }
      count += changes.length;
      if (count <= mostChanges) return onChanges(changes);
      burst = { nextCallMs: nowMs + firstCallMs, lastChangeMs: nowMs, isStale: true };
      wait(burst);
    },
    close: () => timer?.cancel(),
  };
}
