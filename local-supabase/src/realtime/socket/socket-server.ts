import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocketServer } from 'ws';
import type { WebSocket } from 'ws';
import type { TokenKeys } from '../../keys/keys.ts';
import type { ChannelServices } from '../channel/channel.ts';
import { createConnection } from './connection.ts';
import type { Connection } from './connection.ts';
import type { JoinLimits } from '../channel/join.ts';
import { createRateCounter } from '../rate-counter.ts';
import { legacyToken } from '../subscription/tokens.ts';
import { parseVersion } from '../channel/wire.ts';
import type { WireVersion } from '../channel/wire.ts';

const PATH = '/realtime/v1/websocket';
/** The interval of the check for idle sockets and sockets without a channel. */
const SWEEP_MS = 10_000;

/** The open sockets, and the handshake. */
export interface SocketServer {
  /** Answers the upgrades of `server` on /realtime/v1/websocket that `admits` allows. Returns a function that detaches it. */
  attach(server: Server, admits?: (request: IncomingMessage) => boolean): () => void;
  readonly connections: ReadonlySet<Connection>;
  /** The number of joins admitted since the start. */
  readonly joins: number;
  /** Refuses every handshake with this HTTP status; null admits them again. */
  refuseWith(status: number | null): void;
  /** Closes sockets that were idle or without a channel for too long. */
  sweep(): void;
  close(): Promise<void>;
}

export interface SocketServerOptions {
  readonly keys: TokenKeys;
  readonly services: ChannelServices;
  readonly report: (error: unknown) => void;
}

export function createSocketServer({ keys, services, report }: SocketServerOptions): SocketServer {
  const { settings, now, timers } = services;
  const webSockets = new WebSocketServer({
    noServer: true,
    maxPayload: settings().maxFrameBytes,
    clientTracking: false,
  });
  const connections = new Set<Connection>();
  const detachers = new Set<() => void>();
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
  const open = (webSocket: WebSocket, version: WireVersion, token: string) => {
    const onClose = (connection: Connection) => {
      connections.delete(connection);
      if (connections.size > 0) return;
      cancelSweep?.();
      cancelSweep = null;
    };
    connections.add(createConnection({ webSocket, version, token, services, limits, onClose, report }));
    sweepLater();
  };
  /** The refusal of a handshake, or the token of its API key. */
  const admit = async (request: IncomingMessage, url: URL): Promise<Refusal | { token: string }> => {
    if (refusedStatus !== null) return { status: refusedStatus, error: 'Error connecting to Realtime' };
    if (settings().suspended) return { status: 403, error: 'Realtime was disabled for this tenant' };
    const header = request.headers['x-api-key'];
    const key = (typeof header === 'string' ? header : null) ?? url.searchParams.get('apikey');
    if (!key) return { status: 401, error: 'API key is missing' };
    const token = legacyToken(keys, key);
    const checked = await services.checkToken(token);
    if (!checked.ok) {
      // The response to a refused handshake does not contain the seconds.
      const error = checked.message.startsWith('Token has expired') ? 'Token has expired' : checked.message;
      return { status: checked.status, error };
    }
    if (limits.joinedSockets() >= settings().maxConnections)
      return { status: 429, error: 'Too many connected users' };
    if (limits.joins.isExceeded) return { status: 429, error: 'Too many joins per second' };
    return { token };
  };
  const upgrade = async (request: IncomingMessage, stream: Duplex, head: Buffer) => {
    const url = new URL(request.url ?? '/', 'http://localhost');
    const onError = () => stream.destroy();
    stream.on('error', onError);
    const version = parseVersion(url.searchParams.get('vsn'));
    if (version === null) return refuse(stream, { status: 403, error: null });
    const admitted = await admit(request, url);
    if ('status' in admitted) {
      const { connectErrorBackoffMs } = settings();
      if (connectErrorBackoffMs > 0) timers.after(connectErrorBackoffMs, () => refuse(stream, admitted));
      else refuse(stream, admitted);
      return;
    }
    stream.off('error', onError);
    webSockets.handleUpgrade(request, stream, head, (webSocket) => open(webSocket, version, admitted.token));
  };

  const server: SocketServer = {
    attach(httpServer, admits = () => true) {
      const onUpgrade = (request: IncomingMessage, stream: Duplex, head: Buffer) => {
        const refusal =
          request.url?.split('?')[0] !== PATH
            ? { status: 404, error: 'Not found' }
            : !admits(request) && { status: 403, error: 'Forbidden origin' };
        if (refusal) {
          stream.on('error', () => stream.destroy());
          return refuse(stream, refusal);
        }
        upgrade(request, stream, head).catch((error: unknown) => {
          stream.destroy();
          report(error);
        });
      };
      httpServer.on('upgrade', onUpgrade);
      const detach = () => {
        httpServer.off('upgrade', onUpgrade);
        detachers.delete(detach);
      };
      detachers.add(detach);
      return detach;
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
    async close() {
      for (const detach of detachers) detach();
      cancelSweep?.();
      for (const connection of connections) connection.terminate();
      await new Promise<void>((resolve) => webSockets.close(() => resolve()));
    },
  };
  return server;
}

interface Refusal {
  readonly status: number;
  /** Null for a response without a body. */
  readonly error: string | null;
}

function refuse(stream: Duplex, { status, error }: Refusal): void {
  const body = error === null ? '' : JSON.stringify({ error });
  const head = [
    `HTTP/1.1 ${status} ${STATUS_TEXT[status] ?? 'Error'}`,
    ...(error === null ? [] : ['Content-Type: application/json; charset=utf-8']),
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
  ];
  stream.end(`${head.join('\r\n')}\r\n\r\n${body}`);
}

const STATUS_TEXT: Record<number, string> = {
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  429: 'Too Many Requests',
  500: 'Internal Server Error',
  503: 'Service Unavailable',
};
