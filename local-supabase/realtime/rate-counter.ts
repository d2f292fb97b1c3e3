/** Counts what happens in each second of the clock. */
export interface RateCounter {
  /** Counts `amount` more. False if this second had its share already. */
  take(amount?: number): boolean;
}

export function createRateCounter(now: () => number, limitPerSecond: () => number): RateCounter {
  let second = 0;
  let count = 0;
  return {
    take(amount = 1) {
      const current = Math.floor(now() / 1000);
      if (current !== second) [second, count] = [current, 0];
      if (count >= limitPerSecond()) return false;
      count += amount;
      return true;
    },
  };
}
