import { unreference } from '../../platform/timers.ts';

/** The timers of the service; tests inject timers that advance without waiting. */
export interface Timers {
  /** Runs `callback` after `delayMs`. Returns a function that cancels it. */
  after(delayMs: number, callback: () => void): () => void;
}

/** The process's timers, which do not keep it alive. */
export const processTimers: Timers = {
  after(delayMs, callback) {
    const timer = setTimeout(callback, delayMs);
    unreference(timer);
    return () => clearTimeout(timer);
  },
};
