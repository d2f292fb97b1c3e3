/** What a poll found. */
export interface PollOutcome {
  /** Changes that were committed, with a subscriber or without. */
  readonly read: number;
  /** Changes that reached at least one subscriber. */
  readonly delivered: number;
}

const IDLE_MULTIPLIER = 5;
const LEAST_JITTER_MS = 50;
const JITTER_RANGE_MS = 51;

/** When the real poller polls again: at once after a delivery, later after other changes, latest when idle. */
export function nextPollDelayMs(outcome: PollOutcome, pollIntervalMs: number, random: () => number): number {
  if (outcome.delivered > 0) return 0;
  if (outcome.read > 0) {
    return pollIntervalMs + LEAST_JITTER_MS + Math.floor(random() * JITTER_RANGE_MS);
  }
  return pollIntervalMs * IDLE_MULTIPLIER;
}

const LEAST_BACKOFF_MS = 100;
const MOST_BACKOFF_MS = 5_000;

/** The delay before try `attempt` (from 0) after a failed poll or a refused slot. */
export const retryDelayMs = (attempt: number): number =>
  Math.min(LEAST_BACKOFF_MS * 2 ** attempt, MOST_BACKOFF_MS);

/** After this many failures in a row the real poller ends, and every channel subscribes anew. */
export const MAX_RETRIES = 6;
