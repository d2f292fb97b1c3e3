export interface RateGateOptions {
  /** The run may not wait beyond this time of `performance.now()`. */
  readonly stopAtMs: number;
  readonly wait: (durationMs: number) => Promise<void>;
}

/** Holds back all mails of a run while the provider limits the rate. */
export interface RateGate {
  /** Waits while the rate is limited. Resolves to `closedForMs()`. */
  pass(): Promise<number | null>;
  /** Records that the provider limits the rate. @param retryAfterMs 0: not said. */
  limit(retryAfterMs: number): void;
  /** How long the limit lasts beyond what the run can wait for; null while the run can wait. */
  closedForMs(): number | null;
}

/** The wait where the provider names none. */
const usualWaitMs = 1000;

export function createRateGate({ stopAtMs, wait }: RateGateOptions): RateGate {
  let pause: Promise<void> = Promise.resolve();
  let closedForMs: number | null = null;
  return {
    async pass() {
      await pause;
      return closedForMs;
    },
    limit(retryAfterMs) {
      const waitMs = retryAfterMs || usualWaitMs;
      if (performance.now() + waitMs < stopAtMs) pause = wait(waitMs);
      else closedForMs = Math.max(closedForMs ?? 0, waitMs);
    },
    closedForMs: () => closedForMs,
  };
}
