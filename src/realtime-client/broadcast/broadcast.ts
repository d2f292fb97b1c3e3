import { createListeners, type Listeners } from '../../platform/listeners.ts';
import type { Timer, Unsubscribe } from '../../platform/platform.ts';
import type { StandardSchema } from '../../platform/standard-schema.ts';
import type { Channel } from '../channel/channel.ts';
import type { ReplayRequest } from '../channel/join-config.ts';
import { createDuplicateFilter } from '../changes/duplicate-filter.ts';
import { validate } from '../changes/row-schema.ts';
import { RealtimeError } from '../errors.ts';
import { isRecord } from '../json.ts';
import { binaryFrames } from './binary-frames.ts';
import {
  addToOutbox,
  createOutbox,
  drainOutbox,
  refill,
  type BroadcastPolicy,
  type Bucket,
  type DropReason,
  type OutboxStep,
} from './outbox.ts';

/** The payloads of a channel's events, by name. */
export type BroadcastEvents = Readonly<Record<string, unknown>>;

/** How one event is checked and buffered. */
export interface BroadcastEventOptions<Payload = unknown> {
  /** Validates payloads before sending and on arrival (https://standardschema.dev). Default: no validation. */
  readonly schema?: StandardSchema<unknown, Payload>;
  /** What happens to a payload that cannot be sent now. Default `queue`. */
  readonly policy?: BroadcastPolicy;
}

/** Options of {@link createBroadcast}. */
export interface BroadcastOptions<Events extends BroadcastEvents> {
  /** Schemas and policies by event. Events that are not named have no schema and the policy `queue`. */
  readonly events?: { readonly [Event in keyof Events]?: BroadcastEventOptions<Events[Event]> };
  /** Whether `send` waits for the server's acknowledgement. Default false. */
  readonly ack?: boolean;
  /** Whether own broadcasts reach the own listeners, once sent (with `ack`: once acknowledged). Default false. */
  readonly self?: boolean;
  /**
   * Earlier broadcasts of a private channel to deliver after each join, at most 25, which closes gaps after an
   * interruption; `onDropped` tells `replay-limit` where that was not enough. The server keeps broadcasts from the database
   * only. Default: none.
   */
  readonly replay?: ReplayRequest;
  /** Most broadcasts per second of this channel; later ones wait by their policy. Default 100. */
  readonly perSecond?: number;
  /** Most broadcasts per second of the whole client. Default 100, the free plan's limit. */
  readonly perSecondOfClient?: number;
  /** Most waiting broadcasts; one more drops the oldest. Default 100. */
  readonly maxQueue?: number;
  /** Most bytes of a payload. Default 256,000, the free plan's limit. */
  readonly maxPayloadBytes?: number;
  /** Called for each broadcast that was not sent or not delivered. */
  readonly onDropped?: (drop: BroadcastDrop) => void;
}

/**
 * A broadcast that was not sent, or (`invalid`) arrived with a payload that failed its schema; `replay-limit`: the replay
 * after an interruption was as long as its limit, so that broadcasts before it may be missing.
 */
export interface BroadcastDrop {
  /** Name of the event; `*` for `replay-limit`. */
  readonly event: string;
  /** Why it was dropped. */
  readonly reason: DropReason | 'invalid' | 'replay-limit';
}

/** What became of a broadcast: handed to the socket, acknowledged by the server, or not sent, with the reason. */
export type BroadcastOutcome =
  /** Handed to the socket; with `ack`, acknowledged by the server. */
  | { readonly status: 'sent' | 'acknowledged' }
  /** Not sent, with the reason. */
  | { readonly status: 'dropped'; readonly reason: DropReason };

/** A received broadcast. */
export interface BroadcastMessage<Payload = unknown> {
  /** Name of the event. */
  readonly event: string;
  /** A `Uint8Array` for a binary payload. */
  readonly payload: Payload;
  /** Id of a broadcast from the database; null for others. */
  readonly id: string | null;
  /** Whether it was sent earlier and is delivered because of `replay`. */
  readonly isReplayed: boolean;
}

/** The broadcasts of a channel. */
export interface Broadcast<Events extends BroadcastEvents> {
  /**
   * Sends a payload to the other clients of the channel, and to the other tabs of this one. While that is not possible,
   * it waits or is dropped by the policy of its event, and the outcome tells which.
   *
   * @param payload JSON, or a `Uint8Array`.
   * @throws {RealtimeError} `invalid-payload`, `payload-too-large`; with `ack` also `push-timeout`, `push-refused`
   */
  send<Event extends keyof Events & string>(event: Event, payload: Events[Event]): Promise<BroadcastOutcome>;
  /** Calls `listener` with each broadcast of an event; `*` stands for all events. */
  on<Event extends (keyof Events & string) | '*'>(
    event: Event,
    listener: (message: BroadcastMessage<Event extends '*' ? unknown : Events[Event]>) => void,
  ): Unsubscribe;
  /** Stops observing; waiting broadcasts are dropped as `closed`. */
  close(): void;
}

interface Waiting {
  readonly event: string;
  readonly payload: unknown;
  readonly settle: (outcome: BroadcastOutcome | Promise<BroadcastOutcome>) => void;
}

/** Tokens that the channels of one client share, by its settings object. */
const clientBuckets = new WeakMap<object, Bucket>();

/**
 * Creates the broadcasts of a channel. Create it before `channel.join()`; with `ack` or `replay` it joins the channel
 * again otherwise.
 *
 * @example
 * ```ts
 * import { createBroadcast } from 'supabase-protocol-clients/realtime-client/broadcast';
 *
 * const channel = realtime.channel('room');
 * const room = createBroadcast<{ cursor: { x: number; y: number }; chat: string }>(channel, {
 *   events: { cursor: { policy: 'latest' } },
 * });
 * room.on('cursor', ({ payload }) => console.log(payload.x, payload.y));
 * channel.join();
 * await room.send('cursor', { x: 1, y: 2 });
 * ```
 */
export function createBroadcast<Events extends BroadcastEvents = Readonly<Record<string, unknown>>>(
  channel: Channel,
  options: BroadcastOptions<Events> = {},
): Broadcast<Events> {
  const { ack = false, self = false, replay, maxPayloadBytes = 256_000, onDropped } = options;
  const { port } = channel;
  const { clock, report, settings } = port;
  port.parts.binaryFrames = binaryFrames;
  const clientPerSecond = options.perSecondOfClient ?? 100;
  const limits = {
    perSecond: options.perSecond ?? 100,
    maxQueue: options.maxQueue ?? 100,
    latestIntervalMs: settings.frameMs,
  };
  const listeners = new Map<string, Listeners<BroadcastMessage>>();
  const drops = createListeners<BroadcastDrop>(report);
  if (onDropped) drops.add(onDropped);
  const waiting = new Map<number, Waiting>();
  const isDuplicate = createDuplicateFilter();
  let outbox = createOutbox(limits, clock.monotonicMs());
  let lastId = 0;
  /** Broadcasts that the server has replayed since it accepted the join; null at the first join, which has no gap. */
  let replayed: number | null = null;
  let timer: Timer | undefined;

  const isJoined = () => ['joined', 'live'].includes(channel.getSnapshot().status);
  const eventOptions = (event: string): BroadcastEventOptions | undefined => options.events?.[event];
  const deliver = (message: BroadcastMessage) => {
    listeners.get(message.event)?.call(message);
    listeners.get('*')?.call(message);
  };
  const drop = ({ id, reason }: OutboxStep['dropped'][number]) => {
    const item = waiting.get(id);
    if (!item) return;
    waiting.delete(id);
    item.settle({ status: 'dropped', reason });
    drops.call({ event: item.event, reason });
  };
  const dispatch = ({ event, payload, settle }: Waiting) => {
    const frame = { type: 'broadcast', event, payload };
    const echo = () => {
      if (self) deliver({ event, payload, id: null, isReplayed: false });
    };
    if (!ack) {
      port.send('broadcast', frame);
      echo();
      return settle({ status: 'sent' });
    }
    return settle(
      channel.push('broadcast', frame).then((): BroadcastOutcome => {
        echo();
        return { status: 'acknowledged' };
      }, explainTimeout),
    );
  };
  /** The server does not answer a broadcast that no policy allows. */
  const explainTimeout = (problem: unknown): never => {
    const isSilent = problem instanceof RealtimeError && problem.code === 'push-timeout';
    if (!isSilent || !channel.joinConfig.private) throw problem;
    throw new RealtimeError(
      'push-timeout',
      'No acknowledgement: possibly no policy on realtime.messages allows this user to insert with the extension "broadcast"',
      { cause: problem },
    );
  };
  const drain = () => {
    timer?.cancel();
    const nowMs = clock.monotonicMs();
    const known = clientBuckets.get(settings) ?? { tokens: clientPerSecond, atMs: nowMs };
    const bucket = refill(known, clientPerSecond, nowMs);
    const step = drainOutbox(outbox, isJoined(), bucket.tokens, nowMs, limits);
    clientBuckets.set(settings, { ...bucket, tokens: bucket.tokens - step.send.length });
    outbox = step.state;
    step.dropped.forEach(drop);
    for (const id of step.send) {
      const item = waiting.get(id);
      waiting.delete(id);
      if (item) dispatch(item);
    }
    if (step.waitMs === null) return;
    if (step.waitMs > limits.latestIntervalMs || bucket.tokens < 1)
      port.emit({ type: 'throttled', name: channel.name, waitMs: step.waitMs });
    timer = clock.setTimer(drain, step.waitMs);
  };
  const close = (reason: DropReason) => {
    outbox = { ...outbox, items: [] };
    [...waiting.keys()].forEach((id) => drop({ id, reason }));
  };
  const receive = (frame: unknown) => {
    if (!isRecord(frame) || typeof frame['event'] !== 'string') return;
    const { event, meta } = frame;
    const id = isRecord(meta) && typeof meta['id'] === 'string' ? meta['id'] : null;
    const isReplayed = isRecord(meta) && meta['replayed'] === true;
    if (isReplayed && replayed !== null) {
      replayed += 1;
      if (replayed === replay?.limit) drops.call({ event: '*', reason: 'replay-limit' });
    }
    // A replay after an interruption repeats what had arrived before it.
    if (id !== null && isDuplicate(id)) return;
    try {
      const schema = eventOptions(event)?.schema;
      const payload = schema ? validate(schema, frame['payload'], 'invalid-payload') : frame['payload'];
      deliver({ event, payload, id, isReplayed });
    } catch (problem) {
      report(problem);
      drops.call({ event, reason: 'invalid' });
    }
  };
  if (ack || replay)
    channel.updateJoinPayload({
      ack: ack || channel.joinConfig.ack,
      replay: replay ?? channel.joinConfig.replay,
    });
  const stops = [
    port.onMessage(({ event, payload }) => {
      if (event === 'broadcast') receive(payload);
    }),
    port.onDiscard(() => close('closed')),
    channel.subscribe(() => {
      const { status } = channel.getSnapshot();
      if (status === 'recovering') replayed = 0;
      if (status === 'closed') close('closed');
      else if (isJoined()) drain();
    }),
  ];
  return {
    on(event, listener) {
      const known = listeners.get(event) ?? createListeners<BroadcastMessage>(report);
      listeners.set(event, known);
      return known.add(listener as (message: BroadcastMessage) => void);
    },
    async send(event, given) {
      const { schema, policy = 'queue' } = eventOptions(event) ?? {};
      const payload = schema ? validate(schema, given, 'invalid-payload') : given;
      if (sizeOf(payload) > maxPayloadBytes)
        throw new RealtimeError(
          'payload-too-large',
          `A payload of ${event} exceeds ${maxPayloadBytes} bytes`,
        );
      return new Promise<BroadcastOutcome>((resolve) => {
        const id = (lastId += 1);
        waiting.set(id, { event, payload, settle: resolve });
        const step = addToOutbox(outbox, { id, event, policy }, limits);
        outbox = step.state;
        step.dropped.forEach(drop);
        drain();
      });
    },
    close() {
      stops.forEach((stop) => stop());
      timer?.cancel();
      close('closed');
    },
  };
}

/** @throws {RealtimeError} `invalid-payload`, if it is not serializable. */
function sizeOf(payload: unknown): number {
  if (payload instanceof Uint8Array) return payload.length;
  try {
    return new TextEncoder().encode(JSON.stringify(payload) ?? '').length;
  } catch (cause) {
    throw new RealtimeError('invalid-payload', 'The payload cannot be serialized', { cause });
  }
}

export type { BroadcastPolicy, DropReason } from './outbox.ts';
