/**
 * What happens to a broadcast that cannot be sent now, because the channel is not joined or a rate limit is reached.
 * `queue`: it waits in order; `latest`: it waits until a later one of its event replaces it, and is sent at most once
 * per frame; `drop`: it is dropped.
 */
export type BroadcastPolicy = 'queue' | 'latest' | 'drop';

/** Why a broadcast was not sent. `failed`: the channel has failed, and its snapshot's `error` says why. */
export type DropReason =
  | 'superseded'
  | 'overflow'
  | 'offline'
  | 'throttled'
  | 'closed'
  | 'failed'
  | 'user-changed';

export interface OutboxItem {
  readonly event: string;
  readonly policy: BroadcastPolicy;
}

export interface OutboxLimits {
  readonly maxQueue: number;
  /** Shortest time between two broadcasts of an event with the policy `latest`, in milliseconds. */
  readonly latestIntervalMs: number;
  /** When a token may be available again after a rate limit was reached, in milliseconds. */
  readonly tokenIntervalMs: number;
}

/** The waiting broadcasts of one channel. Immutable. */
export interface OutboxState<Item extends OutboxItem> {
  readonly items: readonly Item[];
  /** When (monotonic, ms) an event with the policy `latest` was sent last. */
  readonly latestAtMs: ReadonlyMap<string, number>;
}

interface Dropped<Item> {
  readonly item: Item;
  readonly reason: DropReason;
}

export interface OutboxStep<Item extends OutboxItem> {
  readonly state: OutboxState<Item>;
  readonly send: readonly Item[];
  readonly dropped: readonly Dropped<Item>[];
  /** When to retry, in milliseconds from now; null: when the channel is joined or something is added. */
  readonly waitMs: number | null;
}

export const emptyOutbox: OutboxState<never> = { items: [], latestAtMs: new Map() };

/** Adds a broadcast. Call {@link drainOutbox} afterwards. */
export function addToOutbox<Item extends OutboxItem>(
  state: OutboxState<Item>,
  item: Item,
  { maxQueue }: OutboxLimits,
): Pick<OutboxStep<Item>, 'state' | 'dropped'> {
  const isSuperseded = ({ event, policy }: Item) =>
    item.policy === 'latest' && policy === 'latest' && event === item.event;
  const superseded = state.items.filter(isSuperseded);
  const items = [...state.items.filter((other) => !isSuperseded(other)), item];
  const overflow = items.splice(0, items.length - maxQueue);
  const dropAll = (dropped: readonly Item[], reason: DropReason) =>
    dropped.map((one): Dropped<Item> => ({ item: one, reason }));
  return {
    state: { ...state, items },
    dropped: [...dropAll(superseded, 'superseded'), ...dropAll(overflow, 'overflow')],
  };
}

/**
 * Decides which broadcasts to send now.
 *
 * @param available how many the rate limits allow.
 */
export function drainOutbox<Item extends OutboxItem>(
  state: OutboxState<Item>,
  isJoined: boolean,
  available: number,
  nowMs: number,
  { latestIntervalMs, tokenIntervalMs }: OutboxLimits,
): OutboxStep<Item> {
  const latestAtMs = new Map(state.latestAtMs);
  const send: Item[] = [];
  const dropped: Dropped<Item>[] = [];
  const waits: number[] = [];
  const items = state.items.filter((item) => {
    const { event, policy } = item;
    const isLatest = policy === 'latest';
    const pauseMs = isLatest ? (latestAtMs.get(event) ?? -Infinity) + latestIntervalMs - nowMs : 0;
    if (isJoined && available - send.length >= 1 && pauseMs <= 0) {
      send.push(item);
      if (isLatest) latestAtMs.set(event, nowMs);
      return false;
    }
    if (policy === 'drop') {
      dropped.push({ item, reason: isJoined ? 'throttled' : 'offline' });
      return false;
    }
    waits.push(pauseMs > 0 ? pauseMs : tokenIntervalMs);
    return true;
  });
  return {
    state: { items, latestAtMs },
    send,
    dropped,
    waitMs: isJoined && items.length > 0 ? Math.min(...waits) : null,
  };
}
