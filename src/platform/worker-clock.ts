import { longestTimeoutMs } from './browser-platform.ts';
import type { Clock, Page, Timer } from './platform.ts';

/** A timer to run in the worker: the message that {@link createWorkerClock} sends and {@link serveTimers} receives. */
export interface TimerRequest {
  /** Identifies the timer in the worker's message. */
  readonly id: number;
  /** Time until the timer runs, in milliseconds. */
  readonly delayMs: number;
}

/** The part of a `Worker` that {@link createWorkerClock} uses. */
export interface TimerWorker {
  /** Sends a timer to the worker. */
  postMessage(message: TimerRequest): void;
  /** Calls the listener with the id of each timer that has run. */
  addEventListener(type: 'message', listener: (event: { readonly data: unknown }) => void): void;
  /** Ends the worker and its timers. */
  terminate(): void;
}

/** The part of a worker's global scope that {@link serveTimers} uses. */
export interface TimerWorkerScope {
  /** Sends the id of a timer that has run to the page. */
  postMessage(id: number): void;
  /** Calls the listener with each {@link TimerRequest}. */
  addEventListener(type: 'message', listener: (event: { readonly data: unknown }) => void): void;
}

/** A clock with timers that stay on time while the page is hidden. */
export interface WorkerClock extends Clock {
  /** Ends the worker. From then on only the page runs timers. */
  close(): void;
}

/** Browsers begin to delay timers some minutes after the page was hidden. A page that is being left is hidden too. */
const startAfterMs = 60_000;

/**
 * Creates a clock whose timers also run in a worker while the page is hidden, because browsers run the timers of a page that
 * is hidden for minutes once a minute: too late for a heartbeat that is due every 25 seconds. The worker starts when the page
 * has been hidden for a minute and ends when it is shown. A timer runs once, by whichever of the two is first, so that a
 * worker that fails to load delays nothing.
 *
 * @param platform the clock of the page, and the page's visibility.
 * @param createWorker starts a worker that calls {@link serveTimers}.
 * @example
 * ```ts
 * import { createPlatform, createWorkerClock } from 'supabase-protocol-clients/platform';
 *
 * const page = createPlatform();
 * // timer-worker.ts contains `serveTimers(self)`, with `serveTimers` of the same entry.
 * const createWorker = () => new Worker(new URL('timer-worker.ts', import.meta.url), { type: 'module' });
 * const platform = { ...page, clock: createWorkerClock(page, createWorker) };
 * ```
 */
export function createWorkerClock(
  { clock, page }: { readonly clock: Clock; readonly page: Page },
  createWorker: () => TimerWorker,
): WorkerClock {
  const pending = new Map<number, { readonly run: () => void; readonly dueMs: number }>();
  let start: Timer | null = null;
  let worker: TimerWorker | null = null;
  let lastId = 0;

  const runInWorker = (id: number, dueMs: number) =>
    requestTimer(worker, id, Math.max(0, dueMs - clock.monotonicMs()));
  const startWorker = () => {
    worker = createWorker();
    worker.addEventListener('message', ({ data }) => pending.get(Number(data))?.run());
    for (const [id, { dueMs }] of pending) runInWorker(id, dueMs);
  };
  const endWorker = () => {
    start?.cancel();
    worker?.terminate();
    worker = null;
  };
  const follow = (isVisible: boolean) => {
    endWorker();
    if (!isVisible) start = clock.setTimer(startWorker, startAfterMs);
  };
  const unsubscribe = page.subscribe((signal) => {
    if (signal === 'hidden' || signal === 'visible') follow(signal === 'visible');
  });
  follow(page.isVisible());

  return {
    now: () => clock.now(),
    monotonicMs: () => clock.monotonicMs(),
    setTimer(callback, delayMs) {
      lastId += 1;
      const id = lastId;
      const cancel = () => {
        pending.delete(id);
        timer.cancel();
      };
      const run = () => {
        cancel();
        callback();
      };
      const timer = clock.setTimer(run, delayMs);
      const dueMs = clock.monotonicMs() + delayMs;
      pending.set(id, { run, dueMs });
      runInWorker(id, dueMs);
      return { cancel };
    },
    close() {
      unsubscribe();
      endWorker();
    },
  };
}

/** The worker would run a timer at once that is longer than the longest; the page's own one is early enough. */
function requestTimer(worker: TimerWorker | null, id: number, delayMs: number): void {
  if (delayMs > longestTimeoutMs) return;
  // eslint-disable-next-line unicorn/require-post-message-target-origin -- A worker has no target origin.
  worker?.postMessage({ id, delayMs });
}

/**
 * Runs the timers of {@link createWorkerClock}. To be called by the worker's script.
 *
 * @param scope the worker's global scope, `self`.
 * @example
 * ```ts
 * import { serveTimers } from 'supabase-protocol-clients/platform';
 *
 * serveTimers(self);
 * ```
 */
export function serveTimers(scope: TimerWorkerScope): void {
  scope.addEventListener('message', ({ data }) => {
    const { id, delayMs } = data as TimerRequest;
    // eslint-disable-next-line unicorn/require-post-message-target-origin -- A page has no target origin here.
    setTimeout(() => scope.postMessage(id), delayMs);
  });
}
