import { count, type NumberRange } from '../../platform/number-options.ts';
import { ListenerSet } from '../../platform/listeners.ts';
import type { Clock, Unsubscribe } from '../../platform/platform.ts';
import type { StandardSchema } from '../../platform/standard-schema.ts';
import type { Channel } from '../channel/channel.ts';
import type { ReplayRequest } from '../protocol/join-config.ts';
import { createDuplicateFilter } from '../changes/duplicate-filter.ts';
import { validate } from '../changes/row-schema.ts';
import { RealtimeError, requireRanges } from '../errors.ts';
import { isRecord } from '../json.ts';
import { binaryFrames } from './binary-frames.ts';
import type { DropReason } from './outbox.ts';
import { checkPayloadSize, defaultMaxPayloadBytes } from './payload-size.ts';
import { encodePersist, type Persist, requirePersist } from './persist.ts';
import { createChannelLimit, type RateLimit } from './rate-limit.ts';

/** The payloads of a channel's events, by name. */
export type BroadcastEvents = Readonly<Record<string, unknown>>;

/** How one event is checked. */
export interface BroadcastEventOptions<Payload = unknown> {
  /** Validates payloads before sending and on arrival (https://standardschema.dev). Default: no validation. */
  readonly schema?: StandardSchema<unknown, Payload>;
}

/** Options of {@link createBroadcast}. */
export interface BroadcastOptions<Events extends BroadcastEvents> {
  /** Schemas by event. Events that are not named are not validated. */
  readonly events?: { readonly [Event in keyof Events]?: BroadcastEventOptions<Events[Event]> };
  /**
   * Pass `bufferBroadcasts` to let broadcasts wait while they cannot be sent. Default: they
   * are dropped, and the outcome contains the reason.
   */
  readonly buffer?: BroadcastBuffer;
  /** Whether `send` waits for the server's acknowledgment. Default false. */
  readonly ack?: boolean;
  /** Whether this client's broadcasts reach its own listeners, once sent (with `ack`: once acknowledged). Default false. */
  readonly self?: boolean;
  /**
   * Earlier broadcasts of a private channel to deliver after each join, at most 25, which closes gaps after an
   * interruption; `onDropped` reports `replay-limit` where that was not enough. The server keeps broadcasts from the
   * database only. Default: none.
   */
  readonly replay?: ReplayRequest;
  /** Maximum number of broadcasts per second of this channel; others wait or are dropped as `throttled`. Default 100. */
  readonly perSecond?: number;
  /**
   * Maximum number of broadcasts per second of the whole client, set by its first channel. Default 100, the free plan's
   * limit.
   */
  readonly perSecondOfClient?: number;
  /** Maximum number of bytes of a payload. Default 256,000, the free plan's limit. */
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
  /** Why the broadcast was dropped. */
  readonly reason: DropReason | 'invalid' | 'replay-limit';
}

/** Options of `send`. */
export interface SendOptions {
  /** Stores the broadcast of a private channel, so that a later join replays it. Default: it is not stored. */
  readonly persist?: Persist;
}

/** The outcome of a broadcast: handed to the socket, acknowledged by the server, or not sent, with the reason. */
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
   * because the channel is not joined or a rate limit is reached, it waits in the `buffer` or is dropped; see the
   * outcome. On a channel that has failed it is dropped.
   *
   * @param payload JSON, or a `Uint8Array`.
   * @throws {RealtimeError} `invalid-payload`, also for `persist` on a public channel or with version 1.0.0;
   *   `payload-too-large`; with `ack` also `push-timeout`, `push-refused`
   */
  send<Event extends keyof Events & string>(
    event: Event,
    payload: Events[Event],
    options?: SendOptions,
  ): Promise<BroadcastOutcome>;
  /** Calls `listener` with each broadcast of an event; `*` is every event. */
  on<Event extends (keyof Events & string) | '*'>(
    event: Event,
    listener: (message: BroadcastMessage<Event extends '*' ? unknown : Events[Event]>) => void,
  ): Unsubscribe;
  /** Stops observing; waiting broadcasts are dropped as `closed`. */
  close(): void;
}

/** A broadcast that was not sent yet: exactly one of its methods is called, once. Not for applications. */
export interface PendingBroadcast {
  /** Name of the event. */
  readonly event: string;
  /** Sends the broadcast. */
  send(): void;
  /** Settles the broadcast as dropped. */
  drop(reason: DropReason): void;
}

/** The broadcasts of a channel until they are sent. Not for applications. */
export interface BroadcastQueue {
  /** Sends a broadcast, drops it, or keeps it. */
  add(pending: PendingBroadcast): void;
  /** The channel was joined. */
  drain(): void;
  /** Drops everything. */
  close(reason: 'closed' | 'failed' | 'user-changed'): void;
}

/** The channel of a {@link BroadcastBuffer}. Not for applications. */
export interface BroadcastLink {
  /** The platform's clock. */
  readonly clock: Clock;
  /** Shortest time between two broadcasts of an event with the policy `latest`, in milliseconds. */
  readonly latestIntervalMs: number;
  /** Milliseconds in which the channel's rate limit allows one more broadcast. */
  readonly tokenIntervalMs: number;
  /** The rate limits of the channel and of the client. */
  readonly limit: RateLimit;
  /** Whether the channel can send. */
  isJoined(): boolean;
  /** A rate limit was reached; the next attempt follows in `waitMs` milliseconds. */
  onThrottled(waitMs: number): void;
}

/** Creates the queue of a channel; see the option `buffer`. */
export type BroadcastBuffer = (link: BroadcastLink) => BroadcastQueue;

/** Broadcasts per second. */
const rate: NumberRange = { min: 0.01 };

/** Without a buffer: a broadcast that cannot be sent now is dropped. */
const sendOrDrop = ({ isJoined, limit }: BroadcastLink): BroadcastQueue => ({
  add(pending) {
    if (!isJoined()) return pending.drop('offline');
    if (limit.available() < 1) return pending.drop('throttled');
    limit.take();
    return pending.send();
  },
  drain() {},
  close() {},
});

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
 *   onDropped: ({ event, reason }) => console.log(`${event} was not sent: ${reason}`),
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
  requireRanges(options, { perSecond: rate, perSecondOfClient: rate, maxPayloadBytes: count });
  return new ChannelBroadcast(channel, options);
}

class ChannelBroadcast<Events extends BroadcastEvents> implements Broadcast<Events> {
  readonly #channel: Channel;
  readonly #options: BroadcastOptions<Events>;
  readonly #listeners = new Map<string, ListenerSet<BroadcastMessage>>();
  readonly #drops: ListenerSet<BroadcastDrop>;
  readonly #isDuplicate = createDuplicateFilter();
  readonly #queue: BroadcastQueue;
  readonly #stops: readonly Unsubscribe[];
  /** Broadcasts that the server has replayed since it accepted the join; null at the first join, which has no gap. */
  #replayed: number | null = null;

  constructor(channel: Channel, options: BroadcastOptions<Events>) {
    const { port, joinConfig } = channel;
    const { ack, replay, onDropped } = options;
    this.#channel = channel;
    this.#options = options;
    port.features.binaryFrames = binaryFrames;
    this.#drops = new ListenerSet(port.report);
    if (onDropped) this.#drops.add(onDropped);
    this.#queue = this.#createQueue();
    if (ack || replay)
      channel.updateJoinPayload({ ack: ack || joinConfig.ack, replay: replay ?? joinConfig.replay });
    this.#stops = [
      port.onMessage(({ event, payload }) => {
        if (event === 'broadcast') this.#receive(payload);
      }),
      port.onDiscard(() => this.#queue.close('user-changed')),
      channel.subscribe(() => {
        const { status } = channel.getSnapshot();
        if (status === 'recovering') this.#replayed = 0;
        if (status === 'closed' || status === 'failed') this.#queue.close(status);
        else if (this.#isJoined()) this.#queue.drain();
      }),
    ];
  }

  readonly on: Broadcast<Events>['on'] = (event, listener) => {
    const known = this.#listeners.get(event) ?? new ListenerSet<BroadcastMessage>(this.#channel.port.report);
    this.#listeners.set(event, known);
    return known.add(listener as (message: BroadcastMessage) => void);
  };

  readonly send: Broadcast<Events>['send'] = async (event, given, { persist } = {}) => {
    requirePersist(persist, this.#channel.joinConfig.private);
    const payload = this.#validate(event, given);
    checkPayloadSize(
      `The payload of ${event}`,
      payload,
      this.#options.maxPayloadBytes ?? defaultMaxPayloadBytes,
    );
    if (!this.#isJoined()) this.#channel.port.claim();
    return new Promise((resolve) => {
      const drop = (reason: DropReason) => {
        resolve({ status: 'dropped', reason });
        this.#drops.call({ event, reason });
      };
      if (this.#channel.getSnapshot().status === 'failed') drop('failed');
      else this.#queue.add({ event, send: () => resolve(this.#dispatch(event, payload, persist)), drop });
    });
  };

  readonly close = (): void => {
    this.#stops.forEach((stop) => stop());
    this.#queue.close('closed');
  };

  #createQueue(): BroadcastQueue {
    const { name, port } = this.#channel;
    const { clock, settings } = port;
    const { buffer = sendOrDrop, perSecond = 100, perSecondOfClient = 100 } = this.#options;
    return buffer({
      clock,
      latestIntervalMs: settings.frameMs,
      tokenIntervalMs: 1_000 / perSecond,
      limit: createChannelLimit(clock, settings, perSecond, perSecondOfClient),
      isJoined: () => this.#isJoined(),
      onThrottled: (waitMs) => port.emit({ type: 'throttled', name, waitMs }),
    });
  }

  #isJoined(): boolean {
    return ['joined', 'live'].includes(this.#channel.getSnapshot().status);
  }

  #validate(event: string, payload: unknown): unknown {
    const schema: StandardSchema | undefined = this.#options.events?.[event]?.schema;
    return schema ? validate(schema, payload, 'invalid-payload') : payload;
  }

  /** Sends now; a failure rejects. */
  async #dispatch(event: string, payload: unknown, persist?: Persist): Promise<BroadcastOutcome> {
    const { ack = false, self = false } = this.#options;
    const frame = { type: 'broadcast', event, payload, ...(persist && { persist: encodePersist(persist) }) };
    if (ack) await this.#channel.push('broadcast', frame).catch((problem) => this.#explainTimeout(problem));
    else this.#channel.port.send('broadcast', frame);
    if (self) this.#deliver({ event, payload, id: null, isReplayed: false });
    return { status: ack ? 'acknowledged' : 'sent' };
  }

  /** The server sends no reply to a broadcast that no policy allows. */
  #explainTimeout(problem: unknown): never {
    const isSilent = problem instanceof RealtimeError && problem.code === 'push-timeout';
    if (!isSilent || !this.#channel.joinConfig.private) throw problem;
    throw new RealtimeError(
      'push-timeout',
      'Not acknowledged: possibly no policy on realtime.messages allows insert with the extension broadcast',
      { cause: problem },
    );
  }

  #receive(frame: unknown): void {
    if (!isRecord(frame) || typeof frame['event'] !== 'string') return;
    const { event } = frame;
    const meta = isRecord(frame['meta']) ? frame['meta'] : {};
    const id = typeof meta['id'] === 'string' ? meta['id'] : null;
    const isReplayed = meta['replayed'] === true;
    if (isReplayed) this.#countReplayed();
    // A replay after an interruption repeats broadcasts that arrived before it.
    if (id !== null && this.#isDuplicate(id)) return;
    try {
      this.#deliver({ event, payload: this.#validate(event, frame['payload']), id, isReplayed });
    } catch (problem) {
      this.#channel.port.report(problem);
      this.#drops.call({ event, reason: 'invalid' });
    }
  }

  #countReplayed(): void {
    if (this.#replayed === null) return;
    this.#replayed += 1;
    if (this.#replayed === this.#options.replay?.limit)
      this.#drops.call({ event: '*', reason: 'replay-limit' });
  }

  #deliver(message: BroadcastMessage): void {
    this.#listeners.get(message.event)?.call(message);
    this.#listeners.get('*')?.call(message);
  }
}

export type { Persist } from './persist.ts';
export type { DropReason } from './outbox.ts';
export type { RateLimit } from './rate-limit.ts';
