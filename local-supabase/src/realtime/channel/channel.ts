import type { Database } from '../../database/database.ts';
import { decodeUtf8 } from '../../platform/bytes.ts';
import type { Delivery } from '../changes/delivery.ts';
import type { Subscriber } from '../changes/subscribers.ts';
import type { RateCounter } from '../rate-counter.ts';
import type { RealtimeSettings } from '../settings.ts';
import { isRecord } from '../subscription/term.ts';
import type { InboundFrame, OutboundFrame, Ref, UserBroadcast } from './wire.ts';
import { SubscriptionRefused, bindingId, parseBinding } from '../subscription/bindings.ts';
import { prepareSubscriptions } from '../subscription/subscription.ts';
import type { SubscriptionContext } from '../subscription/subscription.ts';
import type { Timers } from '../timers.ts';
import { holdJoin } from './held-join.ts';
import type { JoinRequest } from './join-request.ts';
import { exceedsPayloadLimit } from './payload-size.ts';
import { revokedMessage, unreadableMessage } from './permissions.ts';
import type { EvaluatePermissions, ReadPermissions } from './permissions.ts';
import { createPresenceLimit, decidePresence } from './presence-calls.ts';
import { replayPayload } from './replay.ts';
import type { ReplayedMessage } from './replay.ts';
import { roomName } from './rooms.ts';
import type { StorableMessage, StoredMessages } from './stored-messages.ts';
import type { Member, Rooms } from './rooms.ts';
import { createTokenThrottle } from './token-throttle.ts';
import { expiredMessage } from '../subscription/tokens.ts';
import type { ChannelClaims, CheckToken } from '../subscription/tokens.ts';

/** The dependencies that all channels share. */
export interface ChannelServices {
  readonly database: Database;
  readonly settings: () => RealtimeSettings;
  readonly now: () => number;
  readonly random: () => number;
  readonly timers: Timers;
  readonly checkToken: CheckToken;
  readonly permissions: EvaluatePermissions;
  readonly delivery: Delivery;
  readonly subscriptions: SubscriptionContext;
  readonly rooms: Rooms;
  /** Counts the broadcasts sent and received. */
  readonly messages: RateCounter;
  readonly presenceEvents: RateCounter;
  /** Connects the replication of the database's messages if necessary, and calls `onReady` once it runs. */
  readonly replicate: (onReady: () => void) => void;
  /** Stores broadcasts for replay. */
  readonly stored: StoredMessages;
}

export interface ChannelSocket {
  send(frame: OutboundFrame): void;
  sendBroadcast(topic: string, broadcast: UserBroadcast): void;
  /** Called when the channel has ended, so that the socket removes it. */
  forget(channel: Channel): void;
}

export interface Channel extends Subscriber, Member {
  readonly topic: string;
  readonly joinRef: Ref;
  readonly bindingEcho: readonly Record<string, unknown>[];
  /** Subscribes before the reply, if the join asks for it. Returns the reason of a refusal, or null. */
  establish(): Promise<string | null>;
  /** Enters the topic; called after the reply to the join. */
  start(): void;
  /** Handles a frame after all earlier frames and after a subscription in flight. */
  handle(frame: InboundFrame): Promise<void>;
  /** Subscribes again, if the channel has bindings. */
  renew(options?: { readonly isDelayed: boolean }): void;
  /** Verifies the token again. */
  checkToken(): Promise<void>;
  /** Ends the channel as an expired token does. */
  expire(): void;
  system(status: 'ok' | 'error', message: string, extension?: 'system' | 'postgres_changes'): void;
  /** Ends without a frame to the client. */
  dispose(): void;
  close(event?: 'phx_close' | 'phx_error'): void;
}

export interface ChannelOptions {
  readonly socket: ChannelSocket;
  readonly topic: string;
  readonly name: string;
  readonly joinRef: Ref;
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

/** The real server checks a token at least this often. */
const TOKEN_CHECK_MS = 300_000;

export function createChannel(services: ChannelServices, options: ChannelOptions): Channel {
  const { settings, now, random, timers, delivery, rooms, subscriptions, messages, presenceEvents } =
    services;
  const { socket, topic, name, joinRef, request, replayed } = options;
  const room = roomName(name, request.isPrivate);
  const replayedIds = new Set(replayed.map(({ id }) => id));
  const takePresenceCall = createPresenceLimit(now, settings);
  let { token, claims, read } = options;
  let [isOver, isPresenceEnabled] = [false, request.presenceEnabled || settings().presenceEnabled];
  let isEstablished = false;
  /** The permission to write is evaluated at the first attempt, and again for a new token. */
  let write: Promise<{ readonly broadcast: boolean; readonly presence: boolean }> | null = null;
  let tracked: Record<string, unknown> | null = null;
  let cancelTokenCheck = () => {};
  let cancelSubscribe = () => {};
  /** As in the real server's mailbox, frames wait for a subscription in flight. */
  let subscribing: Promise<void> = Promise.resolve();

  const push = (event: string, payload: string) => socket.send({ topic, event, payload });
  const pushOwn = (event: string, payload: string) => socket.send({ joinRef, topic, event, payload });
  const reply = (ref: Ref, status: 'ok' | 'error', response: unknown = {}) =>
    socket.send({ joinRef, ref, topic, event: 'phx_reply', payload: JSON.stringify({ status, response }) });
  const shutDown = (message: string) => {
    if (isOver) return;
    channel.system('error', message);
    channel.close();
  };

  const announce = () => channel.system('ok', 'Subscribed to PostgreSQL', 'postgres_changes');
  const subscribe = async (onLive = announce) => {
    const prepared = await prepareSubscriptions(
      subscriptions,
      claims,
      request.bindings.map(parseBinding).toReversed(),
    );
    if (isOver) return;
    await delivery.subscribe(channel, prepared.toReversed(), () => {
      if (isOver) delivery.unsubscribe(channel);
      else onLive();
    });
  };
  const subscribeAfter = (delayMs: number) => {
    cancelSubscribe();
    const begin = () => {
      subscribing = subscribe().catch((error: unknown) => {
        if (isOver) return;
        const message = error instanceof SubscriptionRefused ? error.message : `:error ${String(error)}`;
        channel.system('error', message, 'postgres_changes');
      });
    };
    if (delayMs > 0) cancelSubscribe = timers.after(delayMs, begin);
    else begin();
  };
  const readyDelayMs = () => settings().readyDelayMs + delivery.warmUpMs();
  const resubscribeDelayMs = () => {
    const { resubscribeDelayMs: leastMs, resubscribeJitterMs: jitterMs } = settings();
    return leastMs + Math.floor(random() * jitterMs);
  };

  const watchToken = () => {
    cancelTokenCheck();
    const leftMs = Math.max(0, claims.exp * 1000 - now());
    cancelTokenCheck = timers.after(Math.min(TOKEN_CHECK_MS, leftMs), () => void channel.checkToken());
  };
  const evaluate = () => services.permissions(claims, name, request.isPrivate);
  const mayWrite = () =>
    (write ??= evaluate().then(({ broadcast, presence }) => ({
      broadcast: broadcast.write,
      presence: presence.write,
    })));
  /** The message of the shutdown that new permissions cause; null if the channel stays open. */
  const applyReadPermissions = async (): Promise<string | null> => {
    const allowed = await evaluate();
    const presence = isPresenceEnabled ? allowed.presence.read : null;
    if (!allowed.broadcast.read && presence !== true) return unreadableMessage(name);
    const isRevoked =
      (read.broadcast && !allowed.broadcast.read) || (read.presence === true && presence === false);
    read = { broadcast: allowed.broadcast.read, presence };
    return isRevoked ? revokedMessage(name) : null;
  };
  /** Applies a new token, or shuts the channel down. */
  const adopt = async (candidate: string): Promise<boolean> => {
    const checked = await services.checkToken(candidate);
    if (isOver) return false;
    if (!checked.ok) {
      shutDown(checked.shutdown);
      return false;
    }
    ({ claims } = checked);
    token = candidate;
    write = null;
    const refusal = await applyReadPermissions();
    if (refusal !== null) shutDown(refusal);
    if (isOver) return false;
    watchToken();
    return true;
  };

  const throttle = createTokenThrottle({
    now,
    timers,
    throttleMs: () => settings().accessTokenThrottleMs,
    async verify(candidate) {
      if ((await adopt(candidate)) && request.bindings.length > 0) subscribeAfter(resubscribeDelayMs());
    },
  });

  const broadcast = async ({ ref, payload, broadcast: userBroadcast }: InboundFrame) => {
    // As on the real server, a broadcast without permission gets no reply.
    if (!(await mayWrite()).broadcast || isOver) return;
    messages.add();
    const measured = userBroadcast
      ? [userBroadcast.event, userBroadcast.encoding, userBroadcast.data, {}]
      : payload;
    if (exceedsPayloadLimit(measured, settings().maxPayloadKb)) {
      if (request.acknowledgesBroadcast) reply(ref, 'error', 'payload_size_exceeded');
      return;
    }
    const persistence = userBroadcast?.persistence ?? null;
    if (userBroadcast && persistence && !request.isPrivate) {
      if (request.acknowledgesBroadcast) reply(ref, 'error', { error: 'persist_requires_private_channel' });
      return;
    }
    const id =
      userBroadcast && persistence
        ? await services.stored.store(toStorable(name, userBroadcast), persistence)
        : undefined;
    if (id === null) {
      if (request.acknowledgesBroadcast) reply(ref, 'error', { error: 'persist_failed' });
      return;
    }
    const content = userBroadcast
      ? { ...userBroadcast, ...(id !== undefined && { id }) }
      : JSON.stringify(payload);
    rooms.broadcast(room, { id, content }, request.receivesOwnBroadcasts ? undefined : channel);
    if (request.acknowledgesBroadcast && !isOver) reply(ref, 'ok');
  };
  const presence = async ({ ref, payload }: InboundFrame) => {
    const decision = await decidePresence(payload, {
      settings: settings(),
      mayWrite: async () => (await mayWrite()).presence,
      isRateExceeded: () => presenceEvents.average > settings().maxPresenceEventsPerSecond,
      tracked,
      takeCall: takePresenceCall,
    });
    if (isOver) return;
    switch (decision.do) {
      case 'shutDown':
        return shutDown(decision.message);
      case 'crash':
        return channel.close('phx_error');
      case 'refuse':
        return reply(ref, 'error', decision.reason === undefined ? {} : { reason: decision.reason });
      case 'nothing':
        return reply(ref, 'ok');
      case 'untrack':
        tracked = null;
        rooms.untrack(room, channel);
        return reply(ref, 'ok');
      case 'track':
        presenceEvents.add();
        // Tracking enables presence even if the join did not; evaluate the permission to read it now.
        if (read.presence === null) read = { ...read, presence: (await evaluate()).presence.read };
        isPresenceEnabled = true;
        tracked = decision.payload;
        rooms.track(room, channel, request.presenceKey, decision.payload);
        return reply(ref, 'ok');
    }
  };
  const accessToken = async ({ payload }: InboundFrame) => {
    const candidate = isRecord(payload) ? payload['access_token'] : undefined;
    if (typeof candidate !== 'string' || candidate === token || candidate.startsWith('sb_')) return;
    await throttle.push(candidate);
  };
  const handlers: Record<string, (frame: InboundFrame) => Promise<void> | void> = {
    phx_leave({ ref }) {
      reply(ref, 'ok');
      channel.close();
    },
    access_token: accessToken,
    broadcast,
    presence,
  };

  const channel: Channel = {
    topic,
    joinRef,
    bindingEcho: request.bindings.map((params) => ({ ...params, id: bindingId(params) })),
    sendChange(ids, data) {
      if (request.isLegacy) push(/"type":"([A-Z]+)"/.exec(data)?.[1] ?? 'postgres_changes', data);
      else push('postgres_changes', `{"ids":${JSON.stringify(ids)},"data":${data}}`);
    },
    receiveBroadcast({ id, content }) {
      if (!read.broadcast || (id !== undefined && replayedIds.has(id))) return;
      if (typeof content === 'string') push('broadcast', content);
      else socket.sendBroadcast(topic, content);
      messages.add();
      if (messages.isExceeded) shutDown('Too many messages per second');
    },
    receivePresenceDiff(payload) {
      if (read.presence !== true) return;
      presenceEvents.add();
      push('presence_diff', payload);
    },
    async establish() {
      const { subscriptionWaitMs, bindings } = request;
      if (subscriptionWaitMs === null || bindings.length === 0) return null;
      const waitMs = Math.min(subscriptionWaitMs, settings().maxSubscriptionWaitMs);
      const refusal = await holdJoin({ timers, waitMs, delayMs: readyDelayMs(), subscribe });
      isEstablished = refusal === null;
      return refusal;
    },
    start() {
      messages.start();
      presenceEvents.start();
      rooms.enter(room, channel);
      watchToken();
      for (const message of replayed) {
        const { id, event, bytes } = message;
        if (bytes) socket.sendBroadcast(topic, { event, encoding: 'binary', data: bytes, id });
        else pushOwn('broadcast', replayPayload(message));
      }
      if (isPresenceEnabled && read.presence === true) {
        presenceEvents.add();
        pushOwn('presence_state', rooms.presenceState(room));
      }
      services.replicate(() => {
        if (request.asksForReplication && !isOver) channel.system('ok', 'Replication connection established');
      });
      if (isEstablished) announce();
      else if (request.bindings.length > 0) subscribeAfter(readyDelayMs());
    },
    async handle(frame) {
      await subscribing;
      if (!isOver && Object.hasOwn(handlers, frame.event)) await handlers[frame.event]?.(frame);
    },
    renew({ isDelayed } = { isDelayed: false }) {
      if (request.bindings.length > 0) subscribeAfter(isDelayed ? resubscribeDelayMs() : 0);
    },
    async checkToken() {
      if (await throttle.release()) return;
      const checked = await services.checkToken(token);
      if (isOver) return;
      if (!checked.ok) return shutDown(checked.shutdown);
      ({ claims } = checked);
      watchToken();
    },
    expire: () => shutDown(expiredMessage(0)),
    system(status, message, extension = 'system') {
      pushOwn('system', JSON.stringify({ channel: name, extension, message, status }));
    },
    dispose() {
      isOver = true;
      cancelTokenCheck();
      throttle.stop();
      cancelSubscribe();
      delivery.unsubscribe(channel);
      rooms.leave(room, channel);
      socket.forget(channel);
    },
    close(event = 'phx_close') {
      if (isOver) return;
      channel.dispose();
      socket.send({ joinRef, ref: joinRef, topic, event, payload: '{}' });
    },
  };
  return channel;
}
