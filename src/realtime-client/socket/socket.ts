import type { Socket } from '../../platform/platform.ts';
import { credentialsOf, serviceUrl } from '../../platform/service.ts';
import type { Message } from '../protocol/message.ts';
import { createMachine } from '../machine/machine.ts';
import { isOpen, stepSocket, type SocketEffect, type SocketEvent, type SocketState } from './socket-state.ts';
import { encodeMessage, encodeSocketUrl, parseMessage } from '../protocol/wire.ts';
import type { ConnectOptions } from './connection.ts';

/** A websocket that is monitored by heartbeats and reconnected. */
export interface ReconnectingSocket {
  readonly isOpen: boolean;
  /** Sends the message, with the next ref by default, and returns the ref. Discarded when the socket is not open. */
  send(message: Partial<Message> & Pick<Message, 'topic' | 'event' | 'payload'>): string;
  nextRef(): string;
  /** Sends a heartbeat at once, and returns its ref. */
  probe(): string;
  /** Opens the socket, or closes it until it is needed again. */
  want(wanted: boolean): void;
  close(): void;
}

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

export function createReconnectingSocket(options: ConnectOptions, owner: SocketOwner): ReconnectingSocket {
  const { platform, vsn, parts, emit, settings } = options;
  const url = encodeSocketUrl(options.url, options.apiKey, vsn, options.params);
  const { clock, page } = platform;
  let socket: Socket | undefined;
  let lastRef = 0;
  let heartbeat = { ref: '', sentAtMs: 0 };
  let lastFrameAtMs = clock.now();

  const nextRef = () => {
    lastRef += 1;
    return String(lastRef);
  };
  const drop = () => {
    if (!socket) return;
    const dropped = socket;
    dropped.onOpen = null;
    dropped.onMessage = null;
    dropped.onClose = null;
    socket = undefined;
    try {
      dropped.close(1000);
    } catch (problem) {
      platform.report(problem);
    }
  };
  const open = () => {
    drop();
    try {
      socket = platform.openSocket(url);
    } catch (problem) {
      machine.send({ kind: 'unavailable' });
      owner.onUnavailable({ code: 'websocket-unavailable', message: unavailableMessage(problem) });
      return;
    }
    const noteFrame = () => {
      lastFrameAtMs = clock.now();
    };
    socket.onOpen = () => {
      noteFrame();
      machine.send({ kind: 'opened' });
    };
    socket.onMessage = (data) => {
      noteFrame();
      if (machine.state.kind === 'probing') machine.send({ kind: 'frame' });
      const message = parseMessage(data, parts);
      if (message?.topic === 'phoenix' && message.ref === heartbeat.ref)
        emit({ type: 'heartbeat', latencyMs: clock.monotonicMs() - heartbeat.sentAtMs });
      owner.onMessage(message, data);
    };
    socket.onClose = () => machine.send({ kind: 'lost' });
  };
  const checkKey = async () => {
    const isRefused = await isKeyRefused(options);
    if (!isRefused || machine.state.kind !== 'waiting') return;
    machine.send({ kind: 'unavailable' });
    owner.onUnavailable({
      code: 'key-refused',
      message: 'The server refuses the public key of the project (401)',
    });
  };
  const send: ReconnectingSocket['send'] = (message) => {
    const ref = message.ref ?? nextRef();
    if (isOpen(machine.state)) socket?.send(encodeMessage({ joinRef: null, ...message, ref }, vsn, parts));
    return ref;
  };

  const machine = createMachine<SocketState, SocketEvent, Exclude<SocketEffect, { do: 'wait' }>>({
    initial: { kind: 'idle', attempt: 0, openedAtMs: null },
    step: (state, event, nowMs) =>
      stepSocket(state, event, {
        nowMs,
        isVisible: page.isVisible(),
        isOnline: page.isOnline(),
        settings: { ...settings, timeoutMs: settings.timeoutMs + owner.holdMs() },
      }),
    run(effect) {
      if (effect.do === 'open') open();
      else if (effect.do === 'drop') drop();
      else if (effect.do === 'checkKey') void checkKey();
      else
        heartbeat = {
          sentAtMs: clock.monotonicMs(),
          ref: send({ topic: 'phoenix', event: 'heartbeat', payload: {} }),
        };
    },
    platform,
    jitter: settings.jitter,
    onStep: (state, before) => owner.onStep(state, before, lastFrameAtMs),
  });
  const unsubscribe = page.subscribe((signal) => {
    if (signal === 'offline') machine.send({ kind: 'offline' });
    else if (signal !== 'hidden' && signal !== 'pagehide')
      machine.send({ kind: 'wake', isBlocked: owner.isBlocked() });
  });
  return {
    get isOpen() {
      return isOpen(machine.state);
    },
    send,
    nextRef,
    probe() {
      machine.send({ kind: 'probe' });
      return heartbeat.ref;
    },
    want: (wanted) => machine.send({ kind: wanted ? 'want' : 'release' }),
    close() {
      unsubscribe();
      machine.send({ kind: 'close' });
    },
  };
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
