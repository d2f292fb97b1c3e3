import { type Broadcast, createBroadcast } from '../../realtime-client/broadcast/broadcast.ts';
import {
  type Persist,
  sendBroadcast,
  sendBroadcasts,
} from '../../realtime-client/broadcast/http-broadcast.ts';
import { createPostgresChanges } from '../../realtime-client/changes/postgres-changes.ts';
import type { Channel, RealtimeClient as NativeClient, RealtimeError } from '../../realtime-client/index.ts';
import type { Timer, Unsubscribe } from '../../platform/platform.ts';
import type { Untyped } from '../untyped.ts';
import {
  type BroadcastPayload,
  fromBinary,
  type PayloadOf,
  type RealtimePostgresChangesEvent,
  type RealtimePresenceJoinPayload,
  type RealtimePresenceLeavePayload,
  type RealtimePresenceState,
  type REALTIME_SUBSCRIBE_STATES,
  type RealtimeSystemPayload,
  toBinary,
  toChangesPayload,
} from './payloads.ts';
import { type ChannelPresence, createChannelPresence } from './presence.ts';

/** How a channel joins. */
export interface RealtimeChannelOptions {
  /** The configuration of the join. */
  config: {
    broadcast?: { self?: boolean; ack?: boolean; replay?: { since: number; limit?: number } };
    presence?: { key?: string; enabled?: boolean };
    private?: boolean;
    /** `wait`: the server replies once it has subscribed to the changes, or refuses. `timeout` in ms, default 15,000. */
    postgres_changes_options?: { wait?: boolean; timeout?: number };
  };
}

/** Which changes a listener receives. */
export interface RealtimePostgresChangesFilter<Event> {
  /** `INSERT`, `UPDATE`, `DELETE`, or `*` for all. */
  event: Event;
  /** Name of the schema. */
  schema: string;
  /** The table. Default: every published table of the schema. */
  table?: string;
  /** `column=operator.value`, or what a builder makes. */
  filter?: string | { build(): string };
  /** Columns of the record. Default: all. */
  select?: string[];
}

/** The outcome of a message. */
export type RealtimeChannelSendResponse = 'ok' | 'timed out' | 'error';

/** A message to send. */
export interface RealtimeMessage {
  /** The kind of message. */
  type: 'broadcast' | 'presence' | 'postgres_changes';
  /** The event's name; for presence `track` or `untrack`. */
  event: string;
  /** JSON, or bytes. */
  payload?: Untyped;
  /** Stores a broadcast of a private channel for replay. */
  persist?: RealtimeBroadcastPersist;
}

/** For how long a broadcast is kept: as long as the service keeps any, or a number of seconds. */
export type RealtimeBroadcastPersist = boolean | PersistDuration;
interface PersistDuration {
  /** In seconds. */
  ttl?: number;
}

function toSendOptions(persist: RealtimeBroadcastPersist | undefined): { readonly persist?: Persist } {
  if (!persist) return {};
  const { ttl } = Object(persist) as { readonly ttl?: number };
  return { persist: ttl === undefined || { ttlSeconds: ttl } };
}

interface Binding {
  readonly type: string;
  readonly filter: { readonly event?: string; readonly [field: string]: unknown };
  readonly callback: (payload?: Untyped) => void;
}

/** Without a response the vendor's client uses the message of the underlying failure. */
function failSend(problem: Error): never {
  const { cause } = problem;
  throw cause instanceof Error ? new Error(cause.message, { cause: problem }) : problem;
}

/** The maximum number of broadcasts that the server replays. */
const REPLAY_LIMIT = 25;
/** The vendor's default. */
const SUBSCRIPTION_WAIT_MS = 15_000;
/** How much longer than the server's wait a caller waits for the reply. */
const WAIT_GRACE_MS = 10_000;

/** A channel in the vendor's form. Its listeners are bound to the native channel by `subscribe`. */
export class RealtimeChannel {
  /** The name with its prefix `realtime:`. */
  readonly topic: string;
  /** The name without the prefix. */
  readonly subTopic: string;
  /** How the channel joins. */
  readonly params: RealtimeChannelOptions;
  readonly #client: NativeClient;
  readonly #onEnd: () => void;
  readonly #bindings: Binding[] = [];
  #native: Channel | null = null;
  #broadcast: Broadcast<Record<string, unknown>> | null = null;
  #presence: ChannelPresence | null = null;
  #stops: Unsubscribe[] = [];
  /** Whether the channel joins again on purpose; until that has ended no status is reported. */
  #isQuiet = false;

  /** @param onEnd called when the channel is left. */
  constructor(name: string, { config }: RealtimeChannelOptions, client: NativeClient, onEnd: () => void) {
    this.topic = `realtime:${name}`;
    this.subTopic = name;
    this.params = {
      config: {
        broadcast: { ack: false, self: false },
        presence: { key: '', enabled: false },
        private: false,
        ...config,
      },
    };
    this.#client = client;
    this.#onEnd = onEnd;
    if (config.broadcast?.replay && !config.private)
      throw new Error(`tried to use replay on public channel '${this.topic}'. It must be a private channel.`);
  }

  /** Changes how the channel joins when it is next subscribed. */
  updateJoinPayload({ config }: Partial<RealtimeChannelOptions>): void {
    Object.assign(this.params.config, config);
  }

  /** `closed`, `joining`, `joined` or `errored`. */
  get state(): 'closed' | 'joining' | 'joined' | 'errored' {
    const status = this.#native?.getSnapshot().status ?? 'closed';
    if (status === 'connecting') return 'joining';
    if (status === 'recovering' || status === 'failed') return 'errored';
    return status === 'closed' ? 'closed' : 'joined';
  }

  /** Calls a listener with changes of the database. */
  on<T extends object = Record<string, Untyped>, const E extends RealtimePostgresChangesEvent = '*'>(
    type: 'postgres_changes',
    filter: RealtimePostgresChangesFilter<E>,
    callback: (payload: PayloadOf<E, T>) => void,
  ): this;
  /** Calls a listener with broadcasts. */
  on<T = Untyped>(
    type: 'broadcast',
    filter: { event: string },
    callback: (payload: BroadcastPayload<T>) => void,
  ): this;
  /** Calls a listener when presence is in step with the server. */
  on(type: 'presence', filter: { event: 'sync' }, callback: () => void): this;
  /** Calls a listener with each key that appears. */
  on<T extends object = Record<string, Untyped>>(
    type: 'presence',
    filter: { event: 'join' },
    callback: (payload: RealtimePresenceJoinPayload<T>) => void,
  ): this;
  /** Calls a listener with each key that disappears. */
  on<T extends object = Record<string, Untyped>>(
    type: 'presence',
    filter: { event: 'leave' },
    callback: (payload: RealtimePresenceLeavePayload<T>) => void,
  ): this;
  /** Calls a listener when the server has subscribed to the changes. */
  on(type: 'system', filter: object, callback: (payload: RealtimeSystemPayload) => void): this;
  on(type: string, filter: object, callback: Binding['callback']): this {
    if (this.#native && (type === 'presence' || type === 'postgres_changes'))
      throw new Error(`cannot add \`${type}\` callbacks for ${this.topic} after \`subscribe()\`.`);
    this.#bindings.push({ type, filter: filter as Binding['filter'], callback });
    return this;
  }

  /** Joins the channel, and reports each change of its status. Default `timeout`: 10,000 ms. */
  subscribe(callback?: (status: REALTIME_SUBSCRIBE_STATES, error?: Error) => void, timeout = 10_000): this {
    if (this.#native) return this;
    const { broadcast, presence, private: isPrivate = false } = this.params.config;
    const { wait = false, timeout: waitMs = SUBSCRIPTION_WAIT_MS } =
      this.params.config.postgres_changes_options ?? {};
    const channel = this.#client.channel(this.subTopic);
    this.#native = channel;
    channel.updateJoinPayload({
      private: isPrivate,
      ack: false,
      replay: null,
      presenceKey: null,
      subscriptionWaitMs: wait ? waitMs : null,
    });
    this.#broadcast = createBroadcast(channel, {
      ack: broadcast?.ack ?? false,
      self: broadcast?.self ?? false,
      ...(broadcast?.replay && {
        replay: { sinceMs: broadcast.replay.since, limit: broadcast.replay.limit ?? REPLAY_LIMIT },
      }),
    });
    this.#stops = [
      this.#broadcast.on('*', ({ event, payload, id, isReplayed }) => {
        const meta = id === null ? {} : { meta: { id, ...(isReplayed && { replayed: true }) } };
        this.#call('broadcast', event, { type: 'broadcast', event, payload: fromBinary(payload), ...meta });
      }),
      channel.port.onMessage(({ event, payload }) => {
        if (event === 'system') this.#call('system', '', payload);
      }),
      ...this.#bindChanges(channel),
      this.#followStatus(channel, wait ? Math.max(timeout, waitMs + WAIT_GRACE_MS) : timeout, callback),
      () => this.#broadcast?.close(),
    ];
    if (presence?.enabled || this.#bindings.some(({ type }) => type === 'presence'))
      this.#openPresence(channel);
    channel.join();
    return this;
  }

  /** Makes a change that may join the channel again: as with the vendor's client, listeners receive no status. */
  quietly(change: () => void): void {
    this.#isQuiet = this.state === 'joined';
    change();
    if (this.#native?.getSnapshot().status === 'live') this.#isQuiet = false;
  }

  /** Leaves the channel until it is resumed. Its listeners stay. */
  pause(): void {
    this.#native?.leave();
  }

  /** Joins a paused channel again. */
  resume(): void {
    this.#native?.join();
  }

  /** Leaves the channel, which can be subscribed again. */
  async unsubscribe(): Promise<RealtimeChannelSendResponse> {
    const channel = this.#native;
    this.#onEnd();
    if (!channel) return 'ok';
    this.#isQuiet = false;
    channel.leave();
    this.#stops.forEach((stop) => stop());
    this.#presence?.close();
    this.#native = null;
    this.#broadcast = null;
    this.#presence = null;
    return 'ok';
  }

  /** Sends a message; a broadcast of a channel that is not joined is sent by HTTP. */
  async send({ type, event, payload, persist }: RealtimeMessage): Promise<RealtimeChannelSendResponse> {
    if (type === 'presence') return event === 'untrack' ? this.untrack() : this.track(payload as object);
    try {
      if (this.#broadcast && this.state === 'joined') {
        const { status } = await this.#broadcast.send(event, toBinary(payload), toSendOptions(persist));
        return status === 'dropped' ? 'error' : 'ok';
      }
      if (persist) return 'error';
      const { config } = this.params;
      const message = { topic: this.subTopic, event, payload, private: config.private ?? false };
      await sendBroadcasts(this.#client, [message]);
      return 'ok';
    } catch (problem) {
      const { code, cause } = Object(problem) as Partial<RealtimeError>;
      const isTimeout = code?.endsWith('timeout') || Object(cause).name === 'AbortError';
      return isTimeout ? 'timed out' : 'error';
    }
  }

  /** Sends a broadcast by HTTP, without joining. @throws {RealtimeError | TypeError} a TypeError without a payload */
  async httpSend(
    event: string,
    payload: unknown,
    { timeout, persist }: { timeout?: number; persist?: RealtimeBroadcastPersist } = {},
  ) {
    if (payload === undefined || payload === null) throw new TypeError('Payload is required for httpSend()');
    const { private: isPrivate = false } = this.params.config;
    const message = { topic: this.subTopic, event, payload: toBinary(payload), private: isPrivate };
    const deadline = timeout === undefined ? {} : { timeoutMs: timeout };
    await sendBroadcast(this.#client, message, { ...deadline, ...toSendOptions(persist) }).catch(failSend);
    return { success: true } as const;
  }

  /** Publishes a presence entry to all clients of the channel. */
  async track(payload: object): Promise<RealtimeChannelSendResponse> {
    if (!this.#native) return 'error';
    try {
      const channel = this.#native;
      // The first entry of a channel without presence listeners joins it again, with presence.
      if (!this.#presence) this.quietly(() => this.#openPresence(channel));
      const isShown = this.#openPresence(channel).track(payload as Readonly<Record<string, unknown>>);
      return isShown ? 'ok' : 'error';
    } catch {
      return 'error';
    }
  }

  /** Removes this client's entry. */
  async untrack(): Promise<RealtimeChannelSendResponse> {
    this.#presence?.untrack();
    return 'ok';
  }

  /** Who is present, by key. */
  presenceState<T extends object = Record<string, Untyped>>(): RealtimePresenceState<T> {
    return (this.#presence?.readState() ?? {}) as RealtimePresenceState<T>;
  }

  #openPresence(channel: Channel): ChannelPresence {
    return (this.#presence ??= createChannelPresence(
      channel,
      this.params.config.presence?.key,
      (event, payload) => this.#call('presence', event, payload),
    ));
  }

  #call(type: string, event: string, payload?: unknown): void {
    for (const { type: bound, filter, callback } of this.#bindings) {
      const wanted = filter.event?.toLowerCase() ?? '*';
      if (bound !== type || (wanted !== '*' && wanted !== event.toLowerCase())) continue;
      try {
        callback(payload);
      } catch (problem) {
        // A listener that throws does not silence the others.
        this.#native?.port.report(problem);
      }
    }
  }

  #bindChanges(channel: Channel): Unsubscribe[] {
    const bindings = this.#bindings.filter(({ type }) => type === 'postgres_changes');
    if (bindings.length === 0) return [];
    const changes = createPostgresChanges(channel);
    return bindings.map(({ filter: { filter, ...target }, callback }) => {
      const text = typeof filter === 'object' ? (filter as { build(): string }).build() : filter;
      const binding = { ...target, ...(text !== undefined && { filter: text as string }) };
      return changes.on(binding as object, (change) => callback(toChangesPayload(change)));
    });
  }

  #followStatus(
    channel: Channel,
    timeoutMs: number,
    callback?: (status: REALTIME_SUBSCRIBE_STATES, error?: Error) => void,
  ): Unsubscribe {
    let reported = channel.getSnapshot().status;
    let timer: Timer | undefined = channel.port.clock.setTimer(() => {
      if (reported !== 'live') callback?.('TIMED_OUT');
    }, timeoutMs);
    const stopTimer = () => {
      timer?.cancel();
      timer = undefined;
    };
    const stop = channel.subscribe(() => {
      const { status, error } = channel.getSnapshot();
      if (this.#isQuiet && error?.code === 'signed-out') {
        // The vendor's channels continue with the key alone.
        channel.leave();
        channel.join();
        return;
      }
      const isRejoining = status !== 'live' && status !== 'failed';
      if (this.#isQuiet && isRejoining) return;
      this.#isQuiet = false;
      if (status === reported) return;
      reported = status;
      if (status === 'live') {
        stopTimer();
        callback?.('SUBSCRIBED');
      } else if (status === 'failed') {
        stopTimer();
        callback?.('CHANNEL_ERROR', new Error(error?.message ?? 'The channel failed', { cause: error }));
      } else if (status === 'recovering')
        callback?.('CHANNEL_ERROR', new Error('The channel was interrupted'));
      else if (status === 'closed') callback?.('CLOSED');
    });
    return () => {
      stopTimer();
      stop();
    };
  }
}
