import type { Channel, ChannelServices } from '../channel/channel.ts';
import { admitJoin } from '../channel/join.ts';
import type { JoinLimits, JoiningSocket } from '../channel/join.ts';
import { encodeFrame, encodeUserBroadcast, parseBinaryFrame, parseTextFrame } from '../channel/wire.ts';
import type { InboundFrame, OutboundFrame, WireVersion } from '../channel/wire.ts';
import type { ServerSocket } from './server-socket.ts';

/** One open WebSocket and its channels. */
export interface Connection extends JoiningSocket {
  readonly channels: ReadonlyMap<unknown, Channel>;
  /** The time of the client's last frame, in milliseconds of the clock. */
  readonly lastFrameMs: number;
  /** The time since which the socket has no channel; null while it has one. */
  readonly emptySinceMs: number | null;
  /** Makes the connection half-open: frames are neither read nor sent, as on a dead network. */
  swallow(): void;
  close(code: number, reason?: string): void;
  /** Ends the connection without a closing handshake. */
  terminate(): void;
}

export interface ConnectionOptions {
  readonly socket: ServerSocket;
  readonly version: WireVersion;
  readonly token: string;
  readonly services: ChannelServices;
  readonly limits: JoinLimits;
  readonly onClose: (connection: Connection) => void;
  readonly report: (error: unknown) => void;
}

/** How long frames for a leaving channel are ignored; the real server ignores them while the channel's process ends. */
const LEAVING_MS = 10;

export function createConnection(options: ConnectionOptions): Connection {
  const { socket, version, token, services, limits, report } = options;
  const { settings, now, timers } = services;
  const channels = new Map<unknown, Channel>();
  /** Cancels the timer of a leaving channel, by topic. */
  const leaving = new Map<unknown, () => void>();
  let lastFrameMs = now();
  let emptySinceMs: number | null = lastFrameMs;
  let isHalfOpen = false;
  let frames: Promise<void> = Promise.resolve();
  /** Whether a refused or held join blocks the socket. */
  let isBlocked = false;

  const write = (data: string | Uint8Array) => {
    if (isHalfOpen || !socket.isOpen) return;
    if (socket.bufferedBytes > settings().maxBufferedBytes) return socket.terminate();
    socket.send(data);
  };
  const sendRaw = (data: string | Uint8Array) => {
    // As in the real server's mailbox, wait for earlier frames, which may also be refused joins.
    if (isBlocked) return void (frames = frames.then(() => sendRaw(data)));
    const { latencyMs } = settings();
    if (latencyMs > 0) timers.after(latencyMs, () => write(data));
    else write(data);
  };
  const replyTo = (frame: Pick<InboundFrame, 'joinRef' | 'ref' | 'topic'>, reply: object) => {
    const { joinRef, ref, topic } = frame;
    connection.send({ joinRef, ref, topic, event: 'phx_reply', payload: JSON.stringify(reply) });
  };
  const replyUnmatched = (frame: InboundFrame) =>
    replyTo({ ...frame, joinRef: null }, { status: 'error', response: { reason: 'unmatched topic' } });

  /** As on the real server, the socket reads and sends nothing else before the reply to a join. */
  const block = async <T>(reply: Promise<T>): Promise<T> => {
    isBlocked = true;
    try {
      return await reply;
    } finally {
      isBlocked = false;
    }
  };
  const refuseJoin = async (frame: InboundFrame, reason: string) => {
    const { joinErrorBackoffMs } = settings();
    if (joinErrorBackoffMs > 0)
      await block(new Promise<void>((resolve) => void timers.after(joinErrorBackoffMs, resolve)));
    replyTo(frame, { status: 'error', response: { reason } });
  };
  const join = async (frame: InboundFrame, topic: string) => {
    const previous = channels.get(topic);
    endLeaving(topic);
    if (previous) {
      previous.dispose();
      // As on the real server, the close of the previous channel follows the frames that have already arrived.
      frames = frames.then(() => connection.send(closeFrame(previous)));
    }
    const outcome = await admitJoin(services, limits, connection, topic, frame);
    if (!outcome.ok) {
      await refuseJoin(frame, outcome.reason);
      if (outcome.closesSocket) connection.close(1001);
      return;
    }
    const { channel } = outcome;
    const refusal = await block(channel.establish());
    if (refusal !== null || !socket.isOpen) {
      channel.dispose();
      if (refusal !== null) await refuseJoin(frame, refusal);
      return;
    }
    channels.set(topic, channel);
    emptySinceMs = null;
    replyTo(frame, { status: 'ok', response: { postgres_changes: channel.bindingEcho } });
    channel.start();
  };
  const endLeaving = (topic: unknown) => {
    leaving.get(topic)?.();
    leaving.delete(topic);
  };
  const leave = (frame: InboundFrame, channel: Channel) => {
    // Ignore a leave with the join_ref of another join.
    if (frame.joinRef !== channel.joinRef) return;
    const { topic } = frame;
    leaving.set(
      topic,
      timers.after(LEAVING_MS, () => leaving.delete(topic)),
    );
    return channel.handle(frame);
  };
  const handle = async (frame: InboundFrame) => {
    const { topic, event } = frame;
    if (topic === 'phoenix' && event === 'heartbeat')
      return replyTo({ ...frame, joinRef: null }, { status: 'ok', response: {} });
    const isChannelTopic = typeof topic === 'string' && topic.startsWith('realtime:');
    if (event === 'phx_join') return isChannelTopic ? join(frame, topic) : replyUnmatched(frame);
    const channel = channels.get(topic);
    if (channel) return event === 'phx_leave' ? leave(frame, channel) : channel.handle(frame);
    if (leaving.has(topic)) return;
    if (event === 'phx_leave') return replyTo(frame, { status: 'ok', response: {} });
    replyUnmatched(frame);
  };

  const connection: Connection = {
    channels,
    token,
    get lastFrameMs() {
      return lastFrameMs;
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
      isHalfOpen = true;
    },
    close: (code, reason) => socket.close(code, reason),
    terminate: () => socket.terminate(),
  };

  const onMessage = (message: string | Uint8Array) => {
    if (isHalfOpen) return;
    lastFrameMs = now();
    const frame =
      typeof message === 'string' ? parseTextFrame(version, message) : parseBinaryFrame(version, message);
    // As on the real server, an invalid message gets no reply, and the socket stays open.
    if (frame) frames = frames.then(() => handle(frame)).catch(report);
  };
  const onClose = () => {
    for (const channel of channels.values()) {
      // An error of one channel must not keep the others open.
      try {
        channel.dispose();
      } catch (error) {
        report(error);
      }
    }
    for (const topic of leaving.keys()) endLeaving(topic);
    options.onClose(connection);
  };
  socket.listen({ onMessage, onClose });
  return connection;
}

const closeFrame = ({ topic, joinRef }: Channel): OutboundFrame => ({
  joinRef,
  ref: joinRef,
  topic,
  event: 'phx_close',
  payload: '{}',
});
