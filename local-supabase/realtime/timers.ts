/** The timers of the service; replaced in tests, so that an hour passes at once. */
export interface Timers {
  /** Runs `callback` after `delayMs`. Returns a function that cancels it. */
  after(delayMs: number, callback: () => void): () => void;
}

/** Node's timers. They do not keep the process alive. */
export const nodeTimers: Timers = {
  after(delayMs, callback) {
    const timer = setTimeout(callback, delayMs);
    timer.unref();
    return () => clearTimeout(timer);
  },
};
