import type { Timers } from '../timers.ts';

/** Holds tokens that a client pushes within the throttle's time. */
export interface TokenThrottle {
  /** Verifies a token, or holds it and replaces a held one. */
  push(token: string): Promise<void>;
  /** Verifies a held token now. Returns false if no token is held. */
  release(): Promise<boolean>;
  stop(): void;
}

export interface TokenThrottleOptions {
  readonly now: () => number;
  readonly timers: Timers;
  /** The time after the verification of a pushed token, in milliseconds. */
  readonly throttleMs: () => number;
  readonly verify: (token: string) => Promise<void>;
}

/** As in the real server after 2.129.8: the first token that is pushed after a join is verified at once. */
export function createTokenThrottle(options: TokenThrottleOptions): TokenThrottle {
  const { now, timers, throttleMs, verify } = options;
  let verifiedAtMs: number | null = null;
  let held: string | null = null;
  let cancel = () => {};

  const verifyNow = (token: string) => {
    cancel();
    held = null;
    verifiedAtMs = now();
    return verify(token);
  };
  const throttle: TokenThrottle = {
    async push(token) {
      const waitMs = verifiedAtMs === null ? 0 : verifiedAtMs + throttleMs() - now();
      if (waitMs <= 0) return verifyNow(token);
      if (held === null) cancel = timers.after(waitMs, () => void throttle.release());
      held = token;
    },
    async release() {
      if (held === null) return false;
      await verifyNow(held);
      return true;
    },
    stop() {
      cancel();
      held = null;
    },
  };
  return throttle;
}
