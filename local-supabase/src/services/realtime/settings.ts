/** The settings of the realtime service. Times are milliseconds, sizes are bytes. */
export interface RealtimeSettings {
  /** The publication with the tables that deliver changes. */
  readonly publication: string;

  // Limits, by the names of the real server's tenant settings in parentheses.
  /** Sockets with at least one channel (`max_concurrent_users`). One more is refused with 429, or by the join's reply. */
  readonly maxConnections: number;
  /** Joins in a second, on average over a minute (`max_joins_per_second`). */
  readonly maxJoinsPerSecond: number;
  /** Channels of one socket (`max_channels_per_client`). */
  readonly maxChannelsPerConnection: number;
  /**
   * Messages in a second, on average over a minute (`max_events_per_second`). Above it a channel that receives
   * broadcasts is shut down, and whole batches of changes are dropped without notice. The two are counted separately.
   */
  readonly maxEventsPerSecond: number;
  /** Presence messages in a second, on average over a minute (`max_presence_events_per_second`). */
  readonly maxPresenceEventsPerSecond: number;
  /** Presence calls of one channel in a window (`max_client_presence_events_per_window`). */
  readonly maxPresenceCalls: number;
  /** The length of that window (`client_presence_window_ms`). */
  readonly presenceWindowMs: number;
  /** A broadcast or presence payload in kilobytes of 1,000 bytes (`max_payload_size_in_kb`). */
  readonly maxPayloadKb: number;
  /** A larger frame from a client closes its socket with 1009. */
  readonly maxFrameBytes: number;
  /** A larger change arrives with `Error 413: Payload Too Large` and its small values only. */
  readonly maxRecordBytes: number;
  /** A socket with more unsent bytes than this is closed. */
  readonly maxBufferedBytes: number;
  /** A socket that sends nothing for this time is closed. */
  readonly idleTimeoutMs: number;
  /** A socket without a channel for this time is closed. */
  readonly emptySocketTimeoutMs: number;

  // The project's settings.
  /** Sends presence to every channel, whether its join enabled it or not (`presence_enabled`). */
  readonly presenceEnabled: boolean;
  /** Refuses joins of public channels (`private_only`). */
  readonly privateOnly: boolean;
  /** Refuses every request with 403 (`suspend`). */
  readonly suspended: boolean;

  // Delays; `realisticTiming` contains those of the real server.
  /** The interval of reading committed changes; five times as long while idle. 0 delivers a change at its commit. */
  readonly pollIntervalMs: number;
  /** Changes read at once, rounded up to whole transactions. */
  readonly pollMaxChanges: number;
  /** How often the tables of the publication are compared; 0 reacts to schema changes at once. */
  readonly publicationCheckMs: number;
  /** The delay of a refused handshake's response. */
  readonly connectErrorBackoffMs: number;
  /** The delay of a refused join's reply; the socket sends nothing else in the meantime. */
  readonly joinErrorBackoffMs: number;
  /** The delay between the join's reply and the subscription. */
  readonly readyDelayMs: number;
  /** The maximum time that a join with `wait` is held for its subscription (`postgres_changes_wait_max_timeout`). */
  readonly maxSubscriptionWaitMs: number;
  /**
   * The time from the first subscription, and again after ten minutes without one, until changes are read and it is
   * confirmed.
   */
  readonly coldStartMs: number;
  /** The time from the first join until the database's messages are read; those committed earlier are lost. */
  readonly replicationDelayMs: number;
  /** The minimum delay between a new token and the new subscription. */
  readonly resubscribeDelayMs: number;
  /** The maximum of a random delay that is added to `resubscribeDelayMs`. */
  readonly resubscribeJitterMs: number;
  /** How long after a pushed token a channel holds further ones (`ACCESS_TOKEN_THROTTLE_MS`, after version 2.129.8). */
  readonly accessTokenThrottleMs: number;
  /** The latency of every sent frame. */
  readonly latencyMs: number;

  // Faults.
  /** True while PostgreSQL is unreachable: every join is refused. */
  readonly databaseUnavailable: boolean;
  /** Sends no DELETE to a subscription with row-level security, to detect clients that depend on one. */
  readonly strictDelete: boolean;
  /** The fraction of changes (0 to 1) that are lost. */
  readonly dropRate: number;
  /** How long after a crash undelivered changes are replayed to returning subscribers; 0 loses them. */
  readonly recoveryWindowMs: number;
  /** The maximum age of replayed changes. */
  readonly recoveryMaxAgeMs: number;
}

/** Settings without delays and limits, for fast tests. */
export const defaultRealtimeSettings: RealtimeSettings = {
  publication: 'supabase_realtime',
  maxConnections: Infinity,
  maxJoinsPerSecond: Infinity,
  maxChannelsPerConnection: 100,
  maxEventsPerSecond: Infinity,
  maxPresenceEventsPerSecond: Infinity,
  maxPresenceCalls: 5,
  presenceWindowMs: 30_000,
  maxPayloadKb: 3_000,
  maxFrameBytes: 5_000_000,
  maxRecordBytes: 1_048_576,
  maxBufferedBytes: 16_777_216,
  idleTimeoutMs: 60_000,
  emptySocketTimeoutMs: 600_000,
  presenceEnabled: false,
  privateOnly: false,
  suspended: false,
  pollIntervalMs: 0,
  pollMaxChanges: 100,
  publicationCheckMs: 0,
  connectErrorBackoffMs: 0,
  joinErrorBackoffMs: 0,
  readyDelayMs: 0,
  maxSubscriptionWaitMs: 20_000,
  coldStartMs: 0,
  replicationDelayMs: 0,
  resubscribeDelayMs: 0,
  resubscribeJitterMs: 0,
  accessTokenThrottleMs: 0,
  latencyMs: 0,
  databaseUnavailable: false,
  strictDelete: false,
  dropRate: 0,
  recoveryWindowMs: 10_000,
  recoveryMaxAgeMs: 300_000,
};

/** The delays of the real server; also the setting of `npm start`. */
export const realisticTiming = {
  pollIntervalMs: 100,
  publicationCheckMs: 60_000,
  connectErrorBackoffMs: 2_000,
  joinErrorBackoffMs: 5_000,
  coldStartMs: 3_000,
  replicationDelayMs: 500,
  resubscribeDelayMs: 1_000,
  resubscribeJitterMs: 2_000,
  accessTokenThrottleMs: 10_000,
  recoveryWindowMs: 0,
} as const satisfies Partial<RealtimeSettings>;
