/** How the realtime service behaves. Times are milliseconds, sizes bytes. */
export interface RealtimeSettings {
  /** The publication whose tables are watched. */
  readonly publication: string;

  // Limits. The hosted free plan has 200 connections, 100 joins/s, 100 channels and 100 messages/s.
  /** Sockets with at least one channel. One more is refused with 429, or by the join's reply. */
  readonly maxConnections: number;
  readonly maxJoinsPerSecond: number;
  readonly maxChannelsPerConnection: number;
  /** Changes delivered in a second. Above it whole batches are dropped without a word, as the real poller does. */
  readonly maxEventsPerSecond: number;
  /** Broadcasts in a second. Above it the channel that sends or hears them is shut down. */
  readonly maxMessagesPerSecond: number;
  readonly maxPresenceCalls: number;
  readonly presenceWindowMs: number;
  /** A larger frame from a client closes its socket with 1009. */
  readonly maxFrameBytes: number;
  /** A larger change arrives with `Error 413: Payload Too Large` and its small values only. */
  readonly maxRecordBytes: number;
  /** A client that reads so slowly that more than this waits for it is cut off. */
  readonly maxBufferedBytes: number;
  /** A socket that says nothing for so long is closed. */
  readonly idleTimeoutMs: number;
  /** A socket without a channel for so long is closed. */
  readonly emptySocketTimeoutMs: number;

  // Delays. The real server's are in brackets.
  /** Before a refused handshake is answered (2,000). */
  readonly connectErrorBackoffMs: number;
  /** Before a refused join is answered; the whole socket waits (5,000). */
  readonly joinErrorBackoffMs: number;
  /** Between the join's reply and the subscription (0 to some seconds). */
  readonly readyDelayMs: number;
  /** Between a new token and the new subscription (1,000 to 3,000). */
  readonly resubscribeDelayMs: number;
  /** Added to every frame that is sent. */
  readonly latencyMs: number;

  // Fidelity and faults.
  /** Leaves values over 2 kB that an UPDATE did not change out of `record`, unless the identity is full. */
  readonly omitUnchangedToast: boolean;
  /** Sends no DELETE to a subscription with row-level security, so that a test shows who relies on it. */
  readonly strictDelete: boolean;
  /** The share of changes (0 to 1) that get lost. */
  readonly dropRate: number;
  /** How long after a crash the changes that it kept from delivery wait for their subscribers. */
  readonly recoveryWindowMs: number;
  /** Changes that waited longer than this are not delivered after a crash. */
  readonly recoveryMaxAgeMs: number;
}

export const defaultRealtimeSettings: RealtimeSettings = {
  publication: 'supabase_realtime',
  maxConnections: Infinity,
  maxJoinsPerSecond: Infinity,
  maxChannelsPerConnection: 100,
  maxEventsPerSecond: Infinity,
  maxMessagesPerSecond: Infinity,
  maxPresenceCalls: 5,
  presenceWindowMs: 30_000,
  maxFrameBytes: 5_000_000,
  maxRecordBytes: 1_048_576,
  maxBufferedBytes: 16_777_216,
  idleTimeoutMs: 60_000,
  emptySocketTimeoutMs: 600_000,
  connectErrorBackoffMs: 0,
  joinErrorBackoffMs: 0,
  readyDelayMs: 0,
  resubscribeDelayMs: 0,
  latencyMs: 0,
  omitUnchangedToast: false,
  strictDelete: false,
  dropRate: 0,
  recoveryWindowMs: 10_000,
  recoveryMaxAgeMs: 300_000,
};
