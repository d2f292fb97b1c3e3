import { count, duration, interval, limit, type NumberRange } from '../platform/number-options.ts';

/** Timeouts, delays and limits of the client. All times in milliseconds. */
export interface RealtimeSettings {
  /** Interval between heartbeats. Default 25,000. */
  readonly heartbeatMs: number;
  /**
   * Deadline of a connection attempt, a join, a push and a heartbeat. A join ends with the reply to a later heartbeat,
   * because the server replies in order. Default 10,000.
   */
  readonly timeoutMs: number;
  /**
   * Deadline for the server's confirmation of a subscription, from the accepted join on; where the channel also waits for a
   * replication, from its confirmation on. A server that has just started needs up to 40 s. Default 60,000.
   */
  readonly liveTimeoutMs: number;
  /**
   * How long a joined channel waits for the server to receive what the database broadcasts; then it counts as live, because
   * an older server does not confirm it. A server that has confirmed it once is waited for. Default 10,000.
   */
  readonly replicationTimeoutMs: number;
  /** Delays before the first, second, … attempt to reconnect or rejoin; the last repeats. Default 1, 2, 5, 10 s. */
  readonly reconnectDelaysMs: readonly number[];
  /** Up to this fraction is added to each delay at random. Default 0.25. */
  readonly jitter: number;
  /** An uninterrupted period of this length resets the backoff. Default 30,000. */
  readonly stableAfterMs: number;
  /** Delay before the next join after the server reported a rate limit. Default 30,000. */
  readonly rateLimitDelayMs: number;
  /** Shortest delay before a hidden page reconnects. Default 60,000. */
  readonly hiddenDelayMs: number;
  /**
   * Deadline for a frame after the page woke up; then the socket is replaced, and so is, at once, one that has been connecting for this
   * long. Default 3,000.
   */
  readonly probeMs: number;
  /**
   * Maximum number of pending joins per socket; only one at a time until the server has accepted one, and after a refusal.
   * Default 4.
   */
  readonly parallelJoins: number;
  /** Length of an interruption after which the connection's status becomes `lost`. Default 5,000. */
  readonly lostAfterMs: number;
  /** How long an unused channel stays joined, and a socket without channels open. Default 1,000. */
  readonly leaveGraceMs: number;
  /** Maximum number of buffered pushes per channel; one more rejects the oldest with `push-overflow`. Default 100. */
  readonly pushBuffer: number;
  /** Maximum number of buffered changes per listener and frame; more are dropped and announced as a loss. Default 10,000. */
  readonly deliveryBuffer: number;
  /** Interval between deliveries without a `schedule` option. Default 16. */
  readonly frameMs: number;
  /** Longest interval between deliveries when `schedule` does not call back, as in a hidden page. Default 250. */
  readonly hiddenFrameMs: number;
}

/** The ranges of {@link RealtimeSettings}. */
export const settingsRanges: Readonly<Record<keyof RealtimeSettings, NumberRange>> = {
  heartbeatMs: interval,
  timeoutMs: interval,
  liveTimeoutMs: interval,
  replicationTimeoutMs: interval,
  reconnectDelaysMs: duration,
  jitter: { min: 0, max: 1 },
  stableAfterMs: duration,
  rateLimitDelayMs: duration,
  hiddenDelayMs: duration,
  probeMs: interval,
  parallelJoins: count,
  lostAfterMs: duration,
  leaveGraceMs: duration,
  pushBuffer: limit,
  deliveryBuffer: limit,
  frameMs: duration,
  hiddenFrameMs: duration,
};

/** The defaults of {@link RealtimeSettings}. */
export const defaultSettings: RealtimeSettings = {
  heartbeatMs: 25_000,
  timeoutMs: 10_000,
  liveTimeoutMs: 60_000,
  replicationTimeoutMs: 10_000,
  reconnectDelaysMs: [1_000, 2_000, 5_000, 10_000],
  jitter: 0.25,
  stableAfterMs: 30_000,
  rateLimitDelayMs: 30_000,
  hiddenDelayMs: 60_000,
  probeMs: 3_000,
  parallelJoins: 4,
  lostAfterMs: 5_000,
  leaveGraceMs: 1_000,
  pushBuffer: 100,
  deliveryBuffer: 10_000,
  frameMs: 16,
  hiddenFrameMs: 250,
};
