export interface RateGateOptions {
  /** The run may not wait beyond this time of `performance.now()`. */
  readonly stopAtMs: number;
  readonly wait: (durationMs: number) => Promise<void>;
}

/** Why the other mails of a run are not sent, and for how long. */
export interface Closure {
  readonly forMs: number;
  readonly reason: string;
}

/** Holds back all mails of a run while the provider limits the rate or cannot be reached. */
export interface RateGate {
  /** Waits for the current pause. Resolves to null if mails may be sent, else to the reason. */
  pass(): Promise<Closure | null>;
  /** Records that the provider accepts no mail. @param retryAfterMs 0: not specified. */
  limit(retryAfterMs: number, reason: string): void;
  /**
   * Records that a mail was held: after several in a row without a mail that was accepted or refused, the others wait, too.
   */
  hold(retryAfterMs: number, reason: string): void;
  /** Records that the provider accepts mails. */
  open(): void;
  /** Why no mail is sent until the end of the run; null while the run sends or waits. */
  closure(): Closure | null;
}

/** The wait if the provider specifies none. */
const usualWaitMs = 1000;
/** This many held mails in a row indicate a fault of the provider. */
const maxHeld = 10;
const heldWaitMs = 60_000;

export function createRateGate({ stopAtMs, wait }: RateGateOptions): RateGate {
  let pause: Promise<void> = Promise.resolve();
  let closure: Closure | null = null;
  let held = 0;
  const limit = (retryAfterMs: number, reason: string) => {
    const waitMs = retryAfterMs || usualWaitMs;
    if (performance.now() + waitMs < stopAtMs) pause = wait(waitMs);
    else closure = { forMs: Math.max(closure?.forMs ?? 0, waitMs), reason };
  };
  const readClosure = () => {
    if (closure === null && performance.now() >= stopAtMs)
      closure = { forMs: 0, reason: 'The run was about to end.' };
    return closure;
  };
  return {
    async pass() {
      await pause;
      return readClosure();
    },
    limit,
    hold(retryAfterMs, reason) {
      held += 1;
      if (held >= maxHeld) limit(retryAfterMs || heldWaitMs, reason);
    },
    open() {
      held = 0;
    },
    closure: readClosure,
  };
}
