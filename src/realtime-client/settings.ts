/** The constants of the client. All times in milliseconds. */
export interface RealtimeSettings {
  /** How often the client sends a heartbeat. Default 25,000. */
  readonly heartbeatMs: number;
  /** How long a connection, a join, a push or a heartbeat may stay unanswered. Default 10,000. */
  readonly timeoutMs: number;
  /** How long the server may take from accepting a join to confirming its subscription. Default 20,000. */
  readonly liveTimeoutMs: number;
  /** Waits before the first, second, … attempt to reconnect or rejoin; the last one repeats. Default 1, 2, 5, 10 s. */
  readonly reconnectDelaysMs: readonly number[];
  /** Up to this share is added to each wait at random. Default 0.25. */
  readonly jitter: number;
  /** Only after this long without a loss do the waits begin anew. Default 30,000. */
  readonly stableAfterMs: number;
  /** Wait after the server said that a rate limit was reached. Default 30,000. */
  readonly rateLimitDelayMs: number;
  /** Shortest wait before a hidden page reconnects. Default 60,000. */
  readonly hiddenDelayMs: number;
  /** How long a socket may stay silent after the page woke up, before it is replaced. Default 3,000. */
  readonly probeMs: number;
  /** How long a loss lasts before the connection is reported as lost. Default 5,000. */
  readonly lostAfterMs: number;
  /** How long a channel without users stays joined, and a socket without channels open. Default 1,000. */
  readonly leaveGraceMs: number;
  /** Pushes that wait for a channel; one more drops the oldest, whose promise rejects. Default 100. */
  readonly pushBuffer: number;
  /** Rows that wait for delivery to one listener; more are dropped and reported as lost continuity. Default 10,000. */
  readonly deliveryBuffer: number;
  /** Time between two deliveries where no `schedule` is given. Default 16. */
  readonly frameMs: number;
  /** The longest time between two deliveries where `schedule` does not call back, as in a hidden page. Default 250. */
  readonly hiddenFrameMs: number;
}

/** The constants of the specification, where it has them. */
export const defaultSettings: RealtimeSettings = {
  heartbeatMs: 25_000,
  timeoutMs: 10_000,
  liveTimeoutMs: 20_000,
  reconnectDelaysMs: [1_000, 2_000, 5_000, 10_000],
  jitter: 0.25,
  stableAfterMs: 30_000,
  rateLimitDelayMs: 30_000,
  hiddenDelayMs: 60_000,
  probeMs: 3_000,
  lostAfterMs: 5_000,
  leaveGraceMs: 1_000,
  pushBuffer: 100,
  deliveryBuffer: 10_000,
  frameMs: 16,
  hiddenFrameMs: 250,
};
