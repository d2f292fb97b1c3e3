import type { Change, RowRecord } from '../protocol/change.ts';

/** The changes queued for one listener, at most one per row. */
export interface Delivery {
  /** @returns false if the queue is full. */
  add(change: Change<RowRecord>): boolean;
  /** Removes and returns all changes, oldest first. */
  take(): readonly Change<RowRecord>[];
}

/** @param primaryKey columns that identify a row; a change that lacks or alters one of them is not merged. */
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

/** Merges two changes of a row: the record is the later one's, the old record the earlier one's. */
export function mergeChanges(earlier: Change<RowRecord>, later: Change<RowRecord>): Change<RowRecord> {
  if (later.type !== 'UPDATE' || earlier.type === 'DELETE') return later;
  return earlier.type === 'INSERT'
    ? { ...earlier, record: later.record, commitTimestamp: later.commitTimestamp }
    : { ...later, oldRecord: earlier.oldRecord };
}
