/**
 * The seam between the clients and the world. Whatever a client cannot compute from its arguments comes
 * through here: requests, time, randomness, locks, other tabs, the page, sockets. A client never reads a global.
 */
export interface Platform {
  /** WHATWG `fetch`. */
  readonly fetch: FetchFunction;
  readonly clock: Clock;
  readonly random: Random;
  /** SHA-256 of `data` (32 bytes). */
  readonly sha256: (data: Uint8Array) => Promise<Uint8Array>;
  readonly locks: Locks;
  /** Opens the named channel to the other tabs of this origin. */
  readonly openBroadcast: (name: string) => Broadcast;
  readonly page: Page;
  /** A new XMLHttpRequest, which alone reports an upload under way; absent where the runtime has none. */
  readonly createXhr?: (() => XMLHttpRequest) | undefined;
  /** Opens a websocket; the socket is `connecting` when it is returned. */
  readonly openSocket: (url: string) => Socket;
  /** Where a failure goes that no caller awaits, such as a listener that threw. Never throws. */
  readonly report: (problem: unknown) => void;
}

/** WHATWG `fetch`. */
export type FetchFunction = (input: RequestInfo | URL, init?: RequestInit) => Promise<Response>;

/** Ends what it was returned for. Calling it again does nothing. */
export type Unsubscribe = () => void;

/** Time, and timers. */
export interface Clock {
  /** Wall-clock time in milliseconds since the epoch. May jump in either direction. */
  now(): number;
  /** Milliseconds since an arbitrary start. Never goes back; may stand still while the machine sleeps. */
  monotonicMs(): number;
  /** Calls `callback` once after at least `delayMs` milliseconds. */
  setTimer(callback: () => void, delayMs: number): Timer;
}

/** A timer that was set. */
export interface Timer {
  /** Prevents the call if it has not happened yet. */
  cancel(): void;
}

/** Chance. */
export interface Random {
  /** A number in [0, 1), for jitter; not for secrets. */
  number(): number;
  /** `length` bytes from a cryptographic source. */
  bytes(length: number): Uint8Array<ArrayBuffer>;
}

/** Mutual exclusion, of tabs where the realm can. */
export interface Locks {
  /** `origin`: a lock excludes other tabs too, which `openBroadcast` reaches; `realm`: one of the two is missing. */
  readonly scope: 'origin' | 'realm';
  /**
   * Runs `task` while holding the exclusive lock `name` and returns what it returns.
   *
   * @throws the signal's reason if it aborts before the lock is granted; the task itself is not interrupted.
   */
  hold<T>(name: string, task: () => Promise<T>, options?: { readonly signal?: AbortSignal }): Promise<T>;
}

/** A channel to the other tabs of this origin. */
export interface Broadcast {
  /** Sends a structured-cloneable message to the other tabs. Must not carry secrets. */
  post(message: unknown): void;
  subscribe(listener: (message: unknown) => void): Unsubscribe;
  close(): void;
}

/** What the page tells of itself and of the network. */
export type PageSignal = 'visible' | 'hidden' | 'online' | 'offline' | 'pageshow' | 'pagehide' | 'resume';

/** The page, or what stands for it. */
export interface Page {
  /** False only when the page is known to be hidden; true where there is no page. */
  isVisible(): boolean;
  /** False only when the host is known to be offline. */
  isOnline(): boolean;
  subscribe(listener: (signal: PageSignal) => void): Unsubscribe;
}

/** What the realtime client needs of a WHATWG WebSocket. */
export interface Socket {
  send(data: string | Uint8Array<ArrayBuffer>): void;
  /** @param code 1000 or 3000–4999 (RFC 6455 §7.4); default: no code. */
  close(code?: number, reason?: string): void;
  /** Bytes queued and not yet handed to the network. */
  readonly bufferedAmount: number;
  onOpen: (() => void) | null;
  onMessage: ((data: string | ArrayBuffer) => void) | null;
  /** Called once, also when the connection never opened. 1006 where no close frame was received. */
  onClose: ((close: SocketClose) => void) | null;
}

/** How a websocket ended (RFC 6455 §7.1). */
export interface SocketClose {
  readonly code: number;
  readonly reason: string;
  readonly wasClean: boolean;
}
