/** The timers of the service; tests inject timers that advance without waiting. */
export interface Timers {
  /** Runs `callback` after `delayMs`. Returns a function that cancels it. */
  after(delayMs: number, callback: () => void): () => void;
}

/** The timers of Node, unreferenced so that they do not keep the process alive. */
export const nodeTimers: Timers = {
  after(delayMs, callback) {
    const timer = setTimeout(callback, delayMs);
    timer.unref();
    return () => clearTimeout(timer);
  },
};
