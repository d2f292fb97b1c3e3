import type { Timer, Unsubscribe } from '../../platform/platform.ts';
import type { ConnectOptions, Connection, TopicSink } from '../socket/connection.ts';
import { createConnectionStatus, type ConnectionStatus } from '../socket/connection-status.ts';
import { isOpen, type SocketState } from '../socket/socket-state.ts';
import { ReconnectingSocket } from '../socket/socket.ts';
import {
  hasTurn,
  initialJoins,
  type JoinsEvent,
  type JoinsState,
  nextTurns,
  stepJoins,
} from '../socket/joins-state.ts';
import { createTokenSource, type TokenSource } from '../socket/token-source.ts';
import { createWaitingData, type WaitingData } from '../socket/waiting-data.ts';
import { defaultJoinConfig } from '../protocol/join-config.ts';
import { type ChannelEvent, isJoined } from './channel-state.ts';
import { OwnTopic } from './topic.ts';

/** A connection over this tab's own socket. */
export class OwnConnection implements Connection {
  readonly getSnapshot: Connection['getSnapshot'];
  readonly subscribe: Connection['subscribe'];
  readonly #options: ConnectOptions;
  readonly #topics = new Map<string, OwnTopic>();
  readonly #status: ConnectionStatus;
  readonly #tokens: TokenSource;
  readonly #waiting: WaitingData;
  readonly #socket: ReconnectingSocket;
  #joins: JoinsState;
  #ignoredFrames = 0;
  #isKeptOpen = false;
  #releaseTimer: Timer | undefined;
  #slotTimer: Timer | undefined;
  #stopTokens: Unsubscribe | undefined;

  constructor(options: ConnectOptions) {
    const { platform, settings } = options;
    const { clock, report } = platform;
    this.#options = options;
    this.#status = createConnectionStatus(clock, settings, report);
    ({ getSnapshot: this.getSnapshot, subscribe: this.subscribe } = this.#status);
    this.#tokens = createTokenSource(options.getAccessToken, clock, settings.timeoutMs);
    this.#waiting = createWaitingData(options, () => this.#topics.forEach((topic) => topic.discard()));
    this.#joins = initialJoins(settings.parallelJoins);
    this.#socket = new ReconnectingSocket(options, {
      isBlocked: () => this.#all().some(hasTurn),
      holdMs: () => Math.max(0, ...this.#all().map((topic) => topic.holdMs)),
      onMessage: (message, frame) => {
        if (message?.topic === 'phoenix')
          this.#topics.forEach((topic) => topic.receiveHeartbeat(message.ref));
        else if (!message || !this.#topics.get(message.topic)?.receive(message, frame))
          this.#ignoredFrames += 1;
      },
      onStep: (state, before, lastFrameAtMs) => this.#onSocketStep(state, before, lastFrameAtMs),
      onUnavailable: (problem) => this.#stepAll({ type: 'unavailable', ...problem }),
    });
  }

  get ignoredFrames(): number {
    return this.#ignoredFrames;
  }

  open(name: string, sink: TopicSink): OwnTopic {
    const topic = `realtime:${name}`;
    const own = new OwnTopic(topic, sink, this.#options, {
      socket: this.#socket,
      tokens: this.#tokens,
      waiting: this.#waiting,
      isFull: () => this.#room() === 0,
      onRefused: (refusal) => this.#stepJoins({ type: 'refused', topic, refusal }),
      onStep: (state, before) => {
        if (isJoined(state) && !isJoined(before)) this.#stepJoins({ type: 'accepted', topic });
        this.#grantTurns();
      },
      onStatus: ({ status: state, error }) => {
        this.#updateWanted();
        this.#options.emit({ type: 'channel', name, state, reason: error?.message ?? null });
        if (state === 'closed' || state === 'failed') this.#offerSlots();
      },
    });
    this.#topics.set(topic, own);
    return own;
  }

  keepOpen(isKept: boolean): void {
    this.#isKeptOpen = isKept;
    this.#updateWanted();
    // A socket that the program closes does not wait for the grace period.
    if (!this.#isNeeded()) this.#socket.want(false);
  }

  close(): void {
    // Close the socket before leaving the topics: status listeners may call join().
    this.#socket.close();
    this.#topics.forEach((topic) => topic.want(null, defaultJoinConfig));
    this.#stopTokens?.();
    this.#waiting.close();
    this.#releaseTimer?.cancel();
    this.#slotTimer?.cancel();
  }

  #all(): readonly OwnTopic[] {
    return [...this.#topics.values()];
  }

  #stepAll(event: ChannelEvent): void {
    this.#topics.forEach((topic) => topic.step(event));
  }

  #countJoined(): number {
    return this.#all().filter(({ state }) => isJoined(state)).length;
  }

  /** How many more topics the server is known to allow. */
  #room(): number {
    return Math.max(0, this.#joins.capacity - this.#countJoined());
  }

  #stepJoins(event: WithoutCount<JoinsEvent>): void {
    this.#joins = stepJoins(this.#joins, { ...event, joined: this.#countJoined() });
  }

  #grantTurns(): void {
    if (this.#socket.isOpen)
      nextTurns(this.#joins, this.#all()).forEach((topic) => topic.step({ type: 'turn' }));
  }

  #onSocketStep(state: SocketState, before: SocketState, lastFrameAtMs: number): void {
    const { type } = state;
    if (type !== before.type) this.#options.emit({ type: 'socket', state: type });
    this.#status.publish(
      type === 'idle' || type === 'closed' ? type : isOpen(state) ? 'connected' : 'connecting',
      lastFrameAtMs,
    );
    if (isOpen(state)) return this.#grantTurns();
    if (!isOpen(before)) return;
    // The next socket may have other limits.
    this.#joins = initialJoins(this.#options.settings.parallelJoins);
    this.#stepAll({ type: 'offline', lastFrameAtMs });
  }

  #isNeeded(): boolean {
    return (
      this.#isKeptOpen || this.#all().some(({ state: { type } }) => type !== 'idle' && type !== 'failed')
    );
  }

  /** Keeps the socket open while a topic needs it, and for a grace period after. */
  #updateWanted(): void {
    const { platform, settings, onTokenChange } = this.#options;
    this.#releaseTimer?.cancel();
    if (this.#isNeeded()) {
      this.#stopTokens ??= onTokenChange?.((token) => {
        this.#tokens.reset(token);
        this.#waiting.adopt(token);
        this.#stepAll({ type: 'tokenChange', token });
      });
      this.#socket.want(true);
    } else if (this.getSnapshot().status !== 'closed')
      this.#releaseTimer = platform.clock.setTimer(() => this.#socket.want(false), settings.leaveGraceMs);
  }

  /** Joins channels that exceeded the server's limit, once the server no longer counts the channels that were left. */
  #offerSlots(): void {
    const { platform, settings } = this.#options;
    this.#slotTimer?.cancel();
    const surplus = () =>
      this.#all().filter(({ state }) => state.type === 'failed' && state.code === 'channel-limit');
    const offer = () =>
      surplus()
        .slice(0, this.#room())
        .forEach((topic) => topic.step({ type: 'join' }));
    if (surplus().length > 0) this.#slotTimer = platform.clock.setTimer(offer, settings.leaveGraceMs);
  }
}

type WithoutCount<Event> = Event extends unknown ? Omit<Event, 'joined'> : never;
