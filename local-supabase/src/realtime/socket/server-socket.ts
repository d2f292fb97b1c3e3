/** What happens on an open socket. */
export interface SocketEvents {
  /** A binary message comes as bytes. */
  onMessage(message: string | Uint8Array): void;
  /** Comes once, and after every message. */
  onClose(): void;
}

/** The service's end of an open WebSocket: of a port, of a message port, or of a test. */
export interface ServerSocket {
  readonly isOpen: boolean;
  /** Bytes that are sent and not yet on their way. */
  readonly bufferedBytes: number;
  send(message: string | Uint8Array): void;
  close(code: number, reason?: string): void;
  /** Ends the connection without a closing handshake. */
  terminate(): void;
  /** Called once, before the first message can come. */
  listen(events: SocketEvents): void;
}
