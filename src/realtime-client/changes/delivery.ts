import type { Change, RowRecord } from './postgres-changes.ts';

/** The changes that wait for one listener, at most one per row. */
export interface Delivery {
  /** @returns false if there was no room. */
  add(change: Change<RowRecord>): boolean;
  /** Takes all, oldest first. */
  take(): readonly Change<RowRecord>[];
}

/** @param primaryKey columns that identify a row; changes that lack one of them, or alter it, are kept apart. */
export function createDelivery(primaryKey: readonly string[], limit: number): Delivery {
  let waiting = new Map<string | symbol, Change<RowRecord>>();
  return {
    add(change) {
      const row = change.type === 'DELETE' ? change.oldRecord : change.record;
      const before: RowRecord = change.type === 'UPDATE' ? { ...row, ...change.oldRecord } : row;
      const values = primaryKey.map((column) => (before[column] === row[column] ? row[column] : undefined));
      const key = values.includes(undefined)
        ? Symbol()
        : JSON.stringify([change.schema, change.table, values]);
      const earlier = waiting.get(key);
      if (!earlier && waiting.size >= limit) return false;
      waiting.delete(key);
      waiting.set(key, earlier ? mergeChanges(earlier, change) : change);
      return true;
    },
    take() {
      const changes = [...waiting.values()];
      waiting = new Map();
      return changes;
    },
  };
}

/** Two changes of a row as one: what is new is the later's, what was before is the earlier's. */
export function mergeChanges(earlier: Change<RowRecord>, later: Change<RowRecord>): Change<RowRecord> {
  if (later.type !== 'UPDATE' || earlier.type === 'DELETE') return later;
  return earlier.type === 'INSERT'
    ? { ...earlier, record: later.record, commitTimestamp: later.commitTimestamp }
    : { ...later, oldRecord: earlier.oldRecord };
}
