import type { FetchFunction } from '../../http/in-process.ts';
import { ABNORMAL_CLOSURE, CONNECT } from './messages.ts';
import type { PageMessage, ProjectAddresses, StartProgress, WorkerMessage } from './messages.ts';
import { PortSocket } from './port-socket.ts';
import type { SocketPort } from './port-socket.ts';

/** A project that runs in a worker of this site. */
export interface WorkerSupabase extends ProjectAddresses {
  /** Sends requests for the project to the worker, and others to the network. */
  readonly fetch: FetchFunction;
  /** A `WebSocket` to the project, for a client's option `transport` or as a replacement of the global one. */
  readonly WebSocket: new (url: string | URL, protocols?: string | string[]) => WebSocket;
  /** Runs a statement as superuser. Rejects with PostgreSQL's error (`code` = SQLSTATE). */
  query<Row = Record<string, unknown>>(text: string, params?: readonly unknown[]): Promise<Row[]>;
  /** Moves the project's clock ahead by this many milliseconds. */
  advance(byMs: number): Promise<void>;
  /** Ends the project and removes its data from this browser. End the worker afterwards: a new one starts from scratch. */
  forget(): Promise<void>;
  /** Ends this page's connection: requests in flight reject and sockets close. The worker keeps running. */
  close(): void;
}

export interface ConnectOptions {
  readonly onProgress?: (progress: StartProgress) => void;
}

/** A `Worker`, the port of a `SharedWorker`, or another port. */
export type WorkerTarget = Pick<Worker, 'postMessage'> & Partial<Pick<Worker, 'addEventListener'>>;

/**
 * Connects a page to the project of a worker, and waits until the project has started.
 *
 * @throws {Error} with the reason why the project cannot start.
 */
export async function connectLocalSupabase(
  worker: WorkerTarget,
  { onProgress }: ConnectOptions = {},
): Promise<WorkerSupabase> {
  const connection = new WorkerConnection();
  const addresses = await connection.open(worker, onProgress);
  return {
    ...addresses,
    fetch: createPortFetch(connection, addresses),
    WebSocket: class extends PortSocket {
      constructor(url: string | URL) {
        super(connection, url);
      }
    } as unknown as WorkerSupabase['WebSocket'],
    async query<Row>(text: string, params: readonly unknown[] = []) {
      const result = await connection.ask((id) => ({ type: 'query', id, text, params }));
      return (result.type === 'result' ? result.value : []) as Row[];
    },
    async advance(byMs) {
      await connection.ask((id) => ({ type: 'advance', id, byMs }));
    },
    async forget() {
      await connection.ask((id) => ({ type: 'forget', id }));
    },
    close: () => connection.close(),
  };
}

/** The messages between a page and the worker of a project. */
class WorkerConnection implements SocketPort {
  readonly #channel = new MessageChannel();
  readonly #port = this.#channel.port1;
  readonly #receivers = new Map<number, (message: WorkerMessage) => void>();
  readonly #pending = new Set<(problem: Error) => void>();
  #lastId = 0;
  #isClosed = false;

  open(worker: WorkerTarget, onProgress: ConnectOptions['onProgress']): Promise<ProjectAddresses> {
    return new Promise((resolve, reject) => {
      this.#port.onmessage = ({ data }: MessageEvent<WorkerMessage>) => {
        if (data.type === 'ready') resolve(data.addresses);
        else if (data.type === 'unusable') reject(new Error(data.message));
        else if (data.type === 'progress') onProgress?.(data.progress);
        else this.#receivers.get(data.id)?.(data);
      };
      worker.addEventListener?.('error', ({ message }) =>
        reject(new Error(`The worker of the project failed: ${message ?? 'its module cannot be loaded'}`)),
      );
      worker.postMessage(CONNECT, [this.#channel.port2]);
    });
  }

  post(message: PageMessage, transfer: ArrayBuffer[] = []): void {
    this.#port.postMessage(message, transfer);
  }

  register(receive: (message: WorkerMessage) => void): ReturnType<SocketPort['register']> {
    const id = (this.#lastId += 1);
    this.#receivers.set(id, receive);
    return { id, release: () => void this.#receivers.delete(id) };
  }

  /** Sends a message that has one response. */
  ask(
    message: (id: number) => PageMessage,
    { transfer = [], signal }: { readonly transfer?: ArrayBuffer[]; readonly signal?: AbortSignal } = {},
  ): Promise<WorkerMessage> {
    return new Promise<WorkerMessage>((resolve, reject) => {
      if (this.#isClosed) return reject(new TypeError('The connection to the worker is closed'));
      const { id, release } = this.register((message) => {
        end();
        if (message.type === 'failure') reject(failureOf(message));
        else resolve(message);
      });
      const abort = () => {
        end();
        this.post({ type: 'abort', id });
        reject(signal?.reason as Error);
      };
      const end = () => {
        release();
        this.#pending.delete(reject);
        signal?.removeEventListener('abort', abort);
      };
      this.#pending.add(reject);
      signal?.addEventListener('abort', abort, { once: true });
      this.post(message(id), transfer);
    });
  }

  close(): void {
    this.#isClosed = true;
    for (const reject of this.#pending) reject(new TypeError('The connection was closed'));
    this.#pending.clear();
    for (const [id, receive] of this.#receivers) {
      this.post({ type: 'close', id, code: ABNORMAL_CLOSURE, reason: '' });
      receive({ type: 'closed', id, code: ABNORMAL_CLOSURE, reason: '' });
    }
    this.#port.close();
  }
}

function createPortFetch(
  connection: WorkerConnection,
  { url: projectUrl, mailboxUrl }: ProjectAddresses,
): FetchFunction {
  const origins = new Set([projectUrl, mailboxUrl].map((url) => new URL(url).origin));
  return async (input, init) => {
    const request = new Request(input, init);
    if (!origins.has(new URL(request.url).origin)) return fetch(request);
    request.signal.throwIfAborted();
    const hasBody = request.method !== 'GET' && request.method !== 'HEAD';
    const body = hasBody ? await request.arrayBuffer() : null;
    const { url, method, redirect } = request;
    const message = await connection.ask(
      (id) => ({ type: 'request', id, url, method, redirect, headers: [...request.headers], body }),
      { transfer: body ? [body] : [], signal: request.signal },
    );
    if (message.type !== 'response') throw new TypeError('The worker gave no response');
    return responseOf(message, url);
  };
}

const failureOf = ({ message, code }: Extract<WorkerMessage, { type: 'failure' }>): Error =>
  Object.assign(new TypeError(message), code !== undefined && { code });

function responseOf(message: Extract<WorkerMessage, { type: 'response' }>, url: string): Response {
  const { status, statusText, headers, body } = message;
  const response = new Response(body, { status, statusText, headers: headers.map(([...pair]) => pair) });
  // A response created by its constructor has no URL.
  Object.defineProperty(response, 'url', { value: url });
  return response;
}
