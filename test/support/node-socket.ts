import { WebSocket } from 'ws';
import type { Socket } from '../../src/platform/platform.ts';

/** Opens a websocket in Node, whose older versions have no global `WebSocket`. For `Platform.openSocket`. */
export function openNodeSocket(url: string): Socket {
  const webSocket = new WebSocket(url);
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
  webSocket.onmessage = ({ data }) =>
    socket.onMessage?.(typeof data === 'string' ? data : (data as ArrayBuffer));
  webSocket.onclose = ({ code, reason, wasClean }) => socket.onClose?.({ code, reason, wasClean });
  // A refused connection closes too; without a listener its error would end the process.
  webSocket.onerror = () => {};
  return socket;
}
