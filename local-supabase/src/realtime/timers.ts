import { unreference } from '../platform/timers.ts';

/** The timers of the service; tests inject timers that advance without waiting. */
export interface Timers {
  /** Runs `callback` after `delayMs`. Returns a function that cancels it. */
  after(delayMs: number, callback: () => void): () => void;
}

/** The timers of the process, which they do not keep alive. */
export const processTimers: Timers = {
  after(delayMs, callback) {
    const timer = setTimeout(callback, delayMs);
    unreference(timer);
    return () => clearTimeout(timer);
  },
};
