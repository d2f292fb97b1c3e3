import type { Clock } from '../../platform/platform.ts';

/** How many broadcasts may be sent now (a token bucket). */
export interface RateLimit {
  /** Broadcasts that may be sent now; a fraction counts as none. */
  available(): number;
  /** Counts a broadcast that is sent. */
  take(): void;
}

const clientLimits = new WeakMap<object, RateLimit>();

/**
 * The limit of a channel, within that of its client.
 *
 * @param client identifies the client, whose limit is that of its first channel.
 * @param perSecond maximum number of broadcasts per second of the channel, and the size of a burst.
 */
export function createChannelLimit(
  clock: Clock,
  client: object,
  perSecond: number,
  perSecondOfClient: number,
): RateLimit {
  const ofClient = clientLimits.get(client) ?? createLimit(clock, perSecondOfClient);
  clientLimits.set(client, ofClient);
  const ofChannel = createLimit(clock, perSecond);
  return {
    available: () => Math.min(ofChannel.available(), ofClient.available()),
    take() {
      ofChannel.take();
      ofClient.take();
    },
  };
}

function createLimit(clock: Clock, perSecond: number): RateLimit {
  let tokens = perSecond;
  let filledAtMs = clock.monotonicMs();
  return {
    available() {
      const nowMs = clock.monotonicMs();
      tokens = Math.min(perSecond, tokens + ((nowMs - filledAtMs) * perSecond) / 1_000);
      filledAtMs = nowMs;
      return tokens;
    },
    take: () => void (tokens -= 1),
  };
}
