import type { Clock } from '../platform/platform.ts';

/** A clock that only the test advances. */
export interface FakeClock extends Clock {
  /** Moves time forward by `ms` milliseconds; each timer runs at its moment, and promises settle between timers. */
  advance(ms: number): Promise<void>;
  /** How many timers are set. */
  readonly pendingTimers: number;
}

interface PendingTimer {
  readonly dueMs: number;
  readonly callback: () => void;
}

/**
 * Creates a clock that stands still.
 *
 * @param startMs wall-clock time at the start, in milliseconds since the epoch. Default: the beginning of 2026.
 */
export function createFakeClock(startMs: number = Date.UTC(2026, 0, 1)): FakeClock {
  let elapsedMs = 0;
  const timers = new Set<PendingTimer>();
  const nextDue = (endMs: number): PendingTimer | undefined =>
    [...timers].filter(({ dueMs }) => dueMs <= endMs).toSorted((a, b) => a.dueMs - b.dueMs)[0];
  return {
    now: () => startMs + elapsedMs,
    monotonicMs: () => elapsedMs,
    setTimer(callback, delayMs) {
      const timer = { dueMs: elapsedMs + Math.max(0, delayMs), callback };
      timers.add(timer);
      return { cancel: () => void timers.delete(timer) };
    },
    async advance(ms) {
      const endMs = elapsedMs + ms;
      await settle();
      for (let timer = nextDue(endMs); timer; timer = nextDue(endMs)) {
        elapsedMs = timer.dueMs;
        timers.delete(timer);
        timer.callback();
        await settle();
      }
      elapsedMs = endMs;
    },
    get pendingTimers() {
      return timers.size;
    },
  };
}

/** Lets pending promises run. Message channels yield a task, and no test runner replaces them by fakes as it does timers. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 5; turn += 1)
    await new Promise<void>((resolve) => {
      const { port1, port2 } = new MessageChannel();
      port1.addEventListener('message', () => {
        port1.close();
        resolve();
      });
      port1.start();
      port2.postMessage(null);
    });
}
