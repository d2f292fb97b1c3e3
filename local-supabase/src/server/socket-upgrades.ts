import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocketServer } from 'ws';
import type { WebSocket } from 'ws';
import { decodeUtf8 } from '../platform/bytes.ts';
import type { RealtimeService } from '../services/realtime/realtime-service.ts';
import type { ServerSocket } from '../services/realtime/socket/server-socket.ts';
import type { HandshakeRefusal } from '../services/realtime/socket/socket-server.ts';
import { statusTexts } from '../http/status-text.ts';

const PATH = '/realtime/v1/websocket';

export interface SocketUpgradeOptions {
  /** The upgrades that are accepted. Default: all. */
  readonly admits?: (request: IncomingMessage) => boolean;
  readonly report?: (problem: unknown) => void;
}

/**
 * Connects WebSocket upgrades of a server to Realtime.
 *
 * @returns a function that detaches it.
 */
export function attachSockets(
  server: Server,
  realtime: RealtimeService,
  { admits = () => true, report = console.error }: SocketUpgradeOptions = {},
): () => void {
  const webSockets = new WebSocketServer({
    noServer: true,
    maxPayload: realtime.maxFrameBytes,
    clientTracking: false,
  });
  const upgrade = async (request: IncomingMessage, stream: Duplex, head: Buffer) => {
    const onError = () => stream.destroy();
    stream.on('error', onError);
    const header = request.headers['x-api-key'];
    const handshake = await realtime.handshake(
      new URL(request.url ?? '/', 'http://localhost'),
      typeof header === 'string' ? header : null,
    );
    if ('status' in handshake) return refuse(stream, handshake);
    stream.off('error', onError);
    webSockets.handleUpgrade(request, stream, head, (webSocket) => handshake.open(serverSocketOf(webSocket)));
  };
  const onUpgrade = (request: IncomingMessage, stream: Duplex, head: Buffer) => {
    // The functions handle their upgrades themselves.
    if (request.url?.startsWith('/functions/v1/')) return;
    const refusal =
      request.url?.split('?')[0] !== PATH
        ? { status: 404, error: 'Not found' }
        : !admits(request) && { status: 403, error: 'Forbidden origin' };
    if (refusal) {
      stream.on('error', () => stream.destroy());
      return refuse(stream, refusal);
    }
    upgrade(request, stream, head).catch((problem: unknown) => {
      stream.destroy();
      report(problem);
    });
  };
  server.on('upgrade', onUpgrade);
  return () => void server.off('upgrade', onUpgrade);
}

function serverSocketOf(webSocket: WebSocket): ServerSocket {
  return {
    get isOpen() {
      return webSocket.readyState === webSocket.OPEN;
    },
    get bufferedBytes() {
      return webSocket.bufferedAmount;
    },
    send: (message) => webSocket.send(message),
    close: (code, reason) => webSocket.close(code, reason),
    terminate: () => webSocket.terminate(),
    listen({ onMessage, onClose }) {
      webSocket.on('message', (data: Buffer, isBinary) => onMessage(isBinary ? data : decodeUtf8(data)));
      webSocket.on('error', () => webSocket.terminate());
      webSocket.on('close', () => {
        onClose();
        webSocket.removeAllListeners();
        webSocket.on('error', () => {});
      });
    },
  };
}

function refuse(stream: Duplex, { status, error }: HandshakeRefusal): void {
  const body = error === null ? '' : JSON.stringify({ error });
  const head = [
    `HTTP/1.1 ${status} ${statusTexts[status] ?? 'Error'}`,
    ...(error === null ? [] : ['Content-Type: application/json; charset=utf-8']),
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
  ];
  stream.end(`${head.join('\r\n')}\r\n\r\n${body}`);
}
