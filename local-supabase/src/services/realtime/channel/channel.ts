import type { Database } from '../../../database/database.ts';
import { decodeUtf8 } from '../../../platform/bytes.ts';
import type { Delivery } from '../changes/delivery.ts';
import type { Subscriber } from '../changes/subscribers.ts';
import type { RateCounter } from '../rate-counter.ts';
import { isRecord, Tuple } from '../subscription/term.ts';
import { persistenceOf } from './wire.ts';
import type { InboundFrame, OutboundFrame, Ref, UserBroadcast } from './wire.ts';
import { SubscriptionRefused, bindingId, parseBinding } from '../subscription/bindings.ts';
import type { ChangeAction } from '../subscription/bindings.ts';
import { prepareSubscriptions } from '../subscription/subscription.ts';
import type { SubscriptionContext } from '../subscription/subscription.ts';
import { ChannelAccess } from './access.ts';
import type { AccessServices } from './access.ts';
import { holdJoin } from './held-join.ts';
import type { JoinRequest } from './join-request.ts';
import { exceedsPayloadLimit } from './payload-size.ts';
import type { ReadPermissions } from './permissions.ts';
import { createPresenceLimit, decidePresence } from './presence-calls.ts';
import { replayPayload } from './replay.ts';
import type { ReplayedMessage } from './replay.ts';
import { roomName } from './rooms.ts';
import type { StorableMessage, StoredMessages } from './stored-messages.ts';
import type { BroadcastMessage, Member, Rooms } from './rooms.ts';
import type { ChannelClaims } from '../subscription/tokens.ts';

/** The dependencies that all channels share. */
export interface ChannelServices extends AccessServices {
  readonly database: Database;
  readonly random: () => number;
  readonly delivery: Delivery;
  readonly subscriptions: SubscriptionContext;
  readonly rooms: Rooms;
  /** Counts the broadcasts sent and received. */
  readonly messages: RateCounter;
  readonly presenceEvents: RateCounter;
  /** Counts the HTTP requests. */
  readonly requests: RateCounter;
  /** Connects the replication of the database's messages if necessary, and calls `onReady` once it runs. */
  readonly replicate: (onReady: () => void) => void;
  /** Stores broadcasts for replay. */
  readonly stored: StoredMessages;
}

export interface ChannelSocket {
  send(frame: OutboundFrame): void;
  sendBroadcast(topic: string, broadcast: UserBroadcast | Uint8Array): void;
  /** Called when the channel has ended, so that the socket removes it. */
  forget(channel: Channel): void;
}

export interface ChannelOptions {
  readonly socket: ChannelSocket;
  readonly topic: string;
  readonly name: string;
  /** The join_ref and the ref of the join. */
  readonly refs: Pick<InboundFrame, 'joinRef' | 'ref'>;
  readonly request: JoinRequest;
  readonly token: string;
  readonly claims: ChannelClaims;
  readonly read: ReadPermissions;
  readonly replayed: readonly ReplayedMessage[];
}

const toStorable = (topic: string, { event, encoding, data }: UserBroadcast): StorableMessage => ({
  topic,
  event,
  payload: encoding === 'json' ? decodeUtf8(data) : data,
});

/** The payload of a broadcast in the real server's terms. */
const termOf = (broadcast: UserBroadcast | undefined, payload: unknown): unknown => {
  if (payload instanceof Uint8Array) return new Tuple(Symbol('binary'), payload);
  if (!broadcast) return payload;
  const { event, encoding, data, metadata } = broadcast;
  return new Tuple(event, Symbol(encoding), data, metadata);
};

/** One joined channel of a socket. */
export class Channel implements Subscriber, Member {
  readonly topic: string;
  /** The join_ref of the join, which its leave must name. */
  readonly closeRef: Ref;
  readonly bindingEcho: readonly Record<string, unknown>[];
  readonly #services: ChannelServices;
  readonly #options: ChannelOptions;
  readonly #access: ChannelAccess;
  readonly #room: string;
  /** As in Phoenix, the ref of a join without a join_ref. */
  readonly #joinRef: Ref;
  readonly #replayedIds: ReadonlySet<string>;
  readonly #takePresenceCall: () => boolean;
  readonly #handlers: Readonly<Record<string, (frame: InboundFrame) => Promise<void> | void>>;
  #isOver = false;
  #isEstablished = false;
  #tracked: Record<string, unknown> | null = null;
  #cancelSubscribe = () => {};
  /** As in the real server's mailbox, frames wait for a subscription in flight. */
  #subscribing: Promise<void> = Promise.resolve();

  constructor(services: ChannelServices, options: ChannelOptions) {
    const { name, request } = options;
    this.topic = options.topic;
    this.closeRef = options.refs.joinRef;
    this.bindingEcho = request.bindings.map((params) => ({ ...params, id: bindingId(params) }));
    this.#services = services;
    this.#options = options;
    this.#joinRef = options.refs.joinRef ?? options.refs.ref;
    this.#room = roomName(name, request.isPrivate);
    this.#replayedIds = new Set(options.replayed.map(({ id }) => id));
    this.#takePresenceCall = createPresenceLimit(services.now, services.settings);
    this.#access = new ChannelAccess(services, {
      name,
      isPrivate: request.isPrivate,
      isPresenceEnabled: request.presenceEnabled || services.settings().presenceEnabled,
      token: options.token,
      claims: options.claims,
      read: options.read,
      onRefused: (message) => this.#shutDown(message),
      onRenewed: () => this.renew({ isDelayed: true }),
    });
    this.#handlers = {
      phx_leave: ({ ref }) => {
        this.#reply(ref, 'ok');
        this.close();
      },
      access_token: ({ payload }) =>
        this.#access.push(isRecord(payload) ? payload['access_token'] : undefined),
      broadcast: (frame) => this.#broadcast(frame),
      presence: (frame) => this.#presence(frame),
    };
  }

  sendChange(ids: readonly number[], action: ChangeAction, data: string): void {
    if (this.#options.request.isLegacy) this.#push(action, data);
    else this.#push('postgres_changes', `{"ids":${JSON.stringify(ids)},"data":${data}}`);
  }

  receiveBroadcast({ id, content }: BroadcastMessage): void {
    const { messages } = this.#services;
    if (!this.#access.readsBroadcasts || (id !== undefined && this.#replayedIds.has(id))) return;
    if (typeof content === 'string') this.#push('broadcast', content);
    else this.#options.socket.sendBroadcast(this.topic, content);
    messages.add();
    if (messages.isExceeded) this.#shutDown('Too many messages per second');
  }

  receivePresenceDiff(payload: string): void {
    if (!this.#access.readsPresence) return;
    this.#services.presenceEvents.add();
    this.#push('presence_diff', payload);
  }

  /** Subscribes before the reply, if the join asks for it. Returns the reason of a refusal, or null. */
  async establish(): Promise<string | null> {
    const { settings, timers } = this.#services;
    const { subscriptionWaitMs, bindings } = this.#options.request;
    if (subscriptionWaitMs === null || bindings.length === 0) return null;
    const refusal = await holdJoin({
      timers,
      waitMs: Math.min(subscriptionWaitMs, settings().maxSubscriptionWaitMs),
      delayMs: this.#readyDelayMs(),
      subscribe: (onLive) => this.#subscribe(onLive),
    });
    this.#isEstablished = refusal === null;
    return refusal;
  }

  /** Enters the topic; called after the reply to the join. */
  start(): void {
    const { messages, presenceEvents, rooms, replicate } = this.#services;
    const { request, replayed } = this.#options;
    messages.start();
    presenceEvents.start();
    rooms.enter(this.#room, this);
    this.#access.watch();
    for (const message of replayed) this.#replay(message);
    if (this.#access.isPresenceEnabled && this.#access.readsPresence) {
      presenceEvents.add();
      this.#pushOwn('presence_state', rooms.presenceState(this.#room));
    }
    replicate(() => {
      if (request.asksForReplication && !this.#isOver)
        this.system('ok', 'Replication connection established');
    });
    if (this.#isEstablished) this.#announce();
    else if (request.bindings.length > 0) this.#subscribeAfter(this.#readyDelayMs());
  }

  /** Handles a frame after all earlier frames and after a subscription in flight. */
  async handle(frame: InboundFrame): Promise<void> {
    await this.#subscribing;
    if (!this.#isOver && Object.hasOwn(this.#handlers, frame.event))
      await this.#handlers[frame.event]?.(frame);
  }

  /** Subscribes again, if the channel has bindings. */
  renew({ isDelayed }: { readonly isDelayed: boolean }): void {
    if (this.#options.request.bindings.length === 0) return;
    const { settings, random } = this.#services;
    const { resubscribeDelayMs, resubscribeJitterMs } = settings();
    this.#subscribeAfter(isDelayed ? resubscribeDelayMs + Math.floor(random() * resubscribeJitterMs) : 0);
  }

  /** Verifies the token again. */
  checkToken(): Promise<void> {
    return this.#access.check();
  }

  /** Ends the channel as an expired token does. */
  expire(): void {
    this.#access.expire();
  }

  system(status: 'ok' | 'error', message: string, extension: 'system' | 'postgres_changes' = 'system'): void {
    const channel = this.#options.name;
    this.#pushOwn('system', JSON.stringify({ channel, extension, message, status }));
  }

  /** Ends without a frame to the client. */
  dispose(): void {
    this.#isOver = true;
    this.#access.stop();
    this.#cancelSubscribe();
    this.#services.delivery.unsubscribe(this);
    this.#services.rooms.leave(this.#room, this);
    this.#options.socket.forget(this);
  }

  close(event: 'phx_close' | 'phx_error' = 'phx_close'): void {
    if (this.#isOver) return;
    this.dispose();
    const { topic, closeRef } = this;
    const payload = event === 'phx_error' ? '{"reason":"channel_crash"}' : '{}';
    this.#options.socket.send({ joinRef: closeRef, ref: closeRef, topic, event, payload });
  }

  #push(event: string, payload: string): void {
    this.#options.socket.send({ topic: this.topic, event, payload });
  }

  #pushOwn(event: string, payload: string): void {
    this.#options.socket.send({ joinRef: this.#joinRef, topic: this.topic, event, payload });
  }

  #reply(ref: Ref, status: 'ok' | 'error', response: unknown = {}): void {
    const payload = JSON.stringify({ status, response });
    this.#options.socket.send({
      joinRef: this.#joinRef,
      ref,
      topic: this.topic,
      event: 'phx_reply',
      payload,
    });
  }

  #shutDown(message: string): void {
    if (this.#isOver) return;
    this.system('error', message);
    this.close();
  }

  #replay(message: ReplayedMessage): void {
    const { id, event, bytes } = message;
    if (bytes) {
      const broadcast = {
        event: event ?? '',
        encoding: 'binary',
        data: bytes,
        id,
        isReplayed: true,
      } as const;
      this.#options.socket.sendBroadcast(this.topic, broadcast);
    } else this.#pushOwn('broadcast', replayPayload(message));
  }

  #announce(): void {
    this.system('ok', 'Subscribed to PostgreSQL', 'postgres_changes');
  }

  #readyDelayMs(): number {
    const { settings, delivery } = this.#services;
    return settings().readyDelayMs + delivery.warmUpMs();
  }

  async #subscribe(onLive: () => void): Promise<void> {
    const { subscriptions, delivery } = this.#services;
    const prepared = await prepareSubscriptions(
      subscriptions,
      this.#access.claims,
      this.#options.request.bindings.map(parseBinding).toReversed(),
    );
    if (this.#isOver) return;
    await delivery.subscribe(this, prepared.toReversed(), () => {
      if (this.#isOver) delivery.unsubscribe(this);
      else onLive();
    });
  }

  #subscribeAfter(delayMs: number): void {
    this.#cancelSubscribe();
    const begin = () => {
      this.#subscribing = this.#subscribe(() => this.#announce()).catch((error: unknown) => {
        if (this.#isOver) return;
        const message = error instanceof SubscriptionRefused ? error.message : `:error ${String(error)}`;
        this.system('error', message, 'postgres_changes');
      });
    };
    if (delayMs > 0) this.#cancelSubscribe = this.#services.timers.after(delayMs, begin);
    else begin();
  }

  async #broadcast({ ref, payload, broadcast: userBroadcast }: InboundFrame): Promise<void> {
    const { settings, messages, rooms, stored } = this.#services;
    const { name, request } = this.#options;
    // As on the real server, a broadcast without permission gets no reply.
    if (!(await this.#access.canWrite()).broadcast || this.#isOver) return;
    messages.add();
    const refuse = (response: unknown) => {
      if (request.acknowledgesBroadcast) this.#reply(ref, 'error', response);
    };
    if (exceedsPayloadLimit(termOf(userBroadcast, payload), settings().maxPayloadKb))
      return refuse('payload_size_exceeded');
    const sender = request.receivesOwnBroadcasts ? undefined : this;
    // The real server fails as it encodes such a payload for a receiver.
    const isBytes = payload instanceof Uint8Array;
    if (!userBroadcast && !isBytes && !isRecord(payload) && rooms.hasReceiver(this.#room, sender))
      return this.close('phx_error');
    const persistence = userBroadcast ? persistenceOf(userBroadcast) : null;
    if (userBroadcast && persistence && !request.isPrivate)
      return refuse({ error: 'persist_requires_private_channel' });
    const id =
      userBroadcast && persistence
        ? await stored.store(toStorable(name, userBroadcast), persistence)
        : undefined;
    if (id === null) return refuse({ error: 'persist_failed' });
    const content = userBroadcast
      ? { ...userBroadcast, ...(id !== undefined && { id }) }
      : isBytes
        ? payload
        : JSON.stringify(payload);
    rooms.broadcast(this.#room, { id, content }, sender);
    if (request.acknowledgesBroadcast && !this.#isOver) this.#reply(ref, 'ok');
  }

  async #presence({ ref, payload }: InboundFrame): Promise<void> {
    const { settings, presenceEvents, rooms } = this.#services;
    const decision = await decidePresence(payload, {
      settings: settings(),
      mayWrite: async () => (await this.#access.canWrite()).presence,
      isRateExceeded: () => presenceEvents.average > settings().maxPresenceEventsPerSecond,
      tracked: this.#tracked,
      takeCall: this.#takePresenceCall,
    });
    if (this.#isOver) return;
    switch (decision.type) {
      case 'shutDown':
        return this.#shutDown(decision.message);
      case 'crash':
        return this.close('phx_error');
      case 'refuse':
        return this.#reply(ref, 'error', decision.reason === undefined ? {} : { reason: decision.reason });
      case 'nothing':
        break;
      case 'untrack':
        this.#tracked = null;
        rooms.untrack(this.#room, this);
        break;
      case 'track':
        presenceEvents.add();
        await this.#access.enablePresence();
        this.#tracked = decision.payload;
        rooms.track(this.#room, this, this.#options.request.presenceKey, decision.payload);
        break;
    }
    this.#reply(ref, 'ok');
  }
}
