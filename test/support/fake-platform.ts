import { createHash } from 'node:crypto';
import type {
  TabChannel,
  Locks,
  PageSignal,
  Platform,
  Socket,
  SocketClose,
  Timer,
} from '../../src/platform/platform.ts';

/**
 * A world of tabs that share a clock, locks and broadcast channels, all deterministic. Nothing happens until
 * `advance` or `settle` is called.
 */
export interface FakeWorld {
  /** A platform for a new tab. `overrides` replaces parts of it, such as `fetch`. */
  openTab(overrides?: Partial<Platform>): FakeTab;
  readonly clock: FakeClock;
  /** Every message that any tab posted, in order: secrets must not be among them. */
  readonly broadcasts: readonly { readonly name: string; readonly message: unknown }[];
  readonly heldLocks: ReadonlySet<string>;
  /** Lets pending promises run without moving the clock. */
  settle(): Promise<void>;
}

export interface FakeClock {
  now(): number;
  /** Moves time forward, running each timer at its moment and letting promises settle between them. */
  advance(ms: number): Promise<void>;
  /** Moves the wall clock alone (a person or NTP set it); timers and monotonic time stay. */
  jump(ms: number): void;
  /** Time passes while the machine sleeps: wall clock moves, timers do not run, monotonic time stands still. */
  sleep(ms: number): void;
  readonly pendingTimers: number;
}

export interface FakeTab extends Platform {
  /** Sockets that this tab opened, oldest first. */
  readonly sockets: readonly FakeSocket[];
  /** Problems that were reported. */
  readonly reported: readonly unknown[];
  setVisible(visible: boolean): void;
  setOnline(online: boolean): void;
  signal(signal: PageSignal): void;
  /** Releases the tab's locks and channels as a closed tab does; its timers no longer run. */
  crash(): void;
}

export interface FakeSocket extends Socket {
  readonly url: string;
  readonly sent: readonly (string | Uint8Array)[];
  readonly state: 'connecting' | 'open' | 'closing' | 'closed';
  /** The code that the client passed to close(), if it did. */
  readonly closedWith: { readonly code?: number; readonly reason?: string } | null;
  open(): void;
  receive(data: string | ArrayBuffer): void;
  fail(close?: Partial<SocketClose>): void;
}

/** A tab in the sets of the world; `id` is its client id of Web Locks. */
interface TabIdentity {
  readonly id: string;
}

interface PendingTimer {
  readonly due: number;
  readonly order: number;
  readonly callback: () => void;
  readonly tab: object;
}

export function createFakeWorld({ startMs = Date.UTC(2026, 0, 1), seed = 1 } = {}): FakeWorld {
  let wallOffset = startMs;
  let monotonic = 0;
  let order = 0;
  let tabCount = 0;
  let timers: PendingTimer[] = [];
  const crashed = new Set<object>();
  const broadcasts: { name: string; message: unknown }[] = [];
  const ports = new Set<{ name: string; tab: object; listeners: Set<(message: unknown) => void> }>();
  const heldLocks = new Set<string>();
  const lockQueues = new Map<string, { tab: object; grant: () => void }[]>();
  const lockOwners = new Map<string, { tab: TabIdentity; release: () => void; lose: () => void }>();
  const random = createSeededRandom(seed);

  const settle = async () => {
    // A macrotask lets every promise chain settle, WebCrypto's and fetch's included.
    for (let turn = 0; turn < 3; turn += 1) await new Promise<void>((resolve) => setImmediate(resolve));
  };

  const clock: FakeClock = {
    now: () => wallOffset + monotonic,
    async advance(ms) {
      const end = monotonic + ms;
      await settle();
      for (;;) {
        const next = timers
          .filter((timer) => timer.due <= end)
          .sort((a, b) => a.due - b.due || a.order - b.order)[0];
        if (!next) break;
        monotonic = Math.max(monotonic, next.due);
        timers = timers.filter((timer) => timer !== next);
        if (!crashed.has(next.tab)) next.callback();
        await settle();
      }
      monotonic = end;
      await settle();
    },
    jump(ms) {
      wallOffset += ms;
    },
    sleep(ms) {
      wallOffset += ms;
    },
    get pendingTimers() {
      return timers.length;
    },
  };

  const grantNext = (name: string) => {
    const queue = lockQueues.get(name);
    const next = queue?.shift();
    if (next) next.grant();
  };

  const createLocks = (tab: TabIdentity): Locks => ({
    scope: 'origin',
    async hold(name, task, options = {}) {
      const signal = 'signal' in options ? options.signal : undefined;
      signal?.throwIfAborted();
      if ('steal' in options) lockOwners.get(name)?.lose();
      if (crashed.has(tab)) await new Promise(() => {});
      await new Promise<void>((resolve, reject) => {
        const entry = { tab, grant: () => resolve() };
        if (!heldLocks.has(name)) {
          heldLocks.add(name);
          resolve();
          return;
        }
        const queue = lockQueues.get(name) ?? [];
        lockQueues.set(name, queue);
        queue.push(entry);
        signal?.addEventListener(
          'abort',
          () => {
            const waiting = lockQueues.get(name) ?? [];
            const at = waiting.indexOf(entry);
            if (at < 0) return;
            waiting.splice(at, 1);
            reject(signal.reason as Error);
          },
          { once: true },
        );
      });
      let released = false;
      const owner = {
        tab,
        lose: () => {
          released = true;
          heldLocks.delete(name);
        },
        release: () => {
          if (released) return;
          released = true;
          heldLocks.delete(name);
          lockOwners.delete(name);
          const waiting = lockQueues.get(name);
          if (waiting && waiting.length > 0) {
            heldLocks.add(name);
            grantNext(name);
          }
        },
      };
      lockOwners.set(name, owner);
      if (crashed.has(tab)) {
        owner.release();
        await new Promise(() => {});
      }
      try {
        return await task();
      } finally {
        owner.release();
      }
    },
    holderOf: (name) => Promise.resolve(lockOwners.get(name)?.tab.id ?? null),
  });

  const openTabChannel = (tab: object, name: string): TabChannel => {
    const port = { name, tab, listeners: new Set<(message: unknown) => void>() };
    ports.add(port);
    return {
      post(message) {
        const copy: unknown = structuredClone(message);
        broadcasts.push({ name, message: copy });
        for (const other of ports) {
          if (other === port || other.name !== name) continue;
          queueMicrotask(() => {
            for (const listener of other.listeners) listener(structuredClone(copy));
          });
        }
      },
      subscribe(listener) {
        port.listeners.add(listener);
        return () => port.listeners.delete(listener);
      },
      close: () => void ports.delete(port),
    };
  };

  return {
    clock,
    broadcasts,
    heldLocks,
    settle,
    openTab(overrides = {}) {
      tabCount += 1;
      const identity = { id: `tab-${tabCount}` };
      const sockets: FakeSocket[] = [];
      const reported: unknown[] = [];
      const pageListeners = new Set<(signal: PageSignal) => void>();
      let visible = true;
      let online = true;
      const signal = (name: PageSignal) => pageListeners.forEach((listener) => listener(name));
      return {
        fetch: () => Promise.reject(new TypeError('This tab has no network')),
        clock: {
          now: clock.now,
          monotonicMs: () => monotonic,
          setTimer(callback, delayMs): Timer {
            order += 1;
            const timer = { due: monotonic + Math.max(0, delayMs), order, callback, tab: identity };
            timers.push(timer);
            return {
              cancel: () => {
                timers = timers.filter((other) => other !== timer);
              },
            };
          },
        },
        random: {
          number: random,
          bytes: (length) => Uint8Array.from({ length }, () => Math.floor(random() * 256)),
        },
        sha256: (data) => Promise.resolve(new Uint8Array(createHash('sha256').update(data).digest())),
        locks: createLocks(identity),
        openTabChannel: (name) => openTabChannel(identity, name),
        page: {
          isVisible: () => visible,
          isOnline: () => online,
          subscribe(listener) {
            pageListeners.add(listener);
            return () => pageListeners.delete(listener);
          },
        },
        openSocket(url) {
          const socket = createFakeSocket(url);
          sockets.push(socket);
          return socket;
        },
        report: (problem) => void reported.push(problem),
        ...overrides,
        sockets,
        reported,
        signal,
        setVisible(value) {
          visible = value;
          signal(value ? 'visible' : 'hidden');
        },
        setOnline(value) {
          online = value;
          signal(value ? 'online' : 'offline');
        },
        crash() {
          crashed.add(identity);
          for (const port of ports) if (port.tab === identity) ports.delete(port);
          for (const [name, queue] of lockQueues)
            lockQueues.set(
              name,
              queue.filter((entry) => entry.tab !== identity),
            );
          for (const owner of lockOwners.values()) if (owner.tab === identity) owner.release();
        },
      };
    },
  };
}

function createFakeSocket(url: string): FakeSocket {
  const sent: (string | Uint8Array)[] = [];
  let state: FakeSocket['state'] = 'connecting';
  let closedWith: FakeSocket['closedWith'] = null;
  const finish = (socket: FakeSocket, close: SocketClose) => {
    if (state === 'closed') return;
    state = 'closed';
    socket.onClose?.(close);
  };
  const socket: FakeSocket = {
    url,
    sent,
    get state() {
      return state;
    },
    get closedWith() {
      return closedWith;
    },
    bufferedAmount: 0,
    onOpen: null,
    onMessage: null,
    onClose: null,
    send(data) {
      if (state === 'connecting') throw new DOMException('Still connecting', 'InvalidStateError');
      if (state === 'open') sent.push(data);
    },
    close(code, reason) {
      if (state === 'closing' || state === 'closed') return;
      closedWith = { ...(code === undefined ? {} : { code }), ...(reason === undefined ? {} : { reason }) };
      state = 'closing';
    },
    open() {
      state = 'open';
      socket.onOpen?.();
    },
    receive(data) {
      if (state === 'open') socket.onMessage?.(data);
    },
    fail({ code = 1006, reason = '', wasClean = false } = {}) {
      finish(socket, { code, reason, wasClean });
    },
  };
  return socket;
}

/** Mulberry32: small, seeded, good enough to vary schedules. */
function createSeededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}
