/**
 * The runtime as the clients see it: requests, time, random numbers, locks, other tabs, the page, sockets. A client reads no
 * global; tests and other runtimes pass other parts.
 */
export interface Platform {
  /** WHATWG `fetch`. */
  readonly fetch: FetchFunction;
  /** Time and timers. */
  readonly clock: Clock;
  /** Random numbers. */
  readonly random: Random;
  /** SHA-256 of `data` (32 bytes). */
  readonly sha256: (data: Uint8Array) => Promise<Uint8Array>;
  /** Exclusive locks, shared with other tabs where the runtime can. */
  readonly locks: Locks;
  /** Opens the named channel to the other tabs of this origin. */
  readonly openTabChannel: (name: string) => TabChannel;
  /** Visibility of the page, and whether the host is online. */
  readonly page: Page;
  /** Creates an XMLHttpRequest, which alone reports an upload in progress. Default: the runtime's own, where it has one. */
  readonly createXhr?: (() => XMLHttpRequest) | undefined;
  /** Opens a websocket; the socket is `connecting` when it is returned. */
  readonly openSocket: (url: string) => Socket;
  /** Receives a failure that no caller awaits, such as that of a listener. Never throws. */
  readonly report: (problem: unknown) => void;
}

/** WHATWG `fetch`. */
export type FetchFunction = (input: RequestInfo | URL, init?: RequestInit) => Promise<Response>;

/** Ends the subscription that returned it. Calling it again does nothing. */
export type Unsubscribe = () => void;

/** Time and timers. */
export interface Clock {
  /** Wall-clock time in milliseconds since the epoch. May jump in either direction. */
  now(): number;
  /** Milliseconds since an arbitrary start. Never goes back; may stand still while the machine sleeps. */
  monotonicMs(): number;
  /** Calls `callback` once after at least `delayMs` milliseconds, of any length; never for Infinity. */
  setTimer(callback: () => void, delayMs: number): Timer;
}

/** A timer that was set. */
export interface Timer {
  /** Prevents the call if it has not happened yet. */
  cancel(): void;
  /** Lets the process end before the call, where a timer keeps it alive, as in Node. Default: the timer keeps it alive. */
  unref?(): void;
}

/** Random numbers. */
export interface Random {
  /** A number in [0, 1), for jitter; not for secrets. */
  number(): number;
  /** `length` bytes from a cryptographic source. */
  bytes(length: number): Uint8Array<ArrayBuffer>;
}

/** Exclusive locks, shared with other tabs where the runtime can. */
export interface Locks {
  /** `origin`: a lock excludes other tabs too, which `openTabChannel` reaches; `realm`: one of the two is missing. */
  readonly scope: 'origin' | 'realm';
  /**
   * Runs `task` while holding the exclusive lock `name` and returns what it returns, even if the lock is stolen meanwhile.
   *
   * @throws the signal's reason if it aborts before the lock is granted; the task itself is not interrupted.
   */
  hold<T>(name: string, task: () => Promise<T>, options?: LockOptions): Promise<T>;
  /**
   * Names the holder of a lock for a message: the client id of Web Locks, which `clients.get()` of a service worker accepts
   * too. Null if the runtime does not know it. Default: unknown.
   */
  holderOf?(name: string): Promise<string | null>;
}

/** How a lock is requested: by waiting for it, or by stealing it. */
export type LockOptions =
  | {
      /** Ends the wait. Default: waits without end. */
      readonly signal?: AbortSignal;
    }
  | {
      /** Steals the lock from its holder at once. The holder's task is not interrupted. */
      readonly steal: true;
    };

/** A channel to the other tabs of this origin. */
export interface TabChannel {
  /** Sends a structured-cloneable message to the other tabs. Must not carry secrets. */
  post(message: unknown): void;
  /** Calls the listener with each message of another tab. */
  subscribe(listener: (message: unknown) => void): Unsubscribe;
  /** Closes the channel; no message arrives afterwards. */
  close(): void;
}

/** An event of the page or of the network: the names of the DOM's events, and the two states of `visibilitychange`. */
export type PageSignal = 'visible' | 'hidden' | 'online' | 'offline' | 'pageshow' | 'pagehide' | 'resume';

/** The page, or its equivalent in a runtime without one. */
export interface Page {
  /** False only when the page is known to be hidden; true where there is no page. */
  isVisible(): boolean;
  /** False only when the host is known to be offline. */
  isOnline(): boolean;
  /** Calls the listener with each signal. */
  subscribe(listener: (signal: PageSignal) => void): Unsubscribe;
}

/** The part of a WHATWG WebSocket that the realtime client uses. */
export interface Socket {
  /** Sends a text or binary frame. */
  send(data: string | Uint8Array<ArrayBuffer>): void;
  /**
   * Closes the connection.
   *
   * @param code 1000 or 3000–4999 (RFC 6455 §7.4); default: no code.
   */
  close(code?: number, reason?: string): void;
  /** Bytes queued and not yet handed to the network. */
  readonly bufferedAmount: number;
  /** Called once, when the connection is open. */
  onOpen: (() => void) | null;
  /** Called with each text or binary frame. */
  onMessage: ((data: string | ArrayBuffer) => void) | null;
  /** Called once, also when the connection never opened. 1006 where no close frame was received. */
  onClose: ((close: SocketClose) => void) | null;
}

/** How a websocket ended (RFC 6455 §7.1). */
export interface SocketClose {
  /** Code of the close frame; 1006 without one. */
  readonly code: number;
  /** Reason of the close frame; empty without one. */
  readonly reason: string;
  /** Whether both sides completed the closing handshake. */
  readonly wasClean: boolean;
}
