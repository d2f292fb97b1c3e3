import type { Platform, Timer } from '../../platform/platform.ts';
import { backoffDelayMs } from '../../platform/backoff.ts';
import {
  initialChannel,
  stepChannel,
  type ChannelEffect,
  type ChannelEvent,
  type ChannelState,
} from './channel-state.ts';
import type { ChannelSnapshot, Topic, TopicSink } from '../socket/connection.ts';
import type { JoinQueue } from '../socket/join-queue.ts';
import type { TokenSource } from '../socket/token-source.ts';
import { defaultJoinConfig, encodeConfig, type JoinConfig } from '../protocol/join-config.ts';
import { classifyRefusal } from '../protocol/refusal.ts';
import { createMachine } from '../machine/machine.ts';
import type { Bindings } from '../protocol/change.ts';
import type { ChangeReceiver, ProtocolParts } from '../protocol/protocol-parts.ts';
import { createPushes } from '../socket/push.ts';
import type { RealtimeSettings } from '../settings.ts';
import type { ReconnectingSocket } from '../socket/socket.ts';
import { isRecord } from '../json.ts';
import type { Message } from '../protocol/message.ts';

/** A topic on this tab's own socket. */
export interface OwnTopic extends Topic {
  /** Whether the topic needs the socket: it is joined, or will join by itself. */
  readonly isWanted: boolean;
  /** Whether the channel failed because the socket carries as many channels as the server allows. */
  readonly isOverLimit: boolean;
  /** How long the server may hold its reply to a join that is in flight, in milliseconds; 0 without one. */
  readonly holdMs: number;
  /**
   * @param frame the frame as it arrived.
   * @returns false if the message is of an unknown kind.
   */
  receive(message: Message, frame: unknown): boolean;
  /** The server answered the heartbeat with this ref. */
  receiveHeartbeat(ref: string): void;
  /** Passes an event to the state machine. */
  step(event: ChannelEvent): void;
}

export interface OwnTopicOptions {
  readonly name: string;
  readonly socket: ReconnectingSocket;
  readonly platform: Platform;
  readonly settings: RealtimeSettings;
  readonly queue: JoinQueue;
  readonly tokens: TokenSource;
  readonly sink: TopicSink;
  readonly parts: ProtocolParts;
}

export function createOwnTopic({
  name,
  socket,
  platform,
  settings,
  queue,
  tokens,
  sink,
  parts,
}: OwnTopicOptions): OwnTopic {
  const { clock } = platform;
  const topic = `realtime:${name}`;
  let wanted: Bindings = new Map();
  let joinedWith: Bindings = new Map();
  let config: JoinConfig = defaultJoinConfig;
  let joinedConfig = '';
  let joinRef: string | null = null;
  /** The confirmations by `system` messages that are outstanding since the last join. */
  const unconfirmed = new Set<'subscription' | 'replication'>();
  let replicationTimer: Timer | undefined;
  /** Whether the server has confirmed the replication of an earlier join: an older server never does. */
  let isReplicationKnown = false;
  /** The refs of the heartbeats whose answers show that the server has sent nothing else. */
  let probeRef: string | null = null;
  let replicationProbeRef: string | null = null;
  /** The ref of a join that was given up; its refusal may arrive later. */
  let abandonedRef: string | null = null;
  /** Created by the first join with bindings, because features install their part after the topic was opened. */
  let changes: ChangeReceiver | undefined;

  const push = (event: string, payload: unknown) => socket.send({ joinRef, topic, event, payload });
  const holdMs = () => (wanted.size > 0 ? (config.subscriptionWaitMs ?? 0) : 0);
  const isJoined = () => machine.state.kind === 'joined' || machine.state.kind === 'live';
  const pushes = createPushes({ clock, settings, isReady: isJoined, send: push });

  const authorize = async () => {
    // Only the latest token request counts; an earlier one is superseded.
    lastRequest += 1;
    const request = lastRequest;
    let event: ChannelEvent = { kind: 'tokenError' };
    try {
      const token = await tokens.request();
      event = tokens.isRefused(token)
        ? { kind: 'refused', reason: 'The server has refused this access token' }
        : { kind: 'token', token, holdMs: holdMs() };
    } catch (problem) {
      platform.report(problem);
    }
    if (request === lastRequest) machine.send(event);
  };
  let lastRequest = 0;

  const run = (effect: Exclude<ChannelEffect, { do: 'wait' }>) => {
    switch (effect.do) {
      case 'enqueue':
        joinRef = null;
        queue.release(topic);
        return queue.request(topic, config.private, () => machine.send({ kind: 'turn' }));
      case 'authorize':
        return void authorize();
      case 'rejectToken':
        return tokens.reject(effect.token, effect.isFinal);
      case 'discard':
        return sink.onDiscard();
      case 'join':
        return join(effect.token);
      case 'probe':
        probeRef = socket.probe();
        return undefined;
      case 'leave':
        push('phx_leave', {});
        abandonedRef = joinRef;
        joinRef = null;
        return undefined;
      case 'pushToken':
        return void push('access_token', { access_token: effect.token });
      case 'gap':
        return sink.onGap({ continuity: 'lost', sinceMs: effect.sinceMs, reason: effect.reason });
    }
  };
  const join = (token: string | null) => {
    if (queue.room === 0) return machine.send({ kind: 'refused', reason: 'ChannelRateLimitReached' });
    joinedWith = wanted;
    joinRef = socket.nextRef();
    joinedConfig = JSON.stringify(config);
    unconfirmed.clear();
    if (joinedWith.size > 0) unconfirmed.add('subscription');
    if (config.replicationReady) unconfirmed.add('replication');
    changes ??= parts.postgresChanges?.createReceiver(sink, clock);
    const bindings = parts.postgresChanges?.encode(joinedWith) ?? [];
    const encoded = encodeConfig(config, bindings, machine.state.lostAtMs);
    const payload = { config: encoded, ...(token !== null && { access_token: token }) };
    socket.send({ joinRef, ref: joinRef, topic, event: 'phx_join', payload });
    return undefined;
  };

  const machine = createMachine<ChannelState, ChannelEvent, Exclude<ChannelEffect, { do: 'wait' }>>({
    initial: { ...initialChannel, online: socket.isOpen },
    step: (state, event, nowMs) => stepChannel(state, event, nowMs, settings),
    run,
    clock,
    jitter: (delayMs) =>
      backoffDelayMs(1, { delaysMs: [delayMs], jitter: settings.jitter }, platform.random.number()),
    report: platform.report,
    onStep(state, before) {
      const { kind } = state;
      if (kind === 'joined' || kind === 'live') queue.accepted(topic);
      else queue.left(topic);
      if (kind !== 'queued' && kind !== 'authorizing' && kind !== 'joining') queue.release(topic);
      if (!isJoined()) endReplicationWait();
      const snapshot = describe(state, config.private);
      if (snapshot.status !== describe(before, config.private).status) sink.onStatus(snapshot);
      if (isJoined()) pushes.flush();
    },
  });

  const fail = (reason: string, ofSubscription: boolean) =>
    machine.send({ kind: 'systemError', reason, ofSubscription, wallMs: clock.now() });
  const refuse = (reason: string) => {
    queue.refused(topic, classifyRefusal(reason, false));
    machine.send({ kind: 'refused', reason, isLeaving: reason.startsWith('Channel') && queue.room > 0 });
  };
  const endReplicationWait = () => {
    replicationTimer?.cancel();
    replicationProbeRef = null;
  };
  const receiveReply = ({ ref, payload }: Message) => {
    const response: unknown = isRecord(payload) ? payload['response'] : null;
    const reason = refusalOf(payload);
    if (ref !== joinRef)
      return pushes.reply(
        ref,
        response,
        reason === null ? null : { code: 'push-refused', message: `The server refused the push: ${reason}` },
      );
    if (reason !== null) return refuse(reason);
    tokens.accepted();
    if (changes && !changes.accept(joinedWith, response)) return fail('The reply lacks a binding', true);
    if (unconfirmed.has('replication') && !isReplicationKnown)
      replicationTimer = clock.setTimer(
        () => (replicationProbeRef = socket.probe()),
        settings.replicationTimeoutMs,
      );
    machine.send({ kind: 'accepted', confirms: unconfirmed.size === 0, wallMs: clock.now() });
  };
  /** A join that timed out may still be refused: the refusal counts, or the channel would rejoin forever. */
  const receiveLateReply = (message: Message) => {
    abandonedRef = null;
    const reason = refusalOf(message.payload);
    if (reason !== null) refuse(reason);
    return true;
  };
  /** A repeated confirmation reaches the machine again: changes may have been lost before it. */
  const confirm = (part: 'subscription' | 'replication') => {
    if (part === 'replication') endReplicationWait();
    unconfirmed.delete(part);
    if (unconfirmed.size === 0) machine.send({ kind: 'subscribed', wallMs: clock.now() });
  };
  const receiveSystem = (payload: unknown) => {
    if (!isRecord(payload)) return false;
    const ofSubscription = payload['extension'] === 'postgres_changes';
    if (payload['status'] !== 'ok') fail(String(payload['message']), ofSubscription);
    else if (ofSubscription) confirm('subscription');
    else if (payload['message'] === replicationMessage) {
      isReplicationKnown = true;
      confirm('replication');
    }
    return true;
  };
  return {
    get isWanted() {
      return machine.state.kind !== 'idle' && machine.state.kind !== 'failed';
    },
    get isOverLimit() {
      return machine.state.kind === 'failed' && machine.state.code === 'channel-limit';
    },
    get holdMs() {
      return machine.state.kind === 'joining' ? holdMs() : 0;
    },
    want(bindings, nextConfig) {
      if (!bindings) {
        pushes.close();
        return machine.send({ kind: 'leave', wallMs: clock.now() });
      }
      wanted = bindings;
      config = nextConfig;
      machine.send({ kind: 'join' });
      const isCovered = [...bindings.keys()].every((key) => joinedWith.has(key));
      if (!isCovered || joinedConfig !== JSON.stringify(config))
        machine.send({ kind: 'rejoin', wallMs: clock.now() });
    },
    push: pushes.push,
    send(event, payload) {
      if (isJoined()) push(event, payload);
    },
    step: machine.send,
    receiveHeartbeat(ref) {
      if (ref === probeRef) machine.send({ kind: 'heartbeat' });
      if (ref === replicationProbeRef) confirm('replication');
    },
    receive(message, frame) {
      if (message.event === 'phx_reply' && message.ref !== null && message.ref === abandonedRef)
        return receiveLateReply(message);
      const isStale = message.joinRef !== null && message.joinRef !== joinRef;
      if (isStale || joinRef === null) return true;
      switch (message.event) {
        case 'phx_reply':
          receiveReply(message);
          return true;
        case 'phx_close':
        case 'phx_error':
          // In version 1.0.0 a close during an unanswered join belongs to the previous join.
          if (message.event === 'phx_error' || message.joinRef !== null || machine.state.kind !== 'joining')
            machine.send({ kind: 'ended', wallMs: clock.now() });
          return true;
        case 'system':
          return receiveSystem(message.payload);
        case 'postgres_changes':
          return !changes || !isJoined() || changes.receive(message.payload, String(frame));
        case 'broadcast':
        case 'presence_state':
        case 'presence_diff':
          if (isJoined()) sink.onMessage(message.event, message.payload);
          return true;
        default:
          return false;
      }
    },
  };
}

/** The message of the server, whose extension differs by version. */
const replicationMessage = 'Replication connection established';

/** The reason of a reply with an error; null for any other reply. */
function refusalOf(payload: unknown): string | null {
  const { status, response } = isRecord(payload) ? payload : {};
  if (status === 'ok') return null;
  const reason = isRecord(response) ? response['reason'] : response;
  return typeof reason === 'string' ? reason : 'no reason given';
}

const missingSelect = 'no policy on realtime.messages allows select';

function describe(state: ChannelState, isPrivate: boolean): ChannelSnapshot {
  const { kind } = state;
  const pending = state.wasLive ? 'recovering' : kind === 'joined' ? kind : 'connecting';
  const status = kind === 'idle' ? 'closed' : kind === 'live' || kind === 'failed' ? kind : pending;
  if (kind !== 'failed') return { status, error: null };
  const { code, message } = state;
  const missing = isPrivate && code === 'unauthorized' ? `${message} (${missingSelect})` : message;
  return { status, error: { code, message: missing } };
}
