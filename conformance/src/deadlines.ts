import { AsyncLocalStorage } from 'node:async_hooks';

/** By how much the deadlines of the running audit are extended. */
const factors = new AsyncLocalStorage<number>();

/** Runs a task whose deadlines are extended by `factor`: a slow server is slow, and not wrong. */
export const withDeadlineFactor = <T>(factor: number, task: () => Promise<T>): Promise<T> =>
  factors.run(factor, task);

/** A deadline in milliseconds, extended by as much as the target is slow. */
export const scaleDeadline = (ms: number): number => Math.round(ms * (factors.getStore() ?? 1));

/** The round trip in milliseconds for which the deadlines of the audits are meant. */
const usualRoundTripMs = 50;

const largestFactor = 10;

/**
 * The factor for a target: how many times slower than usual its round trips are, between 1 and 10.
 *
 * @param roundTripsMs measured durations; the median counts.
 */
export function deadlineFactor(roundTripsMs: readonly number[]): number {
  const sorted = roundTripsMs.toSorted((one, other) => one - other);
  const median = sorted[Math.floor(sorted.length / 2)] ?? 0;
  return Math.min(largestFactor, Math.max(1, median / usualRoundTripMs));
}
