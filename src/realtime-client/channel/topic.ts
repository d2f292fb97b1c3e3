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
import { createMachine, type Machine } from '../machine/machine.ts';
import type { Bindings } from '../protocol/change.ts';
import type { ChangeReceiver } from '../protocol/protocol-features.ts';
import { createPushes, type Pushes } from '../socket/push.ts';
import type { ReconnectingSocket } from '../socket/socket.ts';
import { isRecord } from '../json.ts';
import type { Message } from '../protocol/message.ts';

type RunEffect = Exclude<ChannelEffect, { type: 'wait' }>;

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

/** A channel over this tab's own socket. */
export class OwnTopic implements Topic, JoiningTopic {
  readonly topic: string;
  readonly #sink: TopicSink;
  readonly #options: ConnectOptions;
  readonly #owner: TopicOwner;
  readonly #machine: Machine<ChannelState, ChannelEvent>;
  readonly #pushes: Pushes;
  #wanted: Bindings = new Map();
  #joinedWith: Bindings = new Map();
  #config: JoinConfig = defaultJoinConfig;
  #joinedConfig = '';
  /** Null while the channel is not on its topic. */
  #joinRef: string | null = null;
  /** The ref of the probe heartbeat; its reply shows that an earlier reply is lost. */
  #probeRef = '';
  /** The ref of a join whose reply is late; it may still be refused. */
  #abandonedRef: string | null = null;
  /** Created by the first join with bindings, because features install their part after the topic was opened. */
  #changes: ChangeReceiver | undefined;
  #lastRequest = 0;

  /** @param topic the channel's name with its prefix. */
  constructor(topic: string, sink: TopicSink, options: ConnectOptions, owner: TopicOwner) {
    this.topic = topic;
    this.#sink = sink;
    this.#options = options;
    this.#owner = owner;
    const { platform, settings } = options;
    const { clock } = platform;
    this.#pushes = createPushes({
      clock,
      settings,
      isReady: () => this.#isReady,
      failure: () => this.#describe(this.state).error,
      send: (event, payload) => this.#push(event, payload),
    });
    this.#machine = createMachine<ChannelState, ChannelEvent, RunEffect>({
      initial: initialChannel,
      step: (state, event, nowMs) => stepChannel(state, event, { nowMs, wallMs: clock.now(), settings }),
      run: (effect) => this.#run(effect),
      platform,
      jitter: settings.jitter,
      onStep: (state, before) => this.#onStep(state, before),
    });
  }

  get state(): ChannelState {
    return this.#machine.state;
  }

  get isPrivate(): boolean {
    return this.#config.private;
  }

  /** How long the server may hold its reply to a join that is in flight, in milliseconds; 0 without one. */
  get holdMs(): number {
    return this.state.type === 'joining' ? this.#subscriptionWaitMs : 0;
  }

  want(bindings: Bindings | null, config: JoinConfig): void {
    if (!bindings) {
      this.#pushes.close();
      this.step({ type: 'leave' });
      return;
    }
    this.#wanted = bindings;
    this.#config = config;
    this.step({ type: 'join' });
    const isCovered = [...bindings.keys()].every((key) => this.#joinedWith.has(key));
    if (!isCovered || this.#joinedConfig !== JSON.stringify(config)) this.step({ type: 'rejoin' });
  }

  push(event: string, payload: unknown): Promise<unknown> {
    if (!this.#isReady) this.claim();
    return this.#pushes.push(event, payload);
  }

  claim(): void {
    this.#owner.waiting.claim();
  }

  /** The user changed: drops what is queued to be sent or delivered. */
  discard(): void {
    this.#pushes.discard();
    this.#sink.onDiscard();
  }

  send(event: string, payload: unknown): void {
    if (this.#isReady) this.#push(event, payload);
  }

  /** Passes an event to the state machine. */
  step(event: ChannelEvent): void {
    this.#machine.send(event);
  }

  receiveHeartbeat(ref: string | null): void {
    if (ref === this.#probeRef) this.step({ type: 'heartbeat' });
  }

  /**
   * @param frame the frame as it arrived.
   * @returns false if the message is of an unknown kind.
   */
  receive(message: Message, frame: unknown): boolean {
    const { event, ref } = message;
    if (event === 'phx_reply' && ref !== null && ref === this.#abandonedRef) {
      // A join that timed out may still be refused: the refusal counts, or the channel would rejoin forever.
      this.#abandonedRef = null;
      const reason = refusalOf(message.payload);
      if (reason !== null) this.#refuse(reason);
      return true;
    }
    const isStale = message.joinRef !== null && message.joinRef !== this.#joinRef;
    return isStale || this.#joinRef === null || this.#receiveCurrent(message, frame);
  }

  get #isReady(): boolean {
    return isJoined(this.state);
  }

  get #subscriptionWaitMs(): number {
    return this.#wanted.size > 0 ? (this.#config.subscriptionWaitMs ?? 0) : 0;
  }

  #push(event: string, payload: unknown): string {
    return this.#owner.socket.send({ joinRef: this.#joinRef, topic: this.topic, event, payload });
  }

  #describe(state: ChannelState): ChannelSnapshot {
    return describe(state, this.#config.private);
  }

  #onStep(state: ChannelState, before: ChannelState): void {
    if (!isOnTopic(state)) this.#joinRef = null;
    this.#owner.onStep(state, before);
    const snapshot = this.#describe(state);
    if (snapshot.status !== this.#describe(before).status) {
      this.#owner.onStatus(snapshot);
      this.#sink.onStatus(snapshot);
      this.#pushes.fail();
    }
    if (this.#isReady) this.#pushes.flush();
  }

  #run(effect: RunEffect): void {
    switch (effect.type) {
      case 'authorize':
        return void this.#authorize();
      case 'rejectToken':
        return this.#owner.tokens.reject(this.state.token, effect.isFinal);
      case 'join':
        return this.#join();
      case 'probe':
        this.#probeRef = this.#owner.socket.probe();
        return undefined;
      case 'leave':
        this.#push('phx_leave', {});
        this.#abandonedRef = this.#joinRef;
        return undefined;
      case 'pushToken':
        return void this.#push('access_token', { access_token: this.state.token });
      case 'gap':
        return this.#sink.onGap({ continuity: 'lost', sinceMs: effect.sinceMs, reason: effect.reason });
    }
  }

  async #authorize(): Promise<void> {
    // Only the latest token request counts; an earlier one is superseded.
    this.#lastRequest += 1;
    const request = this.#lastRequest;
    const { tokens } = this.#owner;
    let event: ChannelEvent = { type: 'tokenError' };
    try {
      const token = await tokens.request();
      const confirmations: Confirmation[] = [];
      if (this.#wanted.size > 0) confirmations.push('subscription');
      if (this.#config.replicationReady) confirmations.push('replication');
      event = tokens.isRefused(token)
        ? { type: 'refused', refusal: 'token', reason: 'The server has refused this access token' }
        : { type: 'token', token, holdMs: this.#subscriptionWaitMs, confirmations };
    } catch (problem) {
      this.#options.platform.report(problem);
    }
    if (request === this.#lastRequest) this.step(event);
  }

  #join(): void {
    const { socket, waiting } = this.#owner;
    if (this.#owner.isFull()) {
      this.step({ type: 'refused', refusal: 'channel-limit', reason: 'ChannelRateLimitReached' });
      return;
    }
    const { postgresChanges } = this.#options.features;
    this.#joinedWith = this.#wanted;
    this.#joinRef = socket.nextRef();
    this.#joinedConfig = JSON.stringify(this.#config);
    this.#changes ??= postgresChanges?.createReceiver(this.#sink, this.#options.platform.clock);
    const bindings = postgresChanges?.encode(this.#joinedWith) ?? [];
    const { token, lostAtMs } = this.state;
    waiting.adopt(token ?? null);
    const config = encodeConfig(this.#config, bindings, lostAtMs);
    const payload = { config, ...(token !== null && { access_token: token }) };
    const { topic } = this;
    socket.send({ joinRef: this.#joinRef, ref: this.#joinRef, topic, event: 'phx_join', payload });
  }

  #fail(reason: string, ofSubscription: boolean): void {
    this.step({ type: 'systemError', refusal: classifyRefusal(reason, ofSubscription), reason });
  }

  #refuse(reason: string): void {
    const refusal = classifyRefusal(reason, false);
    this.#owner.onRefused(refusal);
    // The server may still count a channel that is being left.
    const isLeaving = refusal === 'channel-limit' && !this.#owner.isFull();
    this.step({ type: 'refused', refusal: isLeaving ? 'retry' : refusal, reason });
  }

  #receiveCurrent(message: Message, frame: unknown): boolean {
    const { event, payload } = message;
    switch (event) {
      case 'phx_reply':
        this.#receiveReply(message);
        return true;
      case 'phx_close':
      case 'phx_error':
        // In version 1.0.0 a close during a pending join belongs to the previous join.
        if (event === 'phx_error' || message.joinRef !== null || this.state.type !== 'joining')
          this.step({ type: 'ended' });
        return true;
      case 'system':
        this.#sink.onMessage(event, payload);
        return this.#receiveSystem(payload);
      case 'postgres_changes':
        return !this.#changes || !this.#isReady || this.#changes.receive(payload, String(frame));
      case 'broadcast':
      case 'presence_state':
      case 'presence_diff':
        if (this.#isReady) this.#sink.onMessage(event, payload);
        return true;
      default:
        return false;
    }
  }

  #receiveReply({ ref, payload }: Message): void {
    const response: unknown = isRecord(payload) ? payload['response'] : null;
    const reason = refusalOf(payload);
    if (ref !== this.#joinRef) {
      const message = `The server refused the push: ${reason}`;
      this.#pushes.reply(ref, response, reason === null ? null : { code: 'push-refused', message });
    } else if (reason !== null) this.#refuse(reason);
    else {
      this.#owner.tokens.accepted();
      if (this.#changes && !this.#changes.accept(this.#joinedWith, response))
        this.#fail('The reply lacks a binding', true);
      else this.step({ type: 'accepted' });
    }
  }

  #receiveSystem(payload: unknown): boolean {
    if (!isRecord(payload)) return false;
    const ofSubscription = payload['extension'] === 'postgres_changes';
    if (payload['status'] !== 'ok') this.#fail(String(payload['message']), ofSubscription);
    else if (ofSubscription || payload['message'] === replicationMessage)
      this.step({ type: 'confirmed', confirmation: ofSubscription ? 'subscription' : 'replication' });
    return true;
  }
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
  const { type } = state;
  const pending = state.wasLive ? 'recovering' : type === 'joined' ? type : 'connecting';
  const status = type === 'idle' ? 'closed' : type === 'live' || type === 'failed' ? type : pending;
  if (type !== 'failed') return { status, error: null };
  const { code, message } = state;
  const missing = isPrivate && code === 'unauthorized' ? `${message} (${missingSelect})` : message;
  return { status, error: { code, message: missing } };
}
