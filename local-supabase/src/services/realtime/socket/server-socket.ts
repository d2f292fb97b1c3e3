export interface SocketEvents {
  /** Binary messages are bytes. */
  onMessage(message: string | Uint8Array): void;
  /** Called once, after every message. */
  onClose(): void;
}

/** The server side of an open WebSocket: of a network port, a message port, or a test. */
export interface ServerSocket {
  readonly isOpen: boolean;
  readonly bufferedBytes: number;
  send(message: string | Uint8Array): void;
  close(code: number, reason?: string): void;
  /** Ends the connection without a closing handshake. */
  terminate(): void;
  /** Called once, before the first message. */
  listen(events: SocketEvents): void;
}
