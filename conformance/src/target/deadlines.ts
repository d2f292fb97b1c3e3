import { AsyncLocalStorage } from 'node:async_hooks';

/** Extends deadlines by the measured round trips, so that a slow target does not fail. */
export interface DeadlineScale {
  /** Adds the duration of a round trip in milliseconds. */
  record(roundTripMs: number): void;
  /** Returns how long something may take now that takes at most `ms` on a fast server. */
  scale(ms: number): number;
  /** The median of the latest round trips in milliseconds; 0 before the first. */
  roundTripMs(): number;
}

/** The round trip that the audits' deadlines assume. */
const usualRoundTripMs = 50;
const largestFactor = 6;
const keptRoundTrips = 25;

export function createDeadlineScale(): DeadlineScale {
  const latest: number[] = [];
  const median = () => {
    const sorted = latest.toSorted((one, other) => one - other);
    return sorted[Math.floor(sorted.length / 2)] ?? 0;
  };
  return {
    record(roundTripMs) {
      latest.push(roundTripMs);
      if (latest.length > keptRoundTrips) latest.shift();
    },
    scale: (ms) => Math.round(ms * Math.min(largestFactor, Math.max(1, median() / usualRoundTripMs))),
    roundTripMs: median,
  };
}

/** A scale that also extends deadlines by the waits that a server requested. */
export interface WaitingScale extends DeadlineScale {
  recordWait(ms: number): void;
}

export function withWaits(scale: DeadlineScale): WaitingScale {
  let waitedMs = 0;
  return {
    ...scale,
    scale: (ms) => scale.scale(ms) + waitedMs,
    recordWait: (ms) => void (waitedMs += ms),
  };
}

const running = new AsyncLocalStorage<DeadlineScale>();

/** Runs a task with deadlines that follow a scale. */
export const withDeadlineScale = <T>(scale: DeadlineScale, task: () => Promise<T>): Promise<T> =>
  running.run(scale, task);

/** The scale of the running audit; without one, deadlines are as written. */
const currentScale = (): DeadlineScale => running.getStore() ?? createDeadlineScale();

/** Returns a deadline in milliseconds, extended by the target's current slowness. */
export const scaleDeadline = (ms: number): number => currentScale().scale(ms);

/**
 * Calls `expire` with the elapsed milliseconds once `ms` have passed by the scale, which may grow in the meantime.
 *
 * @returns a function that cancels.
 */
export function startDeadline(
  ms: number,
  expire: (passedMs: number) => void,
  scale: DeadlineScale = currentScale(),
): () => void {
  const startedMs = performance.now();
  let timer: NodeJS.Timeout;
  const arm = () => {
    const passedMs = performance.now() - startedMs;
    const leftMs = scale.scale(ms) - passedMs;
    if (leftMs <= 0) expire(Math.round(passedMs));
    else timer = setTimeout(arm, leftMs);
  };
  arm();
  return () => clearTimeout(timer);
}
