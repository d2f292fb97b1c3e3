/**
 * The rate limit of the real server: events are counted in ticks of five seconds (requests in those of one), and the average
 * over the last minute decides. A burst takes effect at the next tick and lasts until the average has fallen. A counter starts with its
 * first use, and again after a time without events; earlier ticks do not count.
 */
export interface RateCounter {
  /** Starts counting, unless it is counting; every other member does so, too. */
  start(): void;
  add(amount?: number): void;
  /** The average number of events per second, excluding the current tick. */
  readonly average: number;
  /** Whether the average has reached the limit. */
  readonly isExceeded: boolean;
}

const MINUTE_MS = 60_000;
const IDLE_MS = 300_000;

export function createRateCounter(
  now: () => number,
  limitPerSecond: () => number,
  tickMs = 5_000,
): RateCounter {
  const maxTicks = MINUTE_MS / tickMs;
  let ticks: readonly number[] = [];
  let startMs: number | null = null;
  let tickEndMs = 0;
  let count = 0;
  const begin = () => {
    ticks = [0];
    startMs = now();
    tickEndMs = startMs + tickMs;
  };
  const advance = () => {
    if (startMs === null) return begin();
    const due = Math.floor((now() - tickEndMs) / tickMs) + 1;
    if (due <= 0) return;
    ticks = [...ticks, count, ...Array<number>(Math.min(due - 1, maxTicks)).fill(0)].slice(-maxTicks);
    count = 0;
    tickEndMs += due * tickMs;
    if (now() - startMs >= IDLE_MS && ticks.every((tick) => tick === 0)) begin();
  };
  const averageNow = () => {
    advance();
    const sum = ticks.reduce((total, tick) => total + tick, 0);
    return sum / ticks.length / (tickMs / 1_000);
  };
  return {
    start: advance,
    add(amount = 1) {
      advance();
      count += amount;
    },
    get average() {
      return averageNow();
    },
    get isExceeded() {
      return averageNow() >= limitPerSecond();
    },
  };
}
