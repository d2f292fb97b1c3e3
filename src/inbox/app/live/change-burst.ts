import type { Clock, Timer, Unsubscribe } from 'supabase-protocol-clients/platform';

/** Passes changes on, but drops those of a burst: requests for the changes then replace them. */
export interface BurstFilter<Change> {
  receive(changes: readonly Change[]): void;
  readonly close: Unsubscribe;
}

export interface BurstFilterOptions<Change> {
  readonly clock: Clock;
  readonly onChanges: (changes: readonly Change[]) => void;
  /**
   * Changes were dropped. Called soon after a burst begins, because all changes of one statement are committed when the
   * first arrives; again at its end if more were dropped since; and every ten seconds of a long burst.
   */
  readonly onDropped: () => void;
}

/** More changes within `windowMs` than this are a burst: marking a long inbox as read sends one for each row. */
const maxChanges = 200;
/** A busy server sends some fifty changes a second. */
const windowMs = 5_000;
/** A burst of some hundred changes ends within this time, and needs one call only. */
const firstCallMs = 200;
const repeatMs = 10_000;
/** A burst ends when no change has arrived for this time. A busy server pauses for shorter times. */
const quietMs = 2_000;

interface Burst {
  readonly nextCallMs: number;
  /** Whether the first call is pending. */
  readonly isNew: boolean;
  lastChangeMs: number;
  /** The number of changes dropped since the last call. */
  dropped: number;
}

export function createBurstFilter<Change>(options: BurstFilterOptions<Change>): BurstFilter<Change> {
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
    const { nextCallMs, isNew, lastChangeMs, dropped } = burst;
    const isQuiet = nowMs - lastChangeMs >= quietMs;
    if (!isQuiet && nowMs < nextCallMs) return wait(burst);
    // Once their rate is usual, changes are passed again, even if they never pause.
    if (isQuiet || (!isNew && dropped <= maxChanges)) {
      burst = null;
      windowStartMs = -Infinity;
    } else {
      burst = { nextCallMs: nowMs + repeatMs, isNew: false, lastChangeMs, dropped: 0 };
      wait(burst);
    }
    if (dropped > 0) onDropped();
  };

  return {
    receive(changes) {
      const nowMs = clock.monotonicMs();
      if (burst) {
        burst.lastChangeMs = nowMs;
        burst.dropped += changes.length;
        return;
      }
      if (nowMs - windowStartMs >= windowMs) {
        windowStartMs = nowMs;
        count = 0;
      }
      count += changes.length;
      if (count <= maxChanges) return onChanges(changes);
      burst = { nextCallMs: nowMs + firstCallMs, isNew: true, lastChangeMs: nowMs, dropped: changes.length };
      wait(burst);
    },
    close: () => timer?.cancel(),
  };
}
