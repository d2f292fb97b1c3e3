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
  /** In order; null where a change was merged into a later one. */
  let changes: (Change<RowRecord> | null)[] = [];
  /** The index of each row's change, by its key, by its table. */
  let tables = new Map<string, Map<unknown, number>>();
  let latest: {
    readonly schema: string;
    readonly table: string;
    readonly rows: Map<unknown, number>;
  } | null = null;
  const rowsOf = ({ schema, table }: Change<RowRecord>) => {
    if (latest?.table === table && latest.schema === schema) return latest.rows;
    const name = JSON.stringify([schema, table]);
    const rows = tables.get(name) ?? new Map<unknown, number>();
    tables.set(name, rows);
    latest = { schema, table, rows };
    return rows;
  };
  return {
    add(change) {
      if (changes.length >= limit) return false;
      const key = keyOf(change, primaryKey);
      if (key === undefined) return changes.push(change) > 0;
      const rows = rowsOf(change);
      const index = rows.get(key);
      rows.set(key, changes.length);
      const earlier = index === undefined ? null : changes[index];
      changes.push(earlier ? mergeChanges(earlier, change) : change);
      if (index !== undefined) changes[index] = null;
      return true;
    },
    take() {
      const taken = changes.filter((change) => change !== null);
      changes = [];
      tables = new Map();
      latest = null;
      return taken;
    },
  };
}

/** The key of a row within its table; undefined if the change lacks or alters a column of it. */
function keyOf(change: Change<RowRecord>, primaryKey: readonly string[]): unknown {
  const row = change.type === 'DELETE' ? change.oldRecord : change.record;
  for (const column of primaryKey) {
    const old = change.type === 'UPDATE' ? change.oldRecord[column] : undefined;
    if (row[column] === undefined || (old !== undefined && old !== row[column])) return undefined;
  }
  const [column = ''] = primaryKey;
  const value = row[column];
  return primaryKey.length === 1 && typeof value !== 'object'
    ? value
    : JSON.stringify(primaryKey.map((one) => row[one]));
}

/** Merges two changes of a row: the record is the later one's, the old record the earlier one's. */
export function mergeChanges(earlier: Change<RowRecord>, later: Change<RowRecord>): Change<RowRecord> {
  if (later.type !== 'UPDATE' || earlier.type === 'DELETE') return later;
  return earlier.type === 'INSERT'
    ? { ...earlier, record: later.record, commitTimestamp: later.commitTimestamp }
    : { ...later, oldRecord: earlier.oldRecord };
}
