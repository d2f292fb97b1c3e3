import {
  initialChannel,
  isJoined,
  isOnTopic,
  stepChannel,
  type ChannelEffect,
  type ChannelEvent,
  type ChannelState,
  type Confirmation,
} from './channel-state.ts';
import type { ChannelSnapshot, ConnectOptions, Topic, TopicSink } from '../socket/connection.ts';
import type { JoiningTopic } from '../socket/joins-state.ts';
import type { WaitingData } from '../socket/waiting-data.ts';
import type { TokenSource } from '../socket/token-source.ts';
import { defaultJoinConfig, encodeConfig, type JoinConfig } from '../protocol/join-config.ts';
import { classifyRefusal, type Refusal } from '../protocol/refusal.ts';
import { createMachine } from '../machine/machine.ts';
import type { Bindings } from '../protocol/change.ts';
import type { ChangeReceiver } from '../protocol/protocol-parts.ts';
import { createPushes } from '../socket/push.ts';
import type { ReconnectingSocket } from '../socket/socket.ts';
import { isRecord } from '../json.ts';
import type { Message } from '../protocol/message.ts';

export interface OwnTopic extends Topic, JoiningTopic {
  readonly state: ChannelState;
  /** How long the server may hold its reply to a join that is in flight, in milliseconds; 0 without one. */
  readonly holdMs: number;
  /**
   * @param frame the frame as it arrived.
   * @returns false if the message is of an unknown kind.
   */
  receive(message: Message, frame: unknown): boolean;
  receiveHeartbeat(ref: string | null): void;
  /** Passes an event to the state machine. */
  step(event: ChannelEvent): void;
  /** The user changed: drops what is queued to be sent or delivered. */
  discard(): void;
}

/** The connection's side of a topic: shared state and callbacks. */
export interface TopicOwner {
  readonly socket: ReconnectingSocket;
  readonly tokens: TokenSource;
  readonly waiting: Pick<WaitingData, 'claim' | 'adopt'>;
  /** Whether the server is known to allow no further topic. */
  isFull(): boolean;
  /** The server refused a join, possibly one that was left since. */
  onRefused(refusal: Refusal): void;
  onStep(state: ChannelState, before: ChannelState): void;
  /** Called before the sink's. */
  onStatus(snapshot: ChannelSnapshot): void;
}

/** @param topic the channel's name with its prefix. */
export function createOwnTopic(
  topic: string,
  sink: TopicSink,
  { platform, settings, parts }: ConnectOptions,
  owner: TopicOwner,
): OwnTopic {
  const { socket, tokens } = owner;
  const { clock } = platform;
  let wanted: Bindings = new Map();
  let joinedWith: Bindings = new Map();
  let config: JoinConfig = defaultJoinConfig;
  let joinedConfig = '';
  /** Null while the channel is not on its topic. */
  let joinRef: string | null = null;
  /** The ref of the probe heartbeat; its reply shows that an earlier reply is lost. */
  let probeRef = '';
  /** The ref of a join whose reply is late; it may still be refused. */
  let abandonedRef: string | null = null;
  /** Created by the first join with bindings, because features install their part after the topic was opened. */
  let changes: ChangeReceiver | undefined;
  let lastRequest = 0;

  const push = (event: string, payload: unknown) => socket.send({ joinRef, topic, event, payload });
  const holdMs = () => (wanted.size > 0 ? (config.subscriptionWaitMs ?? 0) : 0);
  const isReady = () => isJoined(machine.state);
  const failure = () => describe(machine.state, config.private).error;
  const pushes = createPushes({ clock, settings, isReady, failure, send: push });

  const authorize = async () => {
    // Only the latest token request counts; an earlier one is superseded.
    lastRequest += 1;
    const request = lastRequest;
    let event: ChannelEvent = { kind: 'tokenError' };
    try {
      const token = await tokens.request();
      const confirmations: Confirmation[] = [];
      if (wanted.size > 0) confirmations.push('subscription');
      if (config.replicationReady) confirmations.push('replication');
      event = tokens.isRefused(token)
        ? { kind: 'refused', refusal: 'token', reason: 'The server has refused this access token' }
        : { kind: 'token', token, holdMs: holdMs(), confirmations };
    } catch (problem) {
      platform.report(problem);
    }
    if (request === lastRequest) machine.send(event);
  };
  const join = () => {
    if (owner.isFull())
      return machine.send({ kind: 'refused', refusal: 'channel-limit', reason: 'ChannelRateLimitReached' });
    joinedWith = wanted;
    joinRef = socket.nextRef();
    joinedConfig = JSON.stringify(config);
    changes ??= parts.postgresChanges?.createReceiver(sink, clock);
    const bindings = parts.postgresChanges?.encode(joinedWith) ?? [];
    const { token, lostAtMs } = machine.state;
    owner.waiting.adopt(token ?? null);
    const encoded = encodeConfig(config, bindings, lostAtMs);
    const payload = { config: encoded, ...(token !== null && { access_token: token }) };
    socket.send({ joinRef, ref: joinRef, topic, event: 'phx_join', payload });
    return undefined;
  };
  const run = (effect: Exclude<ChannelEffect, { do: 'wait' }>) => {
    switch (effect.do) {
      case 'authorize':
        return void authorize();
      case 'rejectToken':
        return tokens.reject(machine.state.token, effect.isFinal);
      case 'join':
        return join();
      case 'probe':
        probeRef = socket.probe();
        return undefined;
      case 'leave':
        push('phx_leave', {});
        abandonedRef = joinRef;
        return undefined;
      case 'pushToken':
        return void push('access_token', { access_token: machine.state.token });
      case 'gap':
        return sink.onGap({ continuity: 'lost', sinceMs: effect.sinceMs, reason: effect.reason });
    }
  };
  const machine = createMachine<ChannelState, ChannelEvent, Exclude<ChannelEffect, { do: 'wait' }>>({
    initial: initialChannel,
    step: (state, event, nowMs) => stepChannel(state, event, { nowMs, wallMs: clock.now(), settings }),
    run,
    platform,
    jitter: settings.jitter,
    onStep(state, before) {
      if (!isOnTopic(state)) joinRef = null;
      owner.onStep(state, before);
      const snapshot = describe(state, config.private);
      if (snapshot.status !== describe(before, config.private).status) {
        owner.onStatus(snapshot);
        sink.onStatus(snapshot);
        pushes.fail();
      }
      if (isReady()) pushes.flush();
    },
  });

  const fail = (reason: string, ofSubscription: boolean) =>
    machine.send({ kind: 'systemError', refusal: classifyRefusal(reason, ofSubscription), reason });
  const refuse = (reason: string) => {
    const refusal = classifyRefusal(reason, false);
    owner.onRefused(refusal);
    // The server may still count a channel that is being left.
    const isLeaving = refusal === 'channel-limit' && !owner.isFull();
    machine.send({ kind: 'refused', refusal: isLeaving ? 'retry' : refusal, reason });
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
    return machine.send({ kind: 'accepted' });
  };
  const receiveSystem = (payload: unknown) => {
    if (!isRecord(payload)) return false;
    const ofSubscription = payload['extension'] === 'postgres_changes';
    if (payload['status'] !== 'ok') fail(String(payload['message']), ofSubscription);
    else if (ofSubscription || payload['message'] === replicationMessage)
      machine.send({ kind: 'confirmed', confirmation: ofSubscription ? 'subscription' : 'replication' });
    return true;
  };
  return {
    topic,
    get state() {
      return machine.state;
    },
    get isPrivate() {
      return config.private;
    },
    get holdMs() {
      return machine.state.kind === 'joining' ? holdMs() : 0;
    },
    want(bindings, nextConfig) {
      if (!bindings) {
        pushes.close();
        return machine.send({ kind: 'leave' });
      }
      wanted = bindings;
      config = nextConfig;
      machine.send({ kind: 'join' });
      const isCovered = [...bindings.keys()].every((key) => joinedWith.has(key));
      if (!isCovered || joinedConfig !== JSON.stringify(config)) machine.send({ kind: 'rejoin' });
    },
    push(event, payload) {
      if (!isReady()) owner.waiting.claim();
      return pushes.push(event, payload);
    },
    claim: owner.waiting.claim,
    discard() {
      pushes.discard();
      sink.onDiscard();
    },
    send(event, payload) {
      if (isReady()) push(event, payload);
    },
    step: machine.send,
    receiveHeartbeat(ref) {
      if (ref === probeRef) machine.send({ kind: 'heartbeat' });
    },
    receive(message, frame) {
      const { event, ref, payload } = message;
      if (event === 'phx_reply' && ref !== null && ref === abandonedRef) {
        // A join that timed out may still be refused: the refusal counts, or the channel would rejoin forever.
        abandonedRef = null;
        const reason = refusalOf(payload);
        if (reason !== null) refuse(reason);
        return true;
      }
      const isStale = message.joinRef !== null && message.joinRef !== joinRef;
      if (isStale || joinRef === null) return true;
      switch (event) {
        case 'phx_reply':
          receiveReply(message);
          return true;
        case 'phx_close':
        case 'phx_error':
          // In version 1.0.0 a close during an unanswered join belongs to the previous join.
          if (event === 'phx_error' || message.joinRef !== null || machine.state.kind !== 'joining')
            machine.send({ kind: 'ended' });
          return true;
        case 'system':
          return receiveSystem(payload);
        case 'postgres_changes':
          return !changes || !isReady() || changes.receive(payload, String(frame));
        case 'broadcast':
        case 'presence_state':
        case 'presence_diff':
          if (isReady()) sink.onMessage(event, payload);
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
