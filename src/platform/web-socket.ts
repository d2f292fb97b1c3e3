import type { Socket } from './platform.ts';

/** The part of the WHATWG's WebSocket that `adaptWebSocket` uses: the browser's own, or that of a package such as `ws`. */
export interface WebSocketLike {
  /** Set to `arraybuffer`. */
  binaryType: string;
  /** Bytes queued and not yet handed to the network. */
  readonly bufferedAmount: number;
  /** Sends a text or binary frame. */
  send(data: string | Uint8Array<ArrayBuffer>): void;
  /** Closes the connection. */
  close(code?: number, reason?: string): void;
  /** Handler of the `open` event. */
  onopen: unknown;
  /** Handler of `message` events. */
  onmessage: unknown;
  /** Handler of the `close` event. */
  onclose: unknown;
  /** Handler of the `error` event. */
  onerror: unknown;
}

/**
 * Adapts a WebSocket to the platform's `openSocket`, such as the one of the package `ws` on Node 20, which has none:
 *
 * @example
 * ```ts
 * import { adaptWebSocket, createPlatform } from 'supabase-protocol-clients/platform';
 * import { WebSocket } from 'ws';
 *
 * const platform = createPlatform({ openSocket: (url) => adaptWebSocket(new WebSocket(url)) });
 * ```
 */
export function adaptWebSocket(webSocket: WebSocketLike): Socket {
  webSocket.binaryType = 'arraybuffer';
  const socket: Socket = {
    send: (data) => webSocket.send(data),
    close: (code, reason) => webSocket.close(code, reason),
    get bufferedAmount() {
      return webSocket.bufferedAmount;
    },
    onOpen: null,
    onMessage: null,
    onClose: null,
  };
  webSocket.onopen = () => socket.onOpen?.();
  webSocket.onmessage = (event: MessageEvent<string | ArrayBuffer>) => socket.onMessage?.(event.data);
  webSocket.onclose = ({ code, reason, wasClean }: CloseEvent) =>
    socket.onClose?.({ code, reason, wasClean });
  // A close follows each error. Without a listener an error would end a Node process.
  webSocket.onerror = () => {};
  return socket;
}
