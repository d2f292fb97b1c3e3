/**
 * The rate limit of the real server: events are counted in ticks of five seconds, and the average over the last minute
 * decides. A burst takes effect at the next tick and lasts until the average has fallen. A counter starts with its
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

const TICK_MS = 5_000;
const MAX_TICKS = 12;
const IDLE_MS = 300_000;

export function createRateCounter(now: () => number, limitPerSecond: () => number): RateCounter {
  let ticks: readonly number[] = [];
  let startMs: number | null = null;
  let tickEndMs = 0;
  let count = 0;
  const begin = () => {
    ticks = [0];
    startMs = now();
    tickEndMs = startMs + TICK_MS;
  };
  const advance = () => {
    if (startMs === null) return begin();
    const due = Math.floor((now() - tickEndMs) / TICK_MS) + 1;
    if (due <= 0) return;
    ticks = [...ticks, count, ...Array<number>(Math.min(due - 1, MAX_TICKS)).fill(0)].slice(-MAX_TICKS);
    count = 0;
    tickEndMs += due * TICK_MS;
    if (now() - startMs >= IDLE_MS && ticks.every((tick) => tick === 0)) begin();
  };
  const averageNow = () => {
    advance();
    const sum = ticks.reduce((total, tick) => total + tick, 0);
    return sum / ticks.length / (TICK_MS / 1_000);
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
