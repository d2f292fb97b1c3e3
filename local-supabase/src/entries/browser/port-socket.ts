import { ABNORMAL_CLOSURE } from './messages.ts';
import type { PageMessage, WorkerMessage } from './messages.ts';

/** Connects sockets of a page to the worker. */
export interface SocketPort {
  /** Sends a message, with the id of the socket. */
  post(message: PageMessage, transfer?: ArrayBuffer[]): void;
  /** Calls `receive` for each message with the returned id. `release` ends that. */
  register(receive: (message: WorkerMessage) => void): { readonly id: number; readonly release: () => void };
}

type Handler<E extends Event> = ((event: E) => void) | null;

const NORMAL_CLOSURE = 1000;

/** The `WebSocket` of a page over a port of the worker. Any number of sockets share the port. */
export class PortSocket extends EventTarget {
  static readonly CONNECTING = 0;
  static readonly OPEN = 1;
  static readonly CLOSING = 2;
  static readonly CLOSED = 3;
  readonly CONNECTING = 0;
  readonly OPEN = 1;
  readonly CLOSING = 2;
  readonly CLOSED = 3;
  readonly url: string;
  readonly protocol = '';
  readonly extensions = '';
  readonly bufferedAmount = 0;
  binaryType: BinaryType = 'blob';
  onopen: Handler<Event> = null;
  onmessage: Handler<MessageEvent> = null;
  onerror: Handler<Event> = null;
  onclose: Handler<CloseEvent> = null;
  readonly #port: SocketPort;
  readonly #id: number;
  readonly #release: () => void;
  #readyState = 0;

  constructor(port: SocketPort, url: string | URL) {
    super();
    this.url = String(url);
    this.#port = port;
    const { id, release } = port.register((message) => this.#receive(message));
    this.#id = id;
    this.#release = release;
    port.post({ type: 'open', id, url: this.url });
  }

  get readyState(): number {
    return this.#readyState;
  }

  /** @throws {DOMException} InvalidStateError before the socket is open. */
  send(data: string | ArrayBufferLike | ArrayBufferView | Blob): void {
    if (this.#readyState === PortSocket.CONNECTING)
      throw new DOMException('The socket is still connecting', 'InvalidStateError');
    if (this.#readyState !== PortSocket.OPEN) return;
    if (data instanceof Blob) return void data.arrayBuffer().then((bytes) => this.send(bytes));
    const copy = typeof data === 'string' ? data : copyOf(data);
    this.#port.post({ type: 'send', id: this.#id, data: copy }, typeof copy === 'string' ? [] : [copy]);
  }

  close(code: number = NORMAL_CLOSURE, reason = ''): void {
    if (this.#readyState >= PortSocket.CLOSING) return;
    this.#readyState = PortSocket.CLOSING;
    this.#port.post({ type: 'close', id: this.#id, code, reason });
  }

  #receive(message: WorkerMessage): void {
    if (message.type === 'opened' && this.#readyState === PortSocket.CONNECTING) {
      this.#readyState = PortSocket.OPEN;
      this.#emit(new Event('open'), this.onopen);
    } else if (message.type === 'message' && this.#readyState === PortSocket.OPEN) {
      const { data } = message;
      const isBlob = typeof data !== 'string' && this.binaryType === 'blob';
      this.#emit(new MessageEvent('message', { data: isBlob ? new Blob([data]) : data }), this.onmessage);
    } else if (message.type === 'closed') this.#end(message.code, message.reason);
  }

  #end(code: number, reason: string): void {
    if (this.#readyState === PortSocket.CLOSED) return;
    this.#readyState = PortSocket.CLOSED;
    this.#release();
    const wasClean = code !== ABNORMAL_CLOSURE;
    if (!wasClean) this.#emit(new Event('error'), this.onerror);
    this.#emit(new CloseEvent('close', { code, reason, wasClean }), this.onclose);
  }

  #emit<E extends Event>(event: E, handler: Handler<E>): void {
    handler?.call(this, event);
    this.dispatchEvent(event);
  }
}

function copyOf(data: ArrayBufferLike | ArrayBufferView): ArrayBuffer {
  const bytes = ArrayBuffer.isView(data)
    ? new Uint8Array(data.buffer, data.byteOffset, data.byteLength)
    : new Uint8Array(data);
  return new Uint8Array(bytes).buffer;
}
