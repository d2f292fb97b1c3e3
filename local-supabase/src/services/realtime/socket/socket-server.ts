import type { TokenKeys } from '../../../keys/keys.ts';
import type { ChannelServices } from '../channel/channel.ts';
import { Connection } from './connection.ts';
import type { JoinLimits } from '../channel/join.ts';
import { createRateCounter } from '../rate-counter.ts';
import { legacyToken } from '../subscription/tokens.ts';
import { parseVersion } from '../channel/wire.ts';
import type { WireVersion } from '../channel/wire.ts';
import type { ServerSocket } from './server-socket.ts';

/** The interval of the check for idle sockets and sockets without a channel. */
const SWEEP_MS = 10_000;

export interface HandshakeRefusal {
  readonly status: number;
  /** Null for a response without a body. */
  readonly error: string | null;
}

export interface Handshake {
  open(socket: ServerSocket): void;
}

export interface SocketServerOptions {
  readonly keys: TokenKeys;
  readonly services: ChannelServices;
  readonly report: (error: unknown) => void;
}

/** The open sockets, their admission and their end. */
export class SocketServer {
  readonly connections = new Set<Connection>();
  readonly #options: SocketServerOptions;
  readonly #limits: JoinLimits;
  #refusedStatus: number | null = null;
  #cancelSweep: (() => void) | null = null;
  #joins = 0;

  constructor(options: SocketServerOptions) {
    const { settings, now } = options.services;
    this.#options = options;
    this.#limits = {
      onJoin: () => void (this.#joins += 1),
      joins: createRateCounter(now, () => settings().maxJoinsPerSecond),
      joinedSockets: () => [...this.connections].filter(({ channels }) => channels.size > 0).length,
    };
  }

  /** The number of joins admitted since the start. */
  get joins(): number {
    return this.#joins;
  }

  /**
   * Checks a handshake before the socket is opened.
   *
   * @param url the client's URL, with key and version as parameters.
   * @param apiKey the key of a header, which takes precedence.
   */
  async handshake(url: URL, apiKey: string | null = null): Promise<HandshakeRefusal | Handshake> {
    const { settings, timers } = this.#options.services;
    const version = parseVersion(url.searchParams.get('vsn'));
    if (version === null) return { status: 403, error: null };
    const admitted = await this.#admit(url, apiKey);
    if (!('status' in admitted)) return { open: (socket) => this.#open(socket, version, admitted.token) };
    const { connectErrorBackoffMs } = settings();
    if (connectErrorBackoffMs > 0)
      await new Promise<void>((resolve) => void timers.after(connectErrorBackoffMs, resolve));
    return admitted;
  }

  /** Refuses every handshake with this HTTP status; null admits them again. */
  refuseWith(status: number | null): void {
    this.#refusedStatus = status;
  }

  /** Closes sockets that were idle or without a channel for too long. */
  sweep(): void {
    const { settings, now } = this.#options.services;
    const { idleTimeoutMs, emptySocketTimeoutMs } = settings();
    for (const connection of this.connections) {
      const silentMs = now() - connection.lastFrameMs;
      const emptyMs = now() - (connection.emptySinceMs ?? now());
      if (silentMs >= idleTimeoutMs || emptyMs >= emptySocketTimeoutMs) connection.close(1000);
    }
  }

  close(): void {
    this.#cancelSweep?.();
    for (const connection of this.connections) connection.terminate();
  }

  #sweepLater(): void {
    this.#cancelSweep ??= this.#options.services.timers.after(SWEEP_MS, () => {
      this.#cancelSweep = null;
      this.sweep();
      if (this.connections.size > 0) this.#sweepLater();
    });
  }

  #open(socket: ServerSocket, version: WireVersion, token: string): void {
    const { services, report } = this.#options;
    const onClose = (connection: Connection) => {
      this.connections.delete(connection);
      if (this.connections.size > 0) return;
      this.#cancelSweep?.();
      this.#cancelSweep = null;
    };
    const limits = this.#limits;
    this.connections.add(new Connection({ socket, version, token, services, limits, onClose, report }));
    this.#sweepLater();
  }

  /** Returns the refusal of a handshake, or the token of its API key. */
  async #admit(url: URL, apiKey: string | null): Promise<HandshakeRefusal | { token: string }> {
    const { keys, services } = this.#options;
    const { settings } = services;
    if (this.#refusedStatus !== null)
      return { status: this.#refusedStatus, error: 'Error connecting to Realtime' };
    if (settings().suspended) return { status: 403, error: 'Realtime was disabled for this tenant' };
    const key = apiKey ?? url.searchParams.get('apikey');
    if (key === null) return { status: 401, error: 'API key is missing' };
    const token = legacyToken(keys, key);
    const checked = await services.checkToken(token);
    if (!checked.ok) {
      // The response to a refused handshake omits the seconds.
      const error = checked.message.startsWith('Token has expired') ? 'Token has expired' : checked.message;
      return { status: checked.status, error };
    }
    if (this.#limits.joinedSockets() >= settings().maxConnections)
      return { status: 429, error: 'Too many connected users' };
    if (this.#limits.joins.isExceeded) return { status: 429, error: 'Too many joins per second' };
    return { token };
  }
}
