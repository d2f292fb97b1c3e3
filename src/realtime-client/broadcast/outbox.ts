/**
 * What happens to a broadcast that cannot be sent now, because the channel is not joined or a rate limit is reached.
 * `queue`: it waits in order; `latest`: it waits until a later one of its event replaces it, and is sent at most once
 * per frame; `drop`: it is dropped.
 */
export type BroadcastPolicy = 'queue' | 'latest' | 'drop';

/** Why a broadcast was not sent. */
export type DropReason = 'superseded' | 'overflow' | 'offline' | 'throttled' | 'closed';

/** A broadcast that waits. */
export interface OutboxItem {
  readonly id: number;
  readonly event: string;
  readonly policy: BroadcastPolicy;
}

export interface OutboxLimits {
  /** Most broadcasts per second, and the size of a burst. */
  readonly perSecond: number;
  /** Most waiting broadcasts. */
  readonly maxQueue: number;
  /** Shortest time between two broadcasts of an event with the policy `latest`, in milliseconds. */
  readonly latestIntervalMs: number;
}

/** A token bucket: how many broadcasts may be sent now. */
export interface Bucket {
  readonly tokens: number;
  readonly atMs: number;
}

/** The waiting broadcasts of one channel. Immutable. */
export interface OutboxState {
  readonly items: readonly OutboxItem[];
  readonly bucket: Bucket;
  /** When (monotonic, ms) an event with the policy `latest` was sent last. */
  readonly latestAtMs: ReadonlyMap<string, number>;
}

export interface OutboxStep {
  readonly state: OutboxState;
  readonly send: readonly number[];
  readonly dropped: readonly { readonly id: number; readonly reason: DropReason }[];
  /** When to try again, in milliseconds from now; null: when the channel is joined or something is added. */
  readonly waitMs: number | null;
}

export function createOutbox(limits: OutboxLimits, nowMs: number): OutboxState {
  return { items: [], bucket: { tokens: limits.perSecond, atMs: nowMs }, latestAtMs: new Map() };
}

/** Adds a broadcast. Call {@link drainOutbox} afterwards. */
export function addToOutbox(
  state: OutboxState,
  item: OutboxItem,
  limits: OutboxLimits,
): Pick<OutboxStep, 'state' | 'dropped'> {
  const superseded =
    item.policy === 'latest'
      ? state.items.filter(({ event, policy }) => event === item.event && policy === 'latest')
      : [];
  const items = [...state.items.filter((other) => !superseded.includes(other)), item];
  const overflow = items.slice(0, Math.max(0, items.length - limits.maxQueue));
  return {
    state: { ...state, items: items.slice(overflow.length) },
    dropped: [
      ...superseded.map(({ id }) => ({ id, reason: 'superseded' as const })),
      ...overflow.map(({ id }) => ({ id, reason: 'overflow' as const })),
    ],
  };
}

/**
 * Decides which broadcasts to send now.
 *
 * @param available further tokens that all channels of the client share.
 */
export function drainOutbox(
  state: OutboxState,
  isJoined: boolean,
  available: number,
  nowMs: number,
  limits: OutboxLimits,
): OutboxStep {
  const bucket = refill(state.bucket, limits.perSecond, nowMs);
  const latestAtMs = new Map(state.latestAtMs);
  let tokens = isJoined ? Math.floor(Math.min(bucket.tokens, available)) : 0;
  let intervalMs = Infinity;
  const send: number[] = [];
  const dropped: { id: number; reason: DropReason }[] = [];
  const items = state.items.filter((item) => {
    const pauseMs =
      item.policy === 'latest'
        ? (latestAtMs.get(item.event) ?? -Infinity) + limits.latestIntervalMs - nowMs
        : 0;
    if (tokens > 0 && pauseMs <= 0) {
      tokens -= 1;
      send.push(item.id);
      if (item.policy === 'latest') latestAtMs.set(item.event, nowMs);
      return false;
    }
    if (item.policy === 'drop') {
      dropped.push({ id: item.id, reason: isJoined ? 'throttled' : 'offline' });
      return false;
    }
    if (pauseMs > 0) intervalMs = Math.min(intervalMs, pauseMs);
    else intervalMs = Math.min(intervalMs, 1_000 / limits.perSecond);
    return true;
  });
  return {
    state: { items, latestAtMs, bucket: { ...bucket, tokens: bucket.tokens - send.length } },
    send,
    dropped,
    waitMs: isJoined && items.length > 0 ? intervalMs : null,
  };
}

/** The bucket after the time that has passed since its last change. */
export function refill({ tokens, atMs }: Bucket, perSecond: number, nowMs: number): Bucket {
  return { tokens: Math.min(perSecond, tokens + ((nowMs - atMs) * perSecond) / 1_000), atMs: nowMs };
}
