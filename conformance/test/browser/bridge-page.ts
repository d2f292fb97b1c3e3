import { connectLocalSupabase, type ProjectAddresses } from 'local-supabase/browser';

/** A body as base64, because only JSON passes between the page and Node. */
type Base64 = string;

export interface BridgedRequest {
  readonly url: string;
  readonly method: string;
  readonly headers: readonly [string, string][];
  readonly body: Base64 | null;
}

export interface BridgedResponse {
  readonly status: number;
  readonly headers: readonly [string, string][];
  readonly body: Base64;
}

/** The events of a page's socket, for Node. */
export type SocketEvent =
  | { readonly kind: 'opened' }
  | { readonly kind: 'text'; readonly data: string }
  | { readonly kind: 'binary'; readonly data: Base64 }
  | { readonly kind: 'closed'; readonly code: number; readonly reason: string };

declare global {
  interface Window {
    readonly bridge: typeof bridge;
    /** Exposed by the test before the page is loaded. */
    readonly emitToSocket: (id: number, event: SocketEvent) => Promise<void>;
  }
}

const connected = connectLocalSupabase(new Worker('/bridge-worker.js', { type: 'module' }));
const sockets = new Map<number, WebSocket>();

const bridge = {
  async addresses(): Promise<ProjectAddresses> {
    const { url, mailboxUrl, anonKey, publishableKey, serviceRoleKey, secretKey } = await connected;
    return { url, mailboxUrl, anonKey, publishableKey, serviceRoleKey, secretKey };
  },
  async request({ url, method, headers, body }: BridgedRequest): Promise<BridgedResponse> {
    const { fetch } = await connected;
    const response = await fetch(url, {
      method,
      headers: headers.map(([...pair]) => pair),
      body: body === null ? null : bytesOf(body),
      redirect: 'manual',
    });
    const bytes = new Uint8Array(await response.arrayBuffer());
    return { status: response.status, headers: [...response.headers], body: base64Of(bytes) };
  },
  async query(text: string, values: readonly unknown[]): Promise<unknown> {
    return (await connected).query(text, values);
  },
  async open(id: number, url: string): Promise<void> {
    const { WebSocket } = await connected;
    const socket = new WebSocket(url);
    sockets.set(id, socket);
    const emit = (event: SocketEvent) => void window.emitToSocket(id, event);
    socket.binaryType = 'arraybuffer';
    socket.onopen = () => emit({ kind: 'opened' });
    socket.onmessage = ({ data }: MessageEvent<string | ArrayBuffer>) =>
      emit(
        typeof data === 'string'
          ? { kind: 'text', data }
          : { kind: 'binary', data: base64Of(new Uint8Array(data)) },
      );
    socket.onclose = ({ code, reason }) => {
      sockets.delete(id);
      emit({ kind: 'closed', code, reason });
    };
  },
  send(id: number, data: string, isBinary: boolean): void {
    sockets.get(id)?.send(isBinary ? bytesOf(data) : data);
  },
  close(id: number): void {
    sockets.get(id)?.close();
  },
};

Object.assign(window, { bridge });

function bytesOf(text: Base64): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
}

function base64Of(bytes: Uint8Array): Base64 {
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));
}
