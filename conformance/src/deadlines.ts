import { AsyncLocalStorage } from 'node:async_hooks';

/** How slow a target is, measured while its audits run: a slow server is slow, and not wrong. */
export interface DeadlineScale {
  /** Adds the duration of a round trip in milliseconds. */
  record(roundTripMs: number): void;
  /** How long something may take now that takes at most `ms` on a fast server. */
  scale(ms: number): number;
  /** The median of the latest round trips in milliseconds; 0 before the first. */
  roundTripMs(): number;
}

/** The round trip for which the deadlines of the audits are meant. */
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

/** A scale whose deadlines are also extended by the waits that a server asked for. */
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

/** Runs a task whose deadlines follow a scale. */
export const withDeadlineScale = <T>(scale: DeadlineScale, task: () => Promise<T>): Promise<T> =>
  running.run(scale, task);

/** The scale of the running audit; without one, deadlines are as written. */
const currentScale = (): DeadlineScale => running.getStore() ?? createDeadlineScale();

/** A deadline in milliseconds, extended by as much as the target is slow at the moment. */
export const scaleDeadline = (ms: number): number => currentScale().scale(ms);

/**
 * Calls `expire` with the milliseconds that have passed, once `ms` are over by the scale, which may grow meanwhile.
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
