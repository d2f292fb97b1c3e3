import type { Database } from '../../database/database.ts';
import { isDatabaseError } from '../../database/database-error.ts';
import type { FetchFunction } from '../../http/in-process.ts';
import type { RealtimeService } from '../../services/realtime/realtime-service.ts';
import type { ServerSocket, SocketEvents } from '../../services/realtime/socket/server-socket.ts';
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
  const page = new ServedPage(port, started);
  port.onmessage = ({ data }: MessageEvent<PageMessage>) => page.receive(data);
}

class ServedPage {
  readonly #port: MessagePort;
  readonly #started: Promise<ServedProject>;
  readonly #aborts = new Map<number, AbortController>();
  readonly #sockets = new Map<number, OpenSocket>();

  constructor(port: MessagePort, started: Promise<ServedProject>) {
    this.#port = port;
    this.#started = started;
  }

  receive(message: PageMessage): void {
    const { id } = message;
    switch (message.type) {
      case 'request':
        return this.#respondWith(id, this.#respond(message));
      case 'abort':
        return this.#aborts.get(id)?.abort();
      case 'query':
        return this.#respondWithValue(id, ({ database }) => database.query(message.text, message.params));
      case 'advance':
        return this.#respondWithValue(id, (project) => project.advance(message.byMs).then(() => null));
      case 'forget':
        return this.#respondWithValue(id, (project) => project.forget().then(() => null));
      case 'open':
        return void this.#open(id, message.url).catch(() => this.#sockets.get(id)?.end(ABNORMAL_CLOSURE, ''));
      case 'send':
        return this.#sockets.get(id)?.receive(message.data);
      case 'close':
        return this.#sockets.get(id)?.end(message.code, message.reason);
    }
  }

  #post(message: WorkerMessage, transfer: ArrayBuffer[] = []): void {
    this.#port.postMessage(message, transfer);
  }

  #respondWith(id: number, task: Promise<WorkerMessage>): void {
    void task
      .catch((problem: unknown): WorkerMessage => {
        const message = problem instanceof Error ? problem.message : String(problem);
        const code = isDatabaseError(problem) ? problem.code : undefined;
        return { type: 'failure', id, message, ...(code !== undefined && { code }) };
      })
      .then((reply) => this.#post(reply, reply.type === 'response' && reply.body ? [reply.body] : []))
      .finally(() => this.#aborts.delete(id));
  }

  #respondWithValue(id: number, task: (project: ServedProject) => Promise<unknown>): void {
    this.#respondWith(
      id,
      this.#started.then(task).then((value) => ({ type: 'result', id, value })),
    );
  }

  async #respond(message: Extract<PageMessage, { type: 'request' }>): Promise<WorkerMessage> {
    const { id, url, method, headers, redirect, body } = message;
    const controller = new AbortController();
    this.#aborts.set(id, controller);
    const { fetch } = await this.#started;
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
      type: 'response',
      id,
      status,
      statusText,
      headers: [...response.headers],
      body: hasBody ? bytes : null,
    };
  }

  async #open(id: number, address: string): Promise<void> {
    const url = new URL(address);
    const { socket, ...ends } = createServerSocket(
      id,
      (message, transfer) => this.#post(message, transfer),
      () => this.#sockets.delete(id),
    );
    this.#sockets.set(id, ends);
    const { realtime } = await this.#started;
    const handshake = url.pathname === SOCKET_PATH ? await realtime.handshake(url) : undefined;
    if (!handshake || 'status' in handshake) return ends.end(ABNORMAL_CLOSURE, '');
    if (!this.#sockets.has(id)) return;
    this.#post({ type: 'opened', id });
    handshake.open(socket);
  }
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
    post({ type: 'closed', id, code, reason });
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
        if (typeof message === 'string') return post({ type: 'message', id, data: message });
        const copy = new Uint8Array(message).buffer;
        post({ type: 'message', id, data: copy }, [copy]);
      },
      close: (code, reason = '') => end(code, reason),
      terminate: () => end(ABNORMAL_CLOSURE, ''),
      listen(listeners) {
        events = listeners;
      },
    },
  };
}
