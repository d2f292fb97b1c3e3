import { duration, sentCount, sentLimit } from '../../platform/number-options.ts';
import { requireRanges } from '../errors.ts';

/** How a channel joins, besides its bindings. Other tabs may join the same channel with other options: see `mergeConfigs`. */
export interface JoinConfig {
  /** Whether policies on `realtime.messages` decide who may join and send. Default false. */
  readonly private: boolean;
  /** Whether the server acknowledges broadcasts. Default false. */
  readonly ack: boolean;
  /** Key of this client's presence, empty for one that the server generates; null without presence. Default null. */
  readonly presenceKey: string | null;
  /** Earlier broadcasts of a private channel to deliver after the join. Default null. */
  readonly replay: ReplayRequest | null;
  /** Whether the channel is live only once the server receives what the database broadcasts. Default false. */
  readonly replicationReady: boolean;
  /**
   * How long the server may hold its reply to the join until it has subscribed to the changes, in milliseconds, at most
   * 20,000. It refuses the join otherwise, and reads and sends nothing else on the socket meanwhile. A server that does
   * not know this replies at once; the channel is live upon the server's confirmation in both cases. Default null: at once.
   */
  readonly subscriptionWaitMs: number | null;
}

/** Which earlier broadcasts to deliver. The server keeps those from the database for three days. */
export interface ReplayRequest {
  /** Start, in milliseconds since the epoch (wall clock). */
  readonly sinceMs: number;
  /** Maximum number of broadcasts, 1 to 25. */
  readonly limit: number;
}

/** The defaults of {@link JoinConfig}. */
export const defaultJoinConfig: JoinConfig = {
  private: false,
  ack: false,
  presenceKey: null,
  replay: null,
  replicationReady: false,
  subscriptionWaitMs: null,
};

/** @throws {RealtimeError} `invalid-options` */
export function requireJoinConfig({ replay, subscriptionWaitMs }: Partial<JoinConfig>): void {
  requireRanges(replay ?? {}, { sinceMs: duration, limit: sentCount });
  requireRanges({ subscriptionWaitMs: subscriptionWaitMs ?? undefined }, { subscriptionWaitMs: sentLimit });
}

/** Merges the configs of several tabs into that of one join. */
export function mergeConfigs(configs: readonly JoinConfig[]): JoinConfig {
  return {
    private: configs.some((config) => config.private),
    ack: configs.some((config) => config.ack),
    presenceKey: configs.find((config) => config.presenceKey !== null)?.presenceKey ?? null,
    replay: configs.find((config) => config.replay)?.replay ?? null,
    replicationReady: configs.some((config) => config.replicationReady),
    subscriptionWaitMs: Math.max(0, ...configs.map((config) => config.subscriptionWaitMs ?? 0)) || null,
  };
}

/** Messages older than a gap by this much are replayed too, because clocks differ. In milliseconds. */
const overlapMs = 5_000;

/**
 * The `config` of a `phx_join`.
 *
 * @param lostAtMs since when broadcasts may be missing; null at the first join.
 */
export function encodeConfig(
  { private: isPrivate, ack, presenceKey, replay, replicationReady, subscriptionWaitMs }: JoinConfig,
  bindings: readonly unknown[],
  lostAtMs: number | null,
): Readonly<Record<string, unknown>> {
  const since = replay && Math.round(Math.max(replay.sinceMs, (lostAtMs ?? 0) - overlapMs));
  return {
    // A broadcast reaches the other listeners of this client without the server's echo.
    broadcast: {
      ack,
      self: false,
      ...(replay && isPrivate && { replay: { since, limit: replay.limit } }),
      ...(replicationReady && { replication_ready: true }),
    },
    presence: { key: presenceKey ?? '', enabled: presenceKey !== null },
    private: isPrivate,
    postgres_changes: bindings,
    ...(subscriptionWaitMs !== null && {
      postgres_changes_options: { wait: true, timeout: subscriptionWaitMs },
    }),
  };
}
