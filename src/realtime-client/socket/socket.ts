import type { Platform, Socket } from '../../platform/platform.ts';
import type { RealtimeEvent } from '../events.ts';
import type { ProtocolParts } from '../protocol/protocol-parts.ts';
import type { Message, ProtocolVersion } from '../protocol/message.ts';
import { createMachine } from '../machine/machine.ts';
import type { RealtimeSettings } from '../settings.ts';
import { isOpen, stepSocket, type SocketEffect, type SocketEvent, type SocketState } from './socket-state.ts';
import { encodeMessage, parseMessage } from '../protocol/wire.ts';

/** A websocket that is monitored by heartbeats and reconnected. */
export interface ReconnectingSocket {
  readonly isOpen: boolean;
  /** Sends the message, with the next ref by default, and returns the ref. Discarded when the socket is not open. */
  send(message: Partial<Message> & Pick<Message, 'topic' | 'event' | 'payload'>): string;
  nextRef(): string;
  /** Sends a heartbeat at once, and returns its ref. */
  probe(): string;
  /** Opens the socket, or closes it until it is wanted again. */
  want(wanted: boolean): void;
  close(): void;
}

/** Why no websocket can be opened. */
export interface SocketProblem {
  readonly code: 'websocket-unavailable' | 'key-refused';
  readonly message: string;
}

export function createReconnectingSocket({
  platform,
  url,
  vsn,
  parts,
  emit,
  settings,
  isBlocked,
  holdMs,
  isKeyRefused,
  onMessage,
  onHeartbeat,
  onStep,
  onUnavailable,
}: {
  readonly platform: Platform;
  readonly url: string;
  readonly vsn: ProtocolVersion;
  readonly parts: ProtocolParts;
  readonly emit: (event: RealtimeEvent) => void;
  readonly settings: RealtimeSettings;
  /** Whether the server may be silent because it refuses a join. */
  readonly isBlocked: () => boolean;
  /** How long the server may be silent because it holds the reply to a join, in milliseconds. */
  readonly holdMs: () => number;
  /** Resolves with whether the server refuses the public key; false if it cannot be told. */
  readonly isKeyRefused: () => Promise<boolean>;
  /** Called when the heartbeat with this ref was answered. */
  readonly onHeartbeat: (ref: string) => void;
  /** Called with null for a malformed frame. */
  readonly onMessage: (message: Message | null, frame: unknown) => void;
  /** @param lastFrameAtMs when (wall clock, ms) the last frame arrived. */
  readonly onStep: (state: SocketState, before: SocketState, lastFrameAtMs: number) => void;
  /** Called when no websocket can be opened, and no further attempt will be made. */
  readonly onUnavailable: (problem: SocketProblem) => void;
}): ReconnectingSocket {
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
      onUnavailable({ code: 'websocket-unavailable', message: unavailableMessage(problem) });
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
      onMessage(message, data);
      if (message?.topic === 'phoenix' && message.ref !== null) onHeartbeat(message.ref);
    };
    socket.onClose = () => machine.send({ kind: 'lost' });
  };
  const checkKey = async () => {
    const isRefused = await isKeyRefused();
    if (!isRefused || machine.state.kind !== 'waiting') return;
    machine.send({ kind: 'unavailable' });
    onUnavailable({ code: 'key-refused', message: 'The server refuses the public key of the project (401)' });
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
        settings: { ...settings, timeoutMs: settings.timeoutMs + holdMs() },
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
    onStep: (state, before) => onStep(state, before, lastFrameAtMs),
  });
  const unsubscribe = page.subscribe((signal) => {
    if (signal === 'offline') machine.send({ kind: 'offline' });
    else if (signal !== 'hidden' && signal !== 'pagehide')
      machine.send({ kind: 'wake', isBlocked: isBlocked() });
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
  return `No websocket can be opened (${String(problem)}). Node 20 has none: pass createBrowserPlatform({ openSocket }) with the package "ws"`;
}
