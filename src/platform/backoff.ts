/** How the waits between attempts grow. */
export interface BackoffOptions {
  /** Delays in milliseconds before the first, second, … retry; the last one repeats. */
  readonly delaysMs: readonly number[];
  /**
   * `full`: each wait is a random part of its delay. A number: up to this share of the delay is added at random, so
   * that clients that lost one server do not return at the same moment. Default 0, no jitter.
   */
  readonly jitter?: 'full' | number;
}

/** Delays that double from `baseDelayMs` until they reach `maxDelayMs`, both in milliseconds. */
export function doublingDelaysMs(baseDelayMs: number, maxDelayMs: number): readonly number[] {
  const delaysMs = [];
  // A base of 0 never grows.
  for (let delayMs = baseDelayMs; delayMs > 0 && delayMs < maxDelayMs; delayMs *= 2) delaysMs.push(delayMs);
  return [...delaysMs, baseDelayMs > 0 ? maxDelayMs : 0];
}

/**
 * The wait before a retry, in whole milliseconds.
 *
 * @param attempt 1 for the first retry.
 * @param random a number in [0, 1).
 */
export function backoffDelayMs(
  attempt: number,
  { delaysMs, jitter = 0 }: BackoffOptions,
  random: number,
): number {
  const delayMs = delaysMs[Math.min(attempt, delaysMs.length) - 1] ?? 0;
  return Math.round(jitter === 'full' ? delayMs * random : delayMs * (1 + jitter * random));
}
