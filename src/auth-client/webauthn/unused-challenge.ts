import type { Clock } from '../../platform/platform.ts';
import { untilAborted } from '../../platform/until-aborted.ts';
import { AuthError } from '../errors.ts';
import type { CallOptions } from '../wire/request.ts';

/** A challenge is renewed this long before it expires, so that the person has time to confirm. */
const CONFIRMATION_MS = 60_000;
/** Bounds of a challenge's use: the device's clock may be wrong about the expiry. */
const SHORTEST_USE_MS = 60_000;
const LONGEST_USE_MS = 240_000;

/** A challenge with the time until which ceremonies may begin with it. */
export interface TimedChallenge<Challenge> {
  readonly challenge: Challenge;
  /** Milliseconds since the epoch, by the device's clock. */
  readonly usableUntilMs: number;
}

/** Requests a challenge from the server. */
export type RequestChallenge<Challenge> = (
  captchaToken: string | undefined,
  options: CallOptions,
) => Promise<Challenge>;

/**
 * The challenge that no authenticator has used. The server limits how many challenges it issues, and accepts each once: a
 * ceremony that ends without a response leaves its challenge to the next one.
 */
export interface UnusedChallenge<Challenge> {
  /**
   * Takes the unused challenge if it stays usable for longer than `forMs`, in milliseconds, else a new one. The signal ends
   * the wait only: the request continues, because its challenge serves the next call.
   *
   * @throws {AuthError} `aborted`, or what the request throws.
   */
  take(
    forMs: number,
    captchaToken: string | undefined,
    options: CallOptions,
  ): Promise<TimedChallenge<Challenge>>;
  /** Marks the challenge as used: the next call requests another one. */
  markUsed(challenge: Challenge): void;
}

/** @param expiresAtMs when a challenge expires, in milliseconds since the epoch by the server's clock. */
export function createUnusedChallenge<Challenge>(
  clock: Clock,
  expiresAtMs: (challenge: Challenge) => number,
  request: RequestChallenge<Challenge>,
): UnusedChallenge<Challenge> {
  let unused: TimedChallenge<Challenge> | null = null;
  let pending: Promise<TimedChallenge<Challenge>> | null = null;

  const start = (captchaToken: string | undefined, options: CallOptions) => {
    const load = async () => {
      const challenge = await request(captchaToken, options);
      const useMs = expiresAtMs(challenge) - CONFIRMATION_MS - clock.now();
      const boundedMs = Math.min(Math.max(useMs, SHORTEST_USE_MS), LONGEST_USE_MS);
      unused = { challenge, usableUntilMs: clock.now() + boundedMs };
      return unused;
    };
    const loading = load().finally(() => {
      if (pending === loading) pending = null;
    });
    pending = loading;
    return loading;
  };
  return {
    async take(forMs, captchaToken, { signal, ...options }) {
      if (signal?.aborted) throw aborted(signal);
      if (unused && unused.usableUntilMs - clock.now() > forMs) return unused;
      // A request in flight lacks the captcha token.
      const loading = (captchaToken === undefined && pending) || start(captchaToken, options);
      return untilAborted(loading, signal).catch((problem: unknown) => {
        throw signal?.aborted ? aborted(signal) : problem;
      });
    },
    markUsed(challenge) {
      if (unused?.challenge === challenge) unused = null;
    },
  };
}

function aborted({ reason }: AbortSignal): AuthError {
  return reason instanceof AuthError ? reason : new AuthError('aborted', 'Aborted', { cause: reason });
}
