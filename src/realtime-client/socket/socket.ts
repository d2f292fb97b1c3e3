import type { Socket, Unsubscribe } from '../../platform/platform.ts';
import { credentialsOf, serviceUrl } from '../../platform/service.ts';
import type { Message } from '../protocol/message.ts';
import { createMachine, type Machine } from '../machine/machine.ts';
import { isOpen, stepSocket, type SocketEffect, type SocketEvent, type SocketState } from './socket-state.ts';
import { encodeMessage, encodeSocketUrl, parseMessage } from '../protocol/wire.ts';
import type { ConnectOptions } from './connection.ts';

type RunEffect = Exclude<SocketEffect, { type: 'wait' }>;

/** Why no websocket can be opened. */
export interface SocketProblem {
  readonly code: 'websocket-unavailable' | 'key-refused';
  readonly message: string;
}

/** The callbacks of the connection that owns the socket. */
export interface SocketOwner {
  /** Whether the server may be silent because it refuses a join. */
  isBlocked(): boolean;
  /** How long the server may be silent because it holds the reply to a join, in milliseconds. */
  holdMs(): number;
  /** A frame arrived; the message is null for a malformed one. */
  onMessage(message: Message | null, frame: unknown): void;
  /** @param lastFrameAtMs when (wall clock, ms) the last frame arrived. */
  onStep(state: SocketState, before: SocketState, lastFrameAtMs: number): void;
  /** No websocket can be opened, and no further attempt will be made. */
  onUnavailable(problem: SocketProblem): void;
}

/** A websocket that is monitored by heartbeats and reconnected. */
export class ReconnectingSocket {
  readonly #options: ConnectOptions;
  readonly #owner: SocketOwner;
  readonly #url: string;
  readonly #machine: Machine<SocketState, SocketEvent>;
  readonly #unsubscribe: Unsubscribe;
  #socket: Socket | undefined;
  #lastRef = 0;
  #heartbeat = { ref: '', sentAtMs: 0 };
  #lastFrameAtMs: number;

  constructor(options: ConnectOptions, owner: SocketOwner) {
    const { platform, settings } = options;
    const { clock, page } = platform;
    this.#options = options;
    this.#owner = owner;
    this.#url = encodeSocketUrl(options.url, options.apiKey, options.vsn, options.params);
    this.#lastFrameAtMs = clock.now();
    this.#machine = createMachine<SocketState, SocketEvent, RunEffect>({
      initial: { type: 'idle', attempt: 0, openedAtMs: null },
      step: (state, event, nowMs) =>
        stepSocket(state, event, {
          nowMs,
          isVisible: page.isVisible(),
          isOnline: page.isOnline(),
          settings: { ...settings, timeoutMs: settings.timeoutMs + owner.holdMs() },
        }),
      run: (effect) => this.#run(effect),
      platform,
      jitter: settings.jitter,
      onStep: (state, before) => owner.onStep(state, before, this.#lastFrameAtMs),
    });
    this.#unsubscribe = page.subscribe((signal) => {
      if (signal === 'offline') this.#machine.send({ type: 'offline' });
      else if (signal !== 'hidden' && signal !== 'pagehide')
        this.#machine.send({ type: 'wake', isBlocked: owner.isBlocked() });
    });
  }

  get isOpen(): boolean {
    return isOpen(this.#machine.state);
  }

  /** Sends the message, with the next ref by default, and returns the ref. Discarded when the socket is not open. */
  send(message: Partial<Message> & Pick<Message, 'topic' | 'event' | 'payload'>): string {
    const { vsn, features } = this.#options;
    const ref = message.ref ?? this.nextRef();
    if (this.isOpen) this.#socket?.send(encodeMessage({ joinRef: null, ...message, ref }, vsn, features));
    return ref;
  }

  nextRef(): string {
    this.#lastRef += 1;
    return String(this.#lastRef);
  }

  /** Sends a heartbeat at once, and returns its ref. */
  probe(): string {
    this.#machine.send({ type: 'probe' });
    return this.#heartbeat.ref;
  }

  /** Opens the socket, or closes it until it is needed again. */
  want(wanted: boolean): void {
    this.#machine.send({ type: wanted ? 'want' : 'release' });
  }

  close(): void {
    this.#unsubscribe();
    this.#machine.send({ type: 'close' });
  }

  #run(effect: RunEffect): void {
    if (effect.type === 'open') this.#open();
    else if (effect.type === 'drop') this.#drop();
    else if (effect.type === 'checkKey') void this.#checkKey();
    else
      this.#heartbeat = {
        sentAtMs: this.#options.platform.clock.monotonicMs(),
        ref: this.send({ topic: 'phoenix', event: 'heartbeat', payload: {} }),
      };
  }

  #open(): void {
    this.#drop();
    const { platform } = this.#options;
    let socket: Socket;
    try {
      socket = platform.openSocket(this.#url);
    } catch (problem) {
      return this.#stop({ code: 'websocket-unavailable', message: unavailableMessage(problem) });
    }
    this.#socket = socket;
    const noteFrame = () => {
      this.#lastFrameAtMs = platform.clock.now();
    };
    socket.onOpen = () => {
      noteFrame();
      this.#machine.send({ type: 'opened' });
    };
    socket.onMessage = (data) => {
      noteFrame();
      this.#receive(data);
    };
    socket.onClose = () => this.#machine.send({ type: 'lost' });
  }

  #receive(data: unknown): void {
    const { platform, features, emit } = this.#options;
    if (this.#machine.state.type === 'probing') this.#machine.send({ type: 'frame' });
    const message = parseMessage(data, features);
    if (message?.topic === 'phoenix' && message.ref === this.#heartbeat.ref)
      emit({
        type: 'heartbeat',
        latencyMs: platform.clock.monotonicMs() - this.#heartbeat.sentAtMs,
      });
    this.#owner.onMessage(message, data);
  }

  #drop(): void {
    const dropped = this.#socket;
    if (!dropped) return;
    dropped.onOpen = null;
    dropped.onMessage = null;
    dropped.onClose = null;
    this.#socket = undefined;
    try {
      dropped.close(1000);
    } catch (problem) {
      this.#options.platform.report(problem);
    }
  }

  async #checkKey(): Promise<void> {
    const isRefused = await isKeyRefused(this.#options);
    if (!isRefused || this.#machine.state.type !== 'waiting') return;
    this.#stop({
      code: 'key-refused',
      message: 'The server refuses the public key of the project (401)',
    });
  }

  #stop(problem: SocketProblem): void {
    this.#machine.send({ type: 'unavailable' });
    this.#owner.onUnavailable(problem);
  }
}

/** A WebSocket constructor throws only for permanent reasons: it is missing, or the page may not use it. */
function unavailableMessage(problem: unknown): string {
  return `No websocket can be opened (${String(problem)}). Node 20 has none: pass createPlatform({ openSocket }) with the package "ws"`;
}

/** The HTTP interface of the same service checks the same key; an empty batch of broadcasts has no effect. */
async function isKeyRefused({ url, apiKey, platform }: ConnectOptions): Promise<boolean> {
  try {
    const { status } = await platform.fetch(`${serviceUrl(url, 'realtime')}/api/broadcast`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...credentialsOf(apiKey, null) },
      body: '{"messages":[]}',
      redirect: 'manual',
    });
    return status === 401;
  } catch {
    return false;
  }
}
