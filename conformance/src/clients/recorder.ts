import { adaptWebSocket, type FetchFunction, type Socket } from 'supabase-protocol-clients/platform';
import { WebSocket } from 'ws';
import { parseFrame, type Frame } from '../target/frames.ts';
import type { ConformanceTarget } from '../target/target.ts';
import { parseJson } from '../target/wire.ts';

/** A request as a client sent it. */
export interface SentRequest {
  readonly method: string;
  /** Relative to the project's URL: `/auth/v1/token`. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: Headers;
  readonly body: string;
  /** The body as JSON, or undefined. */
  readonly json: unknown;
}

/** Records the traffic of one tab, and can disturb it. */
export interface Recorder {
  readonly requests: readonly SentRequest[];
  /** The requests to one path, in order. */
  to(path: string): readonly SentRequest[];
  /** Replaces the response to the next request to a path, for responses that a healthy server does not send. */
  scriptResponse(path: string, response: () => Response | Promise<Response>): void;
  /** URLs of the websockets that were opened. */
  readonly socketUrls: readonly string[];
  readonly sent: readonly Frame[];
  readonly received: readonly Frame[];
  /** Ends the open sockets without a close frame; no socket opens until `mend()`. */
  cut(): void;
  mend(): void;
  /** Makes the open sockets half-open: they stay open but receive nothing. */
  silence(): void;
}

export interface RecordedWire extends Recorder {
  readonly fetch: FetchFunction;
  readonly openSocket: (url: string) => Socket;
  /** Ends the silenced sockets without a close frame. */
  end(): void;
}

/** A network between a client and the target that records the traffic. */
export function createRecorder(target: ConformanceTarget, projectUrl: string): RecordedWire {
  const requests: SentRequest[] = [];
  const scripted: { readonly path: string; readonly response: () => Response | Promise<Response> }[] = [];
  const sockets = recordSockets(target);
  return {
    ...sockets,
    requests,
    to: (path) => requests.filter((request) => request.path === path),
    scriptResponse: (path, response) => void scripted.push({ path, response }),
    async fetch(input, init) {
      const request = new Request(input, init);
      const { pathname, searchParams, search } = new URL(request.url);
      const bytes = await request.arrayBuffer();
      const body = new TextDecoder().decode(bytes);
      const { method, headers, redirect, signal } = request;
      requests.push({ method, path: pathname, query: searchParams, headers, body, json: parseJson(body) });
      const index = scripted.findIndex(({ path }) => path === pathname);
      const [script] = index < 0 ? [] : scripted.splice(index, 1);
      if (script) return script.response();
      // A bare auth server has no path prefix.
      const address = (projectUrl + pathname).replace(`${projectUrl}/auth/v1`, target.authUrl) + search;
      const sent = { method, headers, redirect, signal, ...(bytes.byteLength > 0 && { body: bytes }) };
      return target.fetch(address, sent);
    },
  };
}

type SocketRecorder = Omit<RecordedWire, 'requests' | 'to' | 'scriptResponse' | 'fetch'>;

function recordSockets(target: Pick<ConformanceTarget, 'onFrame'>): SocketRecorder {
  const socketUrls: string[] = [];
  const sent: Frame[] = [];
  const received: Frame[] = [];
  const open = new Set<WebSocket>();
  let isCut = false;
  return {
    socketUrls,
    sent,
    received,
    openSocket(url) {
      socketUrls.push(url);
      if (isCut) return createDeadSocket();
      const webSocket = new WebSocket(url);
      open.add(webSocket);
      webSocket.on('close', () => open.delete(webSocket));
      webSocket.on('message', (data, isBinary) => {
        if (isBinary) return;
        const text = (data as Buffer).toString();
        target.onFrame?.('received', text);
        received.push(parseFrame(text));
      });
      const socket = adaptWebSocket(webSocket);
      const { send } = socket;
      return Object.assign(socket, {
        send(data: Parameters<Socket['send']>[0]) {
          if (typeof data === 'string') {
            target.onFrame?.('sent', data);
            sent.push(parseFrame(data));
          }
          send(data);
        },
      });
    },
    cut() {
      isCut = true;
      for (const webSocket of open) webSocket.terminate();
    },
    mend: () => void (isCut = false),
    silence() {
      for (const webSocket of open) webSocket.pause();
    },
    end() {
      for (const webSocket of open) if (webSocket.isPaused) webSocket.terminate();
    },
  };
}

/** A socket that never opens. */
function createDeadSocket(): Socket {
  const socket: Socket = {
    send() {},
    close() {},
    bufferedAmount: 0,
    onOpen: null,
    onMessage: null,
    onClose: null,
  };
  setTimeout(() => socket.onClose?.({ code: 1006, reason: '', wasClean: false }), 0);
  return socket;
}
