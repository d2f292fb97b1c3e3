import type { Change, RowRecord } from '../protocol/change.ts';

/**
 * Merges changes to at most one per row, at the position of the row's last one.
 *
 * @param primaryKey columns that identify a row; a change that lacks or alters one of them is not merged.
 */
export function mergeRows(
  changes: readonly Change<RowRecord>[],
  primaryKey: readonly string[],
): readonly Change<RowRecord>[] {
  if (changes.length < 2) return changes;
  const indexesOf = createRowIndexes();
  /** Null where a change was merged into a later one. */
  let merged: (Change<RowRecord> | null)[] | undefined;
  for (const [index, change] of changes.entries()) {
    const key = keyOf(change, primaryKey);
    if (key === undefined) continue;
    const indexes = indexesOf(change);
    const before = indexes.get(key);
    indexes.set(key, index);
    if (before === undefined) continue;
    merged ??= [...changes];
    const earlier = merged[before];
    if (earlier) merged[index] = mergeChanges(earlier, change);
    merged[before] = null;
  }
  return merged?.filter((change) => change !== null) ?? changes;
}

function createRowIndexes(): (change: Change<RowRecord>) => Map<unknown, number> {
  const tables = new Map<string, Map<unknown, number>>();
  let latest: (Pick<Change<RowRecord>, 'schema' | 'table'> & { rows: Map<unknown, number> }) | undefined;
  return ({ schema, table }) => {
    if (latest?.table === table && latest.schema === schema) return latest.rows;
    const name = JSON.stringify([schema, table]);
    const rows = tables.get(name) ?? new Map<unknown, number>();
    tables.set(name, rows);
    latest = { schema, table, rows };
    return rows;
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
