import type { Socket } from './platform.ts';

/** A WebSocket of the WHATWG's shape: the browser's own, or that of a package such as `ws`. */
export interface WebSocketLike {
  binaryType: string;
  readonly bufferedAmount: number;
  send(data: string | Uint8Array<ArrayBuffer>): void;
  close(code?: number, reason?: string): void;
  onopen: unknown;
  onmessage: unknown;
  onclose: unknown;
  onerror: unknown;
}

/**
 * A WebSocket as the platform's `openSocket` has to return it. Node 20 has none of its own:
 *
 * @example
 * ```ts
 * import { adaptWebSocket, createBrowserPlatform } from 'supabase-protocol-clients/platform';
 * import { WebSocket } from 'ws';
 *
 * const platform = createBrowserPlatform({ openSocket: (url) => adaptWebSocket(new WebSocket(url)) });
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
