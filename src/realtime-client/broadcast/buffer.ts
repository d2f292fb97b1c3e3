import { count } from '../../platform/number-options.ts';
import type { Timer } from '../../platform/platform.ts';
import type { BroadcastBuffer, BroadcastEvents, PendingBroadcast } from './broadcast.ts';
import { requireRanges } from '../errors.ts';
import {
  addToOutbox,
  drainOutbox,
  emptyOutbox,
  type BroadcastPolicy,
  type OutboxItem,
  type OutboxState,
  type OutboxStep,
} from './outbox.ts';

/** Options of {@link bufferBroadcasts}. */
export interface BroadcastBufferOptions<Events extends BroadcastEvents> {
  /** What happens to the broadcasts of an event while they cannot be sent. Default `queue`. */
  readonly policies?: { readonly [Event in keyof Events]?: BroadcastPolicy };
  /** Maximum number of waiting broadcasts; one more drops the oldest. Default 100. */
  readonly maxQueue?: number;
}

interface Item extends OutboxItem {
  readonly pending: PendingBroadcast;
}

/**
 * Lets broadcasts wait while the channel is not joined or a rate limit is reached; the value of the option `buffer` of
 * `createBroadcast`. Events with the policy `latest` are sent at most once per frame, with their last payload.
 * `Events` is the channel's map of events, to check the names of the policies.
 *
 * @example
 * ```ts
 * import { bufferBroadcasts, createBroadcast } from 'supabase-protocol-clients/realtime-client/broadcast';
 *
 * const channel = realtime.channel('room');
 * type Events = { cursor: { x: number }; chat: string };
 * const buffer = bufferBroadcasts<Events>({ policies: { cursor: 'latest' } });
 * const room = createBroadcast<Events>(channel, { buffer });
 * await room.send('chat', 'waits until the channel is joined');
 * ```
 */
export function bufferBroadcasts<Events extends BroadcastEvents = BroadcastEvents>({
  policies,
  maxQueue = 100,
}: BroadcastBufferOptions<Events> = {}): BroadcastBuffer {
  requireRanges({ maxQueue }, { maxQueue: count });
  return ({ clock, latestIntervalMs, tokenIntervalMs, limit, isJoined, onThrottled }) => {
    const limits = { maxQueue, latestIntervalMs, tokenIntervalMs };
    let outbox: OutboxState<Item> = emptyOutbox;
    let timer: Timer | undefined;
    const dropAll = (dropped: OutboxStep<Item>['dropped']) =>
      dropped.forEach(({ item, reason }) => item.pending.drop(reason));
    const drain = () => {
      timer?.cancel();
      const step = drainOutbox(outbox, isJoined(), limit.available(), clock.monotonicMs(), limits);
      outbox = step.state;
      dropAll(step.dropped);
      for (const { pending } of step.send) {
        limit.take();
        pending.send();
      }
      if (step.waitMs === null) return;
      if (limit.available() < 1) onThrottled(step.waitMs);
      timer = clock.setTimer(drain, step.waitMs);
    };
    return {
      drain,
      add(pending) {
        const { event } = pending;
        const step = addToOutbox(outbox, { event, policy: policies?.[event] ?? 'queue', pending }, limits);
        outbox = step.state;
        dropAll(step.dropped);
        drain();
      },
      close(reason) {
        timer?.cancel();
        const { items } = outbox;
        outbox = emptyOutbox;
        dropAll(items.map((item) => ({ item, reason })));
      },
    };
  };
}

export type { BroadcastPolicy } from './outbox.ts';
