import { SubscriptionRefused, bindingId, parseBinding } from '../subscription/bindings.ts';
import type { Delivery } from '../changes/delivery.ts';
import type { JoinRequest } from './join-request.ts';
import { unreadableMessage } from './permissions.ts';
import type { AskPermissions, TopicPermissions } from './permissions.ts';
import type { RateCounter } from '../rate-counter.ts';
import { roomName } from './rooms.ts';
import type { Member, Rooms } from './rooms.ts';
import type { RealtimeSettings } from '../settings.ts';
import type { Subscriber } from '../changes/subscribers.ts';
import { prepareSubscriptions } from '../subscription/subscription.ts';
import type { SubscriptionContext } from '../subscription/subscription.ts';
import type { Timers } from '../timers.ts';
import { expiredMessage } from './tokens.ts';
import type { ChannelClaims, CheckToken } from './tokens.ts';
import { isRecord } from '../socket/wire.ts';
import type { InboundFrame, OutboundFrame, Ref, UserBroadcast } from '../socket/wire.ts';

/** What channels share. */
export interface ChannelServices {
  readonly settings: () => RealtimeSettings;
  readonly now: () => number;
  readonly timers: Timers;
  readonly checkToken: CheckToken;
  readonly permissions: AskPermissions;
  readonly delivery: Delivery;
  readonly subscriptions: SubscriptionContext;
  readonly rooms: Rooms;
  readonly messages: RateCounter;
}

/** The socket that a channel speaks through. */
export interface ChannelSocket {
  send(frame: OutboundFrame): void;
  sendBroadcast(topic: string, broadcast: UserBroadcast): void;
  /** The channel is over; the socket forgets it. */
  forget(channel: Channel): void;
}

/** A joined channel. */
export interface Channel extends Subscriber, Member {
  readonly topic: string;
  readonly joinRef: Ref;
  readonly bindingEcho: readonly Record<string, unknown>[];
  /**
   * Goes live: `reply` answers the join, before the subscription or, if the join asked to wait, when it is live.
   * Rejects with `SubscriptionRefused`, or a timeout, only in the second case.
   */
  start(reply: () => void): Promise<void>;
  handle(frame: InboundFrame): Promise<void>;
  /** Subscribes again, if there is a live subscription. */
  renew(): void;
  /** Looks again whether the token is still good. */
  checkToken(): Promise<void>;
  /** Ends the channel as an expired token does. */
  expire(): void;
  system(status: 'ok' | 'error', message: string, extension?: 'system' | 'postgres_changes'): void;
  /** Ends without a word to the client. */
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
  readonly permissions: TopicPermissions;
}

/** The real server looks at a token at least this often. */
const TOKEN_CHECK_MS = 300_000;

export function createChannel(services: ChannelServices, options: ChannelOptions): Channel {
  const { settings, now, timers, delivery, rooms, subscriptions, messages } = services;
  const { socket, topic, name, joinRef, request } = options;
  const room = roomName(name, request.isPrivate);
  let { token, claims, permissions } = options;
  let over = false;
  let live = false;
  let cancelTokenCheck = () => {};
  let cancelSubscribe = () => {};
  let presenceCalls: { count: number; until: number } = { count: 0, until: 0 };

  const push = (event: string, payload: string) => socket.send({ topic, event, payload });
  const pushOwn = (event: string, payload: object) =>
    socket.send({ joinRef, topic, event, payload: JSON.stringify(payload) });
  const reply = (ref: Ref, status: 'ok' | 'error', response: object = {}) =>
    socket.send({ joinRef, ref, topic, event: 'phx_reply', payload: JSON.stringify({ status, response }) });

  const subscribe = async (onLive = () => {}) => {
    const prepared = await prepareSubscriptions(
      subscriptions,
      claims,
      request.bindings.map(parseBinding).toReversed(),
    );
    if (over) return;
    await delivery.subscribe(channel, prepared.toReversed(), () => {
      if (over) return delivery.unsubscribe(channel);
      live = true;
      onLive();
      channel.system('ok', 'Subscribed to PostgreSQL', 'postgres_changes');
    });
  };
  const subscribeLater = (delayMs: number) => {
    cancelSubscribe();
    const begin = () => {
      subscribe().catch((error: unknown) => {
        if (over) return;
        const message = error instanceof SubscriptionRefused ? error.message : `:error ${String(error)}`;
        channel.system('error', message, 'postgres_changes');
      });
    };
    if (delayMs > 0) cancelSubscribe = timers.after(delayMs, begin);
    else begin();
  };

  const watchToken = () => {
    cancelTokenCheck();
    const leftMs = Math.max(0, claims.exp * 1000 - now());
    cancelTokenCheck = timers.after(Math.min(TOKEN_CHECK_MS, leftMs), () => void channel.checkToken());
  };
  const shutdown = (message: string) => {
    if (over) return;
    channel.system('error', message);
    channel.close();
  };
  /** Takes a token on, or ends the channel. */
  const adopt = async (candidate: string): Promise<boolean> => {
    const checked = await services.checkToken(candidate);
    if (over) return false;
    if (!checked.ok) {
      shutdown(checked.code === 'JwtSignatureError' ? ':signature_error' : checked.message);
      return false;
    }
    const allowed = await services.permissions(checked.claims, name, request.isPrivate);
    if (over) return false;
    if (!allowed.broadcast.read) {
      shutdown(unreadableMessage(name));
      return false;
    }
    ({ claims } = checked);
    permissions = allowed;
    token = candidate;
    watchToken();
    return true;
  };

  const handlers: Record<string, (frame: InboundFrame) => Promise<void> | void> = {
    phx_leave({ ref }) {
      reply(ref, 'ok');
      channel.close();
    },
    async access_token({ payload }) {
      const candidate = payload['access_token'];
      if (typeof candidate !== 'string' || candidate === token || candidate.startsWith('sb_')) return;
      if ((await adopt(candidate)) && request.bindings.length > 0)
        subscribeLater(settings().resubscribeDelayMs);
    },
    broadcast({ ref, payload, broadcast }) {
      // As on the real server, what may not be sent is not answered either.
      if (!permissions.broadcast.write) return;
      if (!messages.take()) return shutdown('Too many messages per second');
      rooms.broadcast(room, broadcast ?? JSON.stringify(payload), request.hearsItself ? undefined : channel);
      if (request.acknowledgesBroadcast) reply(ref, 'ok');
    },
    presence({ ref, payload }) {
      if (!permissions.presence.write) return reply(ref, 'error');
      if (!takePresenceCall()) return shutdown('Client presence rate limit exceeded');
      const tracked = payload['payload'] ?? {};
      const event = String(payload['event']).toLowerCase();
      if (event === 'untrack') rooms.untrack(room, channel);
      else if (event !== 'track') return reply(ref, 'error');
      else if (!isRecord(tracked)) {
        return reply(ref, 'error', { reason: 'Presence track payload must be a map' });
      } else rooms.track(room, channel, request.presenceKey, tracked);
      reply(ref, 'ok');
    },
  };
  const takePresenceCall = (): boolean => {
    if (now() > presenceCalls.until) presenceCalls = { count: 0, until: now() + settings().presenceWindowMs };
    presenceCalls.count += 1;
    return presenceCalls.count <= settings().maxPresenceCalls;
  };

  const channel: Channel = {
    topic,
    joinRef,
    bindingEcho: request.isLegacy
      ? []
      : request.bindings.map((params) => ({ ...params, id: bindingId(params) })),
    push,
    pushBroadcast: (broadcast) => socket.sendBroadcast(topic, broadcast),
    sendChange(ids, data) {
      if (request.isLegacy) push(/"type":"([A-Z]+)"/.exec(data)?.[1] ?? 'postgres_changes', data);
      else push('postgres_changes', `{"ids":${JSON.stringify(ids)},"data":${data}}`);
    },
    async start(reply) {
      const isSubscribing = request.bindings.length > 0;
      if (request.waitMs !== null && isSubscribing)
        await withDeadline(timers, request.waitMs, subscribe(reply));
      else reply();
      if (over) return;
      rooms.enter(room, channel);
      watchToken();
      if (request.presenceEnabled && permissions.presence.read)
        push('presence_state', rooms.presenceState(room));
      if (request.asksForReplication) channel.system('ok', 'Replication connection established');
      if (request.waitMs === null && isSubscribing) subscribeLater(settings().readyDelayMs);
    },
    async handle(frame) {
      if (!over && Object.hasOwn(handlers, frame.event)) await handlers[frame.event]?.(frame);
    },
    renew() {
      if (live) subscribeLater(0);
    },
    async checkToken() {
      await adopt(token);
    },
    expire: () => shutdown(expiredMessage(0)),
    system(status, message, extension = 'system') {
      pushOwn('system', { channel: name, extension, message, status });
    },
    dispose() {
      over = true;
      cancelTokenCheck();
      cancelSubscribe();
      delivery.unsubscribe(channel);
      rooms.leave(room, channel);
      socket.forget(channel);
    },
    close(event = 'phx_close') {
      channel.dispose();
      socket.send({ joinRef, ref: joinRef, topic, event, payload: '{}' });
    },
  };
  return channel;
}

export class SubscribeTimeout extends Error {
  override name = 'SubscribeTimeout';
}

function withDeadline(timers: Timers, deadlineMs: number, task: Promise<void>): Promise<void> {
  return new Promise((resolve, reject) => {
    const cancel = timers.after(deadlineMs, () =>
      reject(
        new SubscribeTimeout(`Timed out after ${deadlineMs}ms waiting for the postgres_changes subscription`),
      ),
    );
    task.then(resolve, reject).finally(cancel);
  });
}
