/** A clock that can be put wrong. */
export interface SkewedClock {
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Replaces the former skew. */
  skew(byMs: number): void;
}

export function createSkewedClock(trueNow: () => number): SkewedClock {
  let skewMs = 0;
  return {
    now: () => trueNow() + skewMs,
    skew(byMs) {
      skewMs = byMs;
    },
  };
}
