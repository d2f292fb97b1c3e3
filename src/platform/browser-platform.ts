import type { TabChannel, LockOptions, Locks, PageSignal, Platform, Timer, Unsubscribe } from './platform.ts';
import { createRealmLocks } from './realm-locks.ts';
import { adaptWebSocket } from './web-socket.ts';

/** The longest delay that `setTimeout` accepts; longer ones run at once. */
export const longestTimeoutMs = 2 ** 31 - 1;

function setTimer(callback: () => void, delayMs: number): Timer {
  let handle: ReturnType<typeof setTimeout>;
  const wait = (restMs: number) => {
    handle =
      restMs > longestTimeoutMs
        ? setTimeout(() => wait(restMs - longestTimeoutMs), longestTimeoutMs)
        : setTimeout(callback, restMs);
  };
  // A timer that never runs must not keep a process alive.
  if (delayMs === Infinity) return { cancel() {} };
  wait(delayMs);
  return {
    cancel: () => clearTimeout(handle),
    // A page's timeout is a number.
    unref: () => void (handle as { unref?: () => unknown }).unref?.(),
  };
}

/** The parts that all platforms of the realm share; they read the realm's globals at each call. */
const realm = {
  fetch: (input, init) => globalThis.fetch(input, init),
  clock: {
    now: () => Date.now(),
    monotonicMs: () => performance.now(),
    setTimer,
  },
  random: {
    number: () => Math.random(),
    bytes: (length) => crypto.getRandomValues(new Uint8Array(length)),
  },
  sha256,
  openTabChannel(name) {
    // Deno's channel would keep the process alive, and has no `unref`.
    if ('Deno' in globalThis) return silentTabChannel;
    try {
      return openBroadcastChannel(name);
    } catch {
      return silentTabChannel;
    }
  },
  page: {
    isVisible: () => typeof document === 'undefined' || document.visibilityState !== 'hidden',
    isOnline,
    subscribe: subscribeToPage,
  },
  openSocket: (url) => adaptWebSocket(new WebSocket(url)),
  report: (problem) => (typeof reportError === 'function' ? reportError(problem) : console.error(problem)), // eslint-disable-line no-console
} satisfies Omit<Platform, 'locks'>;

/**
 * The platform of the realm that runs the code: a browser tab, a worker, or Node. What the realm lacks (Web
 * Locks, a page) is replaced by its equivalent within the realm.
 *
 * @param overrides parts to use instead of the realm's own.
 */
export function createPlatform(overrides: Partial<Platform> = {}): Platform {
  return { locks: createLocks(), ...realm, ...overrides };
}

/** Web Crypto is missing on http pages of a local network and in some runtimes: those load a library. */
async function sha256(data: Uint8Array): Promise<Uint8Array> {
  const { crypto } = globalThis as { readonly crypto?: Partial<Crypto> };
  if (crypto?.subtle) return new Uint8Array(await crypto.subtle.digest('SHA-256', Uint8Array.from(data)));
  const library = await import('@noble/hashes/sha2.js');
  return library.sha256(data);
}

function createLocks(): Locks {
  const { locks: manager, userAgent = '' } = typeof navigator === 'undefined' ? {} : navigator;
  const own = createRealmLocks();
  // Node and Deno have one set of locks for a process: the sessions of a server's requests would be refreshed one by one.
  if (!manager || /^(?:Node\.js|Deno)\//.test(userAgent)) return own;
  return {
    scope: typeof BroadcastChannel === 'undefined' ? 'realm' : 'origin',
    async hold<T>(name: string, task: () => Promise<T>, options: LockOptions = {}) {
      let running: Promise<T> | undefined;
      try {
        return await manager.request(name, options, () => (running = task()));
      } catch (problem) {
        // A stolen lock rejects, although its task continues.
        if (running) return running;
        if ('signal' in options && options.signal?.aborted) throw problem;
        // A page with blocked storage is refused every lock.
        return own.hold(name, task, options);
      }
    },
    async holderOf(name) {
      const { held = [] } = await manager.query().catch((): LockManagerSnapshot => ({}));
      return held.find((lock) => lock.name === name)?.clientId ?? null;
    },
  };
}

/**
 * Without a channel, or in a frame that may open none, a tab sees another tab's writes when it next reads storage: before a
 * refresh, or when it becomes visible.
 */
const silentTabChannel: TabChannel = { post() {}, subscribe: () => () => {}, close() {} };

function openBroadcastChannel(name: string): TabChannel {
  const channel = new BroadcastChannel(name);
  // In Node an open channel would keep the process alive.
  (channel as { unref?: () => void }).unref?.();
  return {
    post: (message) => channel.postMessage(message), // eslint-disable-line unicorn/require-post-message-target-origin
    subscribe(listener) {
      const handler = (event: MessageEvent<unknown>) => listener(event.data);
      channel.addEventListener('message', handler);
      return () => channel.removeEventListener('message', handler);
    },
    close: () => channel.close(),
  };
}

/** Node 22, Bun and Deno have a navigator without `onLine`; they count as online. */
function isOnline(): boolean {
  const { navigator } = globalThis as { readonly navigator?: { readonly onLine?: boolean } };
  return navigator?.onLine !== false;
}

const documentEvents = ['visibilitychange', 'freeze', 'resume'];
const windowEvents = ['online', 'offline', 'pageshow', 'pagehide'];

function subscribeToPage(listener: (signal: PageSignal) => void): Unsubscribe {
  const { document, window } = globalThis;
  const handler = ({ type }: Event) => listener(toSignal(type));
  for (const type of documentEvents) document?.addEventListener(type, handler);
  for (const type of windowEvents) window?.addEventListener(type, handler);
  return () => {
    for (const type of documentEvents) document?.removeEventListener(type, handler);
    for (const type of windowEvents) window?.removeEventListener(type, handler);
  };
}

function toSignal(type: string): PageSignal {
  if (type === 'visibilitychange') return document.visibilityState === 'hidden' ? 'hidden' : 'visible';
  // A frozen page runs no code, like one that was left.
  return type === 'freeze' ? 'pagehide' : (type as PageSignal);
}
