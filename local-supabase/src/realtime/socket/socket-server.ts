import type { TokenKeys } from '../../keys/keys.ts';
import type { ChannelServices } from '../channel/channel.ts';
import { createConnection } from './connection.ts';
import type { Connection } from './connection.ts';
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

export interface SocketServer {
  /**
   * Checks a handshake before the socket is opened.
   *
   * @param url the client's URL, with key and version as parameters.
   * @param apiKey the key of a header, which takes precedence.
   */
  handshake(url: URL, apiKey?: string | null): Promise<HandshakeRefusal | Handshake>;
  readonly connections: ReadonlySet<Connection>;
  /** The number of joins admitted since the start. */
  readonly joins: number;
  /** Refuses every handshake with this HTTP status; null admits them again. */
  refuseWith(status: number | null): void;
  /** Closes sockets that were idle or without a channel for too long. */
  sweep(): void;
  close(): void;
}

export interface SocketServerOptions {
  readonly keys: TokenKeys;
  readonly services: ChannelServices;
  readonly report: (error: unknown) => void;
}

export function createSocketServer({ keys, services, report }: SocketServerOptions): SocketServer {
  const { settings, now, timers } = services;
  const connections = new Set<Connection>();
  let refusedStatus: number | null = null;
  let cancelSweep: (() => void) | null = null;
  let joins = 0;
  const limits: JoinLimits = {
    onJoin: () => void (joins += 1),
    joins: createRateCounter(now, () => settings().maxJoinsPerSecond),
    joinedSockets: () => [...connections].filter(({ channels }) => channels.size > 0).length,
  };

  const sweepLater = () => {
    cancelSweep ??= timers.after(SWEEP_MS, () => {
      cancelSweep = null;
      server.sweep();
      if (connections.size > 0) sweepLater();
    });
  };
  const open = (socket: ServerSocket, version: WireVersion, token: string) => {
    const onClose = (connection: Connection) => {
      connections.delete(connection);
      if (connections.size > 0) return;
      cancelSweep?.();
      cancelSweep = null;
    };
    connections.add(createConnection({ socket, version, token, services, limits, onClose, report }));
    sweepLater();
  };
  /** Returns the refusal of a handshake, or the token of its API key. */
  const admit = async (url: URL, apiKey: string | null): Promise<HandshakeRefusal | { token: string }> => {
    if (refusedStatus !== null) return { status: refusedStatus, error: 'Error connecting to Realtime' };
    if (settings().suspended) return { status: 403, error: 'Realtime was disabled for this tenant' };
    const key = apiKey ?? url.searchParams.get('apikey');
    if (!key) return { status: 401, error: 'API key is missing' };
    const token = legacyToken(keys, key);
    const checked = await services.checkToken(token);
    if (!checked.ok) {
      // The response to a refused handshake omits the seconds.
      const error = checked.message.startsWith('Token has expired') ? 'Token has expired' : checked.message;
      return { status: checked.status, error };
    }
    if (limits.joinedSockets() >= settings().maxConnections)
      return { status: 429, error: 'Too many connected users' };
    if (limits.joins.isExceeded) return { status: 429, error: 'Too many joins per second' };
    return { token };
  };
  const server: SocketServer = {
    async handshake(url, apiKey = null) {
      const version = parseVersion(url.searchParams.get('vsn'));
      if (version === null) return { status: 403, error: null };
      const admitted = await admit(url, apiKey);
      if (!('status' in admitted)) return { open: (socket) => open(socket, version, admitted.token) };
      const { connectErrorBackoffMs } = settings();
      if (connectErrorBackoffMs > 0)
        await new Promise<void>((resolve) => void timers.after(connectErrorBackoffMs, resolve));
      return admitted;
    },
    connections,
    get joins() {
      return joins;
    },
    refuseWith(status) {
      refusedStatus = status;
    },
    sweep() {
      const { idleTimeoutMs, emptySocketTimeoutMs } = settings();
      for (const connection of connections) {
        const silentMs = now() - connection.lastFrameMs;
        const emptyMs = now() - (connection.emptySinceMs ?? now());
        if (silentMs >= idleTimeoutMs || emptyMs >= emptySocketTimeoutMs) connection.close(1000);
      }
    },
    close() {
      cancelSweep?.();
      for (const connection of connections) connection.terminate();
    },
  };
  return server;
}
