import type { Clock } from '../../platform/platform.ts';

/** How long a change may take to arrive so that it is not taken for one after the version was read. In milliseconds. */
const transitMs = 500;

/** The version of a list: of its last read, plus the changes since. */
export interface ListVersion {
  /** Reads the version before the list. */
  read(signal: AbortSignal): Promise<void>;
  noteChanges(count: number): void;
  /** Whether the server's version is another, or is not known to be the list's. */
  differs(signal: AbortSignal): Promise<boolean>;
}

/** @param readVersion reads how often the list has changed. */
export function createListVersion(
  readVersion: (signal: AbortSignal) => Promise<number>,
  clock: Clock,
): ListVersion {
  let known = 0;
  /** From when (monotonic, ms) the version that was read cannot contain a change that arrives. */
  let sureFromMs = 0;
  let isSure = true;
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
    differs: async (signal) => !isSure || (await readVersion(signal)) !== known,
  };
}
