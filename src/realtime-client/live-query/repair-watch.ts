import type { Clock, Timer } from '../../platform/platform.ts';
import { settleMs, type ReadCause } from './read-triggers.ts';
import { isSame } from './same.ts';

/** Differences between a live list and its table that no change had announced, and that a read repaired. */
export interface LiveQueryRepair {
  /** When (wall clock, ms) the list was repaired. */
  readonly atMs: number;
  /** Why the list was read. */
  readonly cause: ReadCause;
  /** Number of rows that were missing. */
  readonly added: number;
  /** Number of rows that had old values. */
  readonly updated: number;
  /** Number of rows that had been deleted. */
  readonly removed: number;
}

/** Counts lost changes that a re-read repaired. */
export interface RepairWatch<Row> {
  compare(before: ReadonlyMap<string, Row>, after: ReadonlyMap<string, Row>, cause: ReadCause): void;
  /** Changes of these rows arrived late: their differences were delay, not loss. */
  noteChanges(keys: readonly string[]): void;
  stop(): void;
}

/**
 * Each repair is reported once its changes had time to arrive, also where the next comparison follows sooner.
 *
 * @param onRepaired called after the time in which the changes could still have arrived.
 */
export function createRepairWatch<Row>(
  clock: Clock,
  onRepaired: (repair: LiveQueryRepair) => void,
): RepairWatch<Row> {
  const pending = new Map<Differences, Timer>();
  return {
    compare(before, after, cause) {
      const differences = differencesOf(before, after);
      if (differences.size === 0) return;
      const atMs = clock.now();
      const timer = clock.setTimer(() => {
        pending.delete(differences);
        const count = (change: string) => [...differences.values()].filter((one) => one === change).length;
        const [added, updated, removed] = [count('added'), count('updated'), count('removed')];
        if (differences.size > 0) onRepaired({ atMs, cause, added, updated, removed });
      }, settleMs);
      pending.set(differences, timer);
    },
    noteChanges(keys) {
      for (const differences of pending.keys()) keys.forEach((key) => differences.delete(key));
    },
    stop() {
      pending.forEach((timer) => timer.cancel());
      pending.clear();
    },
  };
}

type Differences = Map<string, 'added' | 'updated' | 'removed'>;

/** How the rows of a list differ, by their keys. */
function differencesOf<Row>(before: ReadonlyMap<string, Row>, after: ReadonlyMap<string, Row>): Differences {
  const differences: Differences = new Map();
  after.forEach((row, key) => {
    const known = before.get(key);
    if (known === undefined) differences.set(key, 'added');
    else if (!isSame(known, row)) differences.set(key, 'updated');
  });
  before.forEach((_row, key) => {
    if (!after.has(key)) differences.set(key, 'removed');
  });
  return differences;
}
