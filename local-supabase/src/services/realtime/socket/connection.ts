import type { Channel, ChannelServices } from '../channel/channel.ts';
import { admitJoin } from '../channel/join.ts';
import type { JoinLimits, JoiningSocket } from '../channel/join.ts';
import { encodeFrame, encodeUserBroadcast, parseBinaryFrame, parseTextFrame } from '../channel/wire.ts';
import type { InboundFrame, OutboundFrame, UserBroadcast, WireVersion } from '../channel/wire.ts';
import type { ServerSocket } from './server-socket.ts';

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

/** One open WebSocket and its channels. */
export class Connection implements JoiningSocket {
  readonly channels = new Map<unknown, Channel>();
  readonly #options: ConnectionOptions;
  /** Cancels the timer of a leaving channel, by topic. */
  readonly #leaving = new Map<unknown, () => void>();
  #lastFrameMs: number;
  #emptySinceMs: number | null;
  #isHalfOpen = false;
  #frames: Promise<void> = Promise.resolve();
  /** Whether a refused or held join blocks the socket. */
  #isBlocked = false;

  constructor(options: ConnectionOptions) {
    this.#options = options;
    this.#lastFrameMs = options.services.now();
    this.#emptySinceMs = this.#lastFrameMs;
    options.socket.listen({
      onMessage: (message) => this.#receive(message),
      onClose: () => this.#onClose(),
    });
  }

  get token(): string {
    return this.#options.token;
  }

  /** The time of the client's last frame, in milliseconds of the clock. */
  get lastFrameMs(): number {
    return this.#lastFrameMs;
  }

  /** The time since which the socket has no channel; null while it has one. */
  get emptySinceMs(): number | null {
    return this.#emptySinceMs;
  }

  send(frame: OutboundFrame): void {
    this.#send(encodeFrame(this.#options.version, frame));
  }

  sendBroadcast(topic: string, broadcast: UserBroadcast | Uint8Array): void {
    const encoded = encodeUserBroadcast(this.#options.version, topic, broadcast);
    if (encoded !== null) this.#send(encoded);
  }

  forget(channel: Channel): void {
    if (this.channels.get(channel.topic) !== channel) return;
    this.channels.delete(channel.topic);
    if (this.channels.size === 0) this.#emptySinceMs = this.#options.services.now();
  }

  /** Makes the connection half-open: frames are neither read nor sent, as on a dead network. */
  swallow(): void {
    this.#isHalfOpen = true;
  }

  close(code: number, reason?: string): void {
    this.#options.socket.close(code, reason);
  }

  /** Ends the connection without a closing handshake. */
  terminate(): void {
    this.#options.socket.terminate();
  }

  #receive(message: string | Uint8Array): void {
    if (this.#isHalfOpen) return;
    const { version, report, services } = this.#options;
    this.#lastFrameMs = services.now();
    const frame =
      typeof message === 'string' ? parseTextFrame(version, message) : parseBinaryFrame(version, message);
    // As on the real server, an invalid message gets no reply, and the socket stays open.
    if (frame) this.#frames = this.#frames.then(() => this.#handle(frame)).catch(report);
  }

  #onClose(): void {
    for (const channel of this.channels.values()) {
      // An error of one channel must not keep the others open.
      try {
        channel.dispose();
      } catch (error) {
        this.#options.report(error);
      }
    }
    for (const topic of this.#leaving.keys()) this.#endLeaving(topic);
    this.#options.onClose(this);
  }

  #send(data: string | Uint8Array): void {
    const { settings, timers } = this.#options.services;
    // As in the real server's mailbox, wait for earlier frames, which may also be refused joins.
    if (this.#isBlocked) return void (this.#frames = this.#frames.then(() => this.#send(data)));
    const { latencyMs } = settings();
    if (latencyMs > 0) timers.after(latencyMs, () => this.#write(data));
    else this.#write(data);
  }

  #write(data: string | Uint8Array): void {
    const { socket, services } = this.#options;
    if (this.#isHalfOpen || !socket.isOpen) return;
    if (socket.bufferedBytes > services.settings().maxBufferedBytes) return socket.terminate();
    socket.send(data);
  }

  #reply({ joinRef, ref, topic }: Pick<InboundFrame, 'joinRef' | 'ref' | 'topic'>, reply: object): void {
    this.send({ joinRef, ref, topic, event: 'phx_reply', payload: JSON.stringify(reply) });
  }

  #replyUnmatched(frame: InboundFrame): void {
    this.#reply({ ...frame, joinRef: null }, { status: 'error', response: { reason: 'unmatched topic' } });
  }

  async #handle(frame: InboundFrame): Promise<void> {
    const { topic, event } = frame;
    if (topic === 'phoenix' && event === 'heartbeat')
      return this.#reply({ ...frame, joinRef: null }, { status: 'ok', response: {} });
    const isChannelTopic = typeof topic === 'string' && topic.startsWith('realtime:');
    if (event === 'phx_join') return isChannelTopic ? this.#join(frame, topic) : this.#replyUnmatched(frame);
    const channel = this.channels.get(topic);
    if (channel) return event === 'phx_leave' ? this.#leave(frame, channel) : channel.handle(frame);
    if (this.#leaving.has(topic)) return;
    if (event === 'phx_leave') return this.#reply(frame, { status: 'ok', response: {} });
    this.#replyUnmatched(frame);
  }

  async #join(frame: InboundFrame, topic: string): Promise<void> {
    const { socket, services, limits } = this.#options;
    const previous = this.channels.get(topic);
    this.#endLeaving(topic);
    if (previous) {
      previous.dispose();
      // As on the real server, the close of the previous channel follows the frames that have already arrived.
      this.#frames = this.#frames.then(() => this.send(closeFrame(previous)));
    }
    const outcome = await admitJoin(services, limits, this, topic, frame);
    if (!outcome.ok) {
      await this.#refuseJoin(frame, outcome.reason);
      if (outcome.closesSocket) this.close(1001);
      return;
    }
    const { channel } = outcome;
    const refusal = await this.#block(channel.establish());
    if (refusal !== null || !socket.isOpen) {
      channel.dispose();
      if (refusal !== null) await this.#refuseJoin(frame, refusal);
      return;
    }
    this.channels.set(topic, channel);
    this.#emptySinceMs = null;
    this.#reply(frame, { status: 'ok', response: { postgres_changes: channel.bindingEcho } });
    channel.start();
  }

  async #refuseJoin(frame: InboundFrame, reason: string): Promise<void> {
    const { settings, timers } = this.#options.services;
    const { joinErrorBackoffMs } = settings();
    if (joinErrorBackoffMs > 0)
      await this.#block(new Promise<void>((resolve) => void timers.after(joinErrorBackoffMs, resolve)));
    this.#reply(frame, { status: 'error', response: { reason } });
  }

  /** As on the real server, the socket reads and sends nothing else before the reply to a join. */
  async #block<T>(reply: Promise<T>): Promise<T> {
    this.#isBlocked = true;
    try {
      return await reply;
    } finally {
      this.#isBlocked = false;
    }
  }

  #leave(frame: InboundFrame, channel: Channel): Promise<void> | void {
    // Ignore a leave with the join_ref of another join. A join without one is left by any.
    if (channel.closeRef !== null && frame.joinRef !== channel.closeRef) return;
    const { topic } = frame;
    const forget = () => this.#leaving.delete(topic);
    this.#leaving.set(topic, this.#options.services.timers.after(LEAVING_MS, forget));
    return channel.handle(frame);
  }

  #endLeaving(topic: unknown): void {
    this.#leaving.get(topic)?.();
    this.#leaving.delete(topic);
  }
}

const closeFrame = ({ topic, closeRef }: Channel): OutboundFrame => ({
  joinRef: closeRef,
  ref: closeRef,
  topic,
  event: 'phx_close',
  payload: '{}',
});
