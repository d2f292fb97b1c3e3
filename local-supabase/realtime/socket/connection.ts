import type { WebSocket } from 'ws';
import type { Channel, ChannelServices } from '../channel/channel.ts';
import { admitJoin, subscribeFailure } from '../channel/join.ts';
import type { JoinLimits, JoiningSocket } from '../channel/join.ts';
import { encodeFrame, encodeUserBroadcast, parseBinaryFrame, parseTextFrame } from './wire.ts';
import type { InboundFrame, OutboundFrame, Ref, WireVersion } from './wire.ts';

/** One open websocket and its channels. */
export interface Connection extends JoiningSocket {
  /** When the client was last heard, in milliseconds of the clock. */
  readonly lastHeardMs: number;
  /** Since when there is no channel; null while there is one. */
  readonly emptySinceMs: number | null;
  /** From now on nothing is heard and nothing sent, as behind a dead network. */
  swallow(): void;
  close(code: number, reason?: string): void;
  /** Cuts the wire without a closing handshake. */
  terminate(): void;
}

export interface ConnectionOptions {
  readonly webSocket: WebSocket;
  readonly version: WireVersion;
  readonly token: string;
  readonly services: ChannelServices;
  readonly limits: JoinLimits;
  readonly onClose: (connection: Connection) => void;
  readonly report: (error: unknown) => void;
}

export function createConnection(options: ConnectionOptions): Connection {
  const { webSocket, version, token, services, limits, onClose, report } = options;
  const { settings, now, timers } = services;
  const channels = new Map<string, Channel>();
  let lastHeardMs = now();
  let emptySinceMs: number | null = lastHeardMs;
  let swallowing = false;
  let frames: Promise<void> = Promise.resolve();

  const write = (data: string | Buffer) => {
    if (swallowing || webSocket.readyState !== webSocket.OPEN) return;
    if (webSocket.bufferedAmount > settings().maxBufferedBytes) return webSocket.terminate();
    webSocket.send(data);
  };
  const sendRaw = (data: string | Buffer) => {
    const { latencyMs } = settings();
    if (latencyMs > 0) timers.after(latencyMs, () => write(data));
    else write(data);
  };
  const replyTo = ({ joinRef, ref, topic }: InboundFrame, status: 'ok' | 'error', response: object) =>
    connection.send({
      joinRef,
      ref,
      topic,
      event: 'phx_reply',
      payload: JSON.stringify({ status, response }),
    });

  const join = async (frame: InboundFrame) => {
    const before = channels.get(frame.topic);
    before?.dispose();
    /** The old channel's end is told after the new one's reply. */
    const reply = (status: 'ok' | 'error', response: object) => {
      replyTo(frame.joinRef === null ? { ...frame, joinRef: frame.ref } : frame, status, response);
      if (before) connection.send(closeFrame(before));
    };
    const refuse = async (reason: string) => {
      await pause(settings().joinErrorBackoffMs);
      reply('error', { reason });
    };
    const outcome = await admitJoin(services, limits, connection, frame);
    if (!outcome.ok) {
      await refuse(outcome.reason);
      if (outcome.closesSocket) connection.close(1001);
      return;
    }
    if (webSocket.readyState !== webSocket.OPEN) return;
    const { channel } = outcome;
    channels.set(frame.topic, channel);
    emptySinceMs = null;
    try {
      await channel.start(() => reply('ok', { postgres_changes: channel.bindingEcho }));
    } catch (error) {
      channel.dispose();
      await refuse(subscribeFailure(error));
    }
  };
  const pause = (delayMs: number) =>
    delayMs > 0 ? new Promise<void>((resolve) => void timers.after(delayMs, resolve)) : Promise.resolve();

  const handle = async (frame: InboundFrame) => {
    const { topic, event } = frame;
    if (topic === 'phoenix') return event === 'heartbeat' ? replyTo(frame, 'ok', {}) : undefined;
    if (event === 'phx_join' && topic.startsWith('realtime:')) return join(frame);
    const channel = channels.get(topic);
    if (channel) return isStale(frame, channel) ? undefined : channel.handle(frame);
    if (event === 'phx_leave') return replyTo(frame, 'ok', {});
    replyTo(frame, 'error', { reason: 'unmatched topic' });
  };

  const connection: Connection = {
    channels,
    token,
    get lastHeardMs() {
      return lastHeardMs;
    },
    get emptySinceMs() {
      return emptySinceMs;
    },
    send: (frame: OutboundFrame) => sendRaw(encodeFrame(version, frame)),
    sendBroadcast(topic, broadcast) {
      const encoded = encodeUserBroadcast(version, topic, broadcast);
      if (encoded !== null) sendRaw(encoded);
    },
    forget(channel) {
      if (channels.get(channel.topic) !== channel) return;
      channels.delete(channel.topic);
      if (channels.size === 0) emptySinceMs = now();
    },
    swallow() {
      swallowing = true;
    },
    close: (code, reason) => webSocket.close(code, reason),
    terminate: () => webSocket.terminate(),
  };

  webSocket.on('message', (data: Buffer, isBinary) => {
    if (swallowing) return;
    lastHeardMs = now();
    const frame = isBinary ? parseBinaryFrame(version, data) : parseTextFrame(version, data.toString());
    // What is not a frame is left without an answer, and the socket stays open, as on the real server.
    if (frame) frames = frames.then(() => handle(frame)).catch(report);
  });
  webSocket.on('error', () => webSocket.terminate());
  webSocket.on('close', () => {
    for (const channel of channels.values()) {
      // What is thrown from here nobody would catch, and the other channels have to end too.
      try {
        channel.dispose();
      } catch (error) {
        report(error);
      }
    }
    webSocket.removeAllListeners();
    webSocket.on('error', () => {});
    onClose(connection);
  });
  return connection;
}

const closeFrame = ({ topic, joinRef }: Channel): OutboundFrame => ({
  joinRef,
  ref: joinRef,
  topic,
  event: 'phx_close',
  payload: '{}',
});

/** A push that names another join of the same topic is not for this channel. */
const isStale = ({ joinRef }: InboundFrame, channel: Channel): boolean =>
  !sameRef(joinRef, null) && !sameRef(joinRef, channel.joinRef);

const sameRef = (a: Ref, b: Ref): boolean => (a === null || b === null ? a === b : String(a) === String(b));
