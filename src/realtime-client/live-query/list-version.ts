import type { Clock, Page, Platform, Timer } from '../../platform/platform.ts';
import { untilEnded } from '../../platform/until-aborted.ts';
import { settleMs } from './read-triggers.ts';

/**
 * Maximum transit time of a change: one that arrives later is not contained in a version that was read before. In
 * milliseconds.
 */
const transitMs = 500;
/** Interval between comparisons, and the deadline of each: 5 s in all, and none overlaps the next. In milliseconds. */
const intervalMs = 2_500;
/** Delay of the second comparison, because a change may still arrive. In milliseconds. */
const repetitionDelayMs = Math.min(settleMs, 0.4 * intervalMs);

/** Options of {@link createListVersion}. */
export interface ListVersionOptions {
  readonly readVersion: (signal: AbortSignal) => Promise<number>;
  readonly platform: Pick<Platform, 'clock' | 'report'> & { readonly page?: Page };
  /** Whether the list should equal the table; otherwise a read is pending. */
  readonly isCurrent: () => boolean;
  /** Called when the server's version differs from the list's, or may differ. */
  readonly onDifference: () => void;
}

/** The version of a list: of its last read, plus the changes since. */
export interface ListVersion {
  read(signal: AbortSignal): Promise<void>;
  noteChanges(count: number): void;
  start(): void;
  stop(): void;
}

/** Compares the version of a list with the server's every 2.5 s; a difference counts if a second comparison finds it too. */
export function createListVersion(options: ListVersionOptions): ListVersion {
  const { readVersion, platform, isCurrent, onDifference } = options;
  const { clock, page, report } = platform;
  let known = 0;
  /** From this time (monotonic, ms) on, an arriving change is not part of the version that was read. */
  let sureFromMs = 0;
  let isSure = true;
  let timer: Timer | undefined;
  let request: AbortController | undefined;

  const differs = async (signal: AbortSignal) => !isSure || (await readVersion(signal)) !== known;
  /** @returns whether the versions differ; undefined if the request failed or took too long. */
  const compare = async (endMs: number): Promise<boolean | undefined> => {
    const controller = new AbortController();
    request = controller;
    try {
      return await withinTime(clock, endMs - clock.monotonicMs(), controller, differs);
    } catch (problem) {
      if (request === controller) report(problem);
      return undefined;
    }
  };
  const wait = (delayMs: number, act: () => Promise<void>) => {
    timer = clock.setTimer(() => void act(), delayMs);
  };
  const check = async (isRepetition: boolean, endMs: number): Promise<void> => {
    const current = timer;
    const isDifferent = isCurrent() && page?.isVisible() !== false ? await compare(endMs) : false;
    if (timer !== current) return;
    const leftMs = endMs - clock.monotonicMs();
    if (isDifferent === true && !isRepetition && leftMs > 0)
      return wait(Math.min(repetitionDelayMs, leftMs), () => check(true, endMs));
    wait(Math.max(0, leftMs), () => check(false, clock.monotonicMs() + intervalMs));
    if (isDifferent !== false && isCurrent()) onDifference();
  };
  return {
    async read(signal) {
      isSure = true;
      sureFromMs = Number.POSITIVE_INFINITY;
      known = await readVersion(signal);
      sureFromMs = clock.monotonicMs() + transitMs;
    },
    noteChanges(count) {
      known += count;
      // A change that is counted twice would hide one that was lost.
      if (clock.monotonicMs() < sureFromMs) isSure = false;
    },
    start() {
      wait(intervalMs, () => check(false, clock.monotonicMs() + intervalMs));
    },
    stop() {
      timer?.cancel();
      timer = undefined;
      const stopped = request;
      request = undefined;
      stopped?.abort();
    },
  };
}

/** Aborts and rejects a task that takes too long. */
function withinTime<T>(
  clock: Clock,
  delayMs: number,
  controller: AbortController,
  task: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const { signal } = controller;
  return untilEnded(
    () => task(signal),
    { signal, clock, delayMs },
    () => {
      controller.abort();
      throw new Error('The version of the list was not read in time');
    },
  );
}
