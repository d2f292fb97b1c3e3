import type { Timers } from '../../src/services/realtime/timers.ts';

/** A clock that only `advance` moves. */
export interface ManualTimers extends Timers {
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Advances the clock and runs due timers in order. */
  advance(ms: number): void;
  readonly pending: number;
  /** The time of the next timer, in milliseconds since the epoch; Infinity without one. */
  readonly nextDueMs: number;
}

export function createManualTimers(startMs: number): ManualTimers {
  let nowMs = startMs;
  const waiting = new Set<{ dueMs: number; callback: () => void }>();
  return {
    now: () => nowMs,
    after(delayMs, callback) {
      const timer = { dueMs: nowMs + delayMs, callback };
      waiting.add(timer);
      return () => waiting.delete(timer);
    },
    advance(ms) {
      const untilMs = nowMs + ms;
      for (;;) {
        const [next] = [...waiting].filter(({ dueMs }) => dueMs <= untilMs).sort((a, b) => a.dueMs - b.dueMs);
        if (!next) break;
        waiting.delete(next);
        nowMs = Math.max(nowMs, next.dueMs);
        next.callback();
      }
      nowMs = untilMs;
    },
    get pending() {
      return waiting.size;
    },
    get nextDueMs() {
      return Math.min(...[...waiting].map(({ dueMs }) => dueMs));
    },
  };
}
