export interface PollOutcome {
  /** The number of committed changes, with or without a subscriber. */
  readonly read: number;
  /** The number of changes that reached at least one subscriber. */
  readonly delivered: number;
}

const IDLE_MULTIPLIER = 5;
const MIN_JITTER_MS = 50;
const JITTER_RANGE_MS = 51;

/** The delay of the next poll, as in the real server: 0 after a delivery, longer after other changes, longest when idle. */
export function nextPollDelayMs(outcome: PollOutcome, pollIntervalMs: number, random: () => number): number {
  if (outcome.delivered > 0) return 0;
  if (outcome.read > 0) {
    return pollIntervalMs + MIN_JITTER_MS + Math.floor(random() * JITTER_RANGE_MS);
  }
  return pollIntervalMs * IDLE_MULTIPLIER;
}

const MIN_BACKOFF_MS = 100;
const MAX_BACKOFF_MS = 5_000;

/** The delay before retry number `attempt`, counted from 0, after a failed poll or a rejected slot. */
export const retryDelayMs = (attempt: number): number =>
  Math.min(MIN_BACKOFF_MS * 2 ** attempt, MAX_BACKOFF_MS);

/** The number of consecutive failures after which the real poller ends and every channel subscribes again. */
export const MAX_RETRIES = 6;
