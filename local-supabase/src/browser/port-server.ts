import type { Database } from '../database/database.ts';
import { isDatabaseError } from '../database/database-error.ts';
import type { FetchFunction } from '../http/in-process.ts';
import type { RealtimeService } from '../realtime/realtime-service.ts';
import type { ServerSocket, SocketEvents } from '../realtime/socket/server-socket.ts';
import { ABNORMAL_CLOSURE } from './messages.ts';
import type { PageMessage, ProjectAddresses, WorkerMessage } from './messages.ts';

export interface ServedProject {
  readonly addresses: ProjectAddresses;
  readonly fetch: FetchFunction;
  readonly realtime: RealtimeService;
  readonly database: Pick<Database, 'query'>;
  advance(byMs: number): Promise<void>;
  /** Ends the project and removes its data. */
  forget(): Promise<void>;
}

const SOCKET_PATH = '/realtime/v1/websocket';
/** Statuses of responses without a body. */
const BODILESS: ReadonlySet<number> = new Set([101, 204, 205, 304]);

interface OpenSocket {
  readonly receive: (data: string | ArrayBuffer) => void;
  readonly end: (code: number, reason: string) => void;
}

/** Handles the messages of a page, which wait until the project has started. */
export function servePort(port: MessagePort, started: Promise<ServedProject>): void {
  const post = (message: WorkerMessage, transfer: ArrayBuffer[] = []) => port.postMessage(message, transfer);
  const aborts = new Map<number, AbortController>();
  const sockets = new Map<number, OpenSocket>();

  const answer = (id: number, task: Promise<WorkerMessage>) =>
    void task
      .catch((problem: unknown): WorkerMessage => {
        const message = problem instanceof Error ? problem.message : String(problem);
        const code = isDatabaseError(problem) ? problem.code : undefined;
        return { kind: 'failure', id, message, ...(code !== undefined && { code }) };
      })
      .then((reply) => post(reply, reply.kind === 'response' && reply.body ? [reply.body] : []))
      .finally(() => aborts.delete(id));
  const respond = async (message: Extract<PageMessage, { kind: 'request' }>): Promise<WorkerMessage> => {
    const { id, url, method, headers, redirect, body } = message;
    const controller = new AbortController();
    aborts.set(id, controller);
    const { fetch } = await started;
    const response = await fetch(url, {
      method,
      headers: headers.map(([...pair]) => pair),
      body,
      redirect,
      signal: controller.signal,
    });
    const { status, statusText } = response;
    const bytes = await response.arrayBuffer();
    const hasBody = !BODILESS.has(status) && response.body !== null;
    return {
      kind: 'response',
      id,
      status,
      statusText,
      headers: [...response.headers],
      body: hasBody ? bytes : null,
    };
  };
  const open = async (id: number, address: string) => {
    const url = new URL(address);
    const { socket, ...ends } = createServerSocket(id, post, () => sockets.delete(id));
    sockets.set(id, ends);
    const { realtime } = await started;
    const handshake = url.pathname === SOCKET_PATH ? await realtime.handshake(url) : undefined;
    if (!handshake || 'status' in handshake) return ends.end(ABNORMAL_CLOSURE, '');
    if (!sockets.has(id)) return;
    post({ kind: 'opened', id });
    handshake.open(socket);
  };
  port.onmessage = ({ data }: MessageEvent<PageMessage>) => {
    const { id } = data;
    switch (data.kind) {
      case 'request':
        return answer(id, respond(data));
      case 'abort':
        return aborts.get(id)?.abort();
      case 'query':
        return answer(
          id,
          started
            .then(({ database }) => database.query(data.text, data.params))
            .then((value) => ({ kind: 'result', id, value })),
        );
      case 'advance':
      case 'forget': {
        const run = (project: ServedProject) =>
          data.kind === 'advance' ? project.advance(data.byMs) : project.forget();
        return answer(
          id,
          started.then(run).then(() => ({ kind: 'result', id, value: null })),
        );
      }
      case 'open':
        return void open(id, data.url).catch(() => sockets.get(id)?.end(ABNORMAL_CLOSURE, ''));
      case 'send':
        return sockets.get(id)?.receive(data.data);
      case 'close':
        return sockets.get(id)?.end(data.code, data.reason);
    }
  };
}

function createServerSocket(
  id: number,
  post: (message: WorkerMessage, transfer?: ArrayBuffer[]) => void,
  onEnd: () => void,
): OpenSocket & { readonly socket: ServerSocket } {
  let events: SocketEvents | undefined;
  let isOpen = true;
  const end = (code: number, reason: string) => {
    if (!isOpen) return;
    isOpen = false;
    onEnd();
    post({ kind: 'closed', id, code, reason });
    events?.onClose();
  };
  return {
    end,
    receive(data) {
      if (isOpen) events?.onMessage(typeof data === 'string' ? data : new Uint8Array(data));
    },
    socket: {
      get isOpen() {
        return isOpen;
      },
      bufferedBytes: 0,
      send(message) {
        if (typeof message === 'string') return post({ kind: 'message', id, data: message });
        const copy = new Uint8Array(message).buffer;
        post({ kind: 'message', id, data: copy }, [copy]);
      },
      close: (code, reason = '') => end(code, reason),
      terminate: () => end(ABNORMAL_CLOSURE, ''),
      listen(listeners) {
        events = listeners;
      },
    },
  };
}
