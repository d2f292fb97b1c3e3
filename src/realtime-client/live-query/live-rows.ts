import type { Change } from '../protocol/change.ts';

/** How the list identifies, orders and selects rows. */
export interface RowRules<Row> {
  /** The row's identity, from primary key columns only, because a DELETE may carry no others. */
  readonly key: (row: Partial<Row>) => string;
  /** Grows with every change of a row, such as `updated_at`. Default: the order of arrival decides. */
  readonly version?: ((row: Row) => string | number) | undefined;
  /** Whether a row belongs to the list, where the read's filter is narrower than the binding's. Default: all rows. */
  readonly includes?: ((row: Row) => boolean) | undefined;
}

/** The known rows, and the bookkeeping to merge changes into them. Immutable. */
export interface LiveRows<Row> {
  readonly rows: ReadonlyMap<string, Row>;
  /** The last change of each row, deleted rows included: an earlier change is late. */
  readonly lastChanges: ReadonlyMap<string, LastChange>;
  /** The last changes when the current read began, and the changes since; null while no read is in flight. */
  readonly log: ReadLog<Row> | null;
}

interface ReadLog<Row> {
  readonly lastChanges: LiveRows<Row>['lastChanges'];
  readonly changes: readonly Change<Row>[];
}

interface LastChange {
  /** Commit time; empty before the first change of the server. */
  readonly commit: string;
  /** Whether this tab deleted the row and the server has not confirmed it. */
  readonly isOwnDelete: boolean;
}

const noChange: LastChange = { commit: '', isOwnDelete: false };

/** Most rows whose last change is kept. */
const maxLastChanges = 5_000;

export function createLiveRows<Row>(rows: readonly Row[], { key }: RowRules<Row>): LiveRows<Row> {
  return { rows: new Map(rows.map((row) => [key(row), row])), lastChanges: new Map(), log: null };
}

/** Starts logging changes, to replay them on the read's result. */
export function beginRead<Row>(state: LiveRows<Row>): LiveRows<Row> {
  return { ...state, log: { lastChanges: state.lastChanges, changes: [] } };
}

/** Takes the read's rows as the state at some moment after it began, and replays the logged changes; newer versions win. */
export function finishRead<Row>(
  state: LiveRows<Row>,
  read: readonly Row[],
  rules: RowRules<Row>,
): LiveRows<Row> {
  const { lastChanges: earlier, changes } = state.log ?? { lastChanges: state.lastChanges, changes: [] };
  // The logged changes follow those from before the read: after the newest change, each of them would be late.
  const lastChanges = new Map(
    Array.from(earlier, ([id, { commit }]) => [id, { commit, isOwnDelete: false }]),
  );
  const base = { ...createLiveRows(read, rules), lastChanges };
  return { ...applyChanges(base, changes, rules), log: null };
}

/**
 * Applies changes in order. A change that is known already, or older than the row, has no effect. A change without a
 * commit timestamp is this tab's own and newer than the known row: after the tab's own DELETE, an UPDATE is late until
 * the server reports the deletion or a new row.
 */
export function applyChanges<Row>(
  state: LiveRows<Row>,
  changes: readonly Change<Row>[],
  { key, version, includes }: RowRules<Row>,
): LiveRows<Row> {
  const rows = new Map(state.rows);
  const lastChanges = new Map(state.lastChanges);
  // A change of the primary key ends one row and begins another.
  const steps = changes.flatMap((change): readonly Change<Row>[] => {
    if (change.type !== 'UPDATE') return [change];
    const oldRecord = { ...change.record, ...change.oldRecord };
    if (key(oldRecord) === key(change.record)) return [change];
    return [
      { ...change, type: 'DELETE', oldRecord },
      { ...change, type: 'INSERT' },
    ];
  });
  for (const change of steps) {
    const isDelete = change.type === 'DELETE';
    const id = key(isDelete ? change.oldRecord : change.record);
    const { commitTimestamp } = change;
    const before = lastChanges.get(id) ?? noChange;
    const isUpdateOfDeleted = change.type === 'UPDATE' && before.isOwnDelete;
    if (commitTimestamp && (isUpdateOfDeleted || commitTimestamp < before.commit)) continue;
    const known = rows.get(id);
    if (!isDelete && known && version && version(change.record) < version(known)) continue;
    const isOwnDelete = !commitTimestamp && isDelete && (known !== undefined || before.isOwnDelete);
    // Removed first, so that the oldest change is evicted first.
    lastChanges.delete(id);
    lastChanges.set(id, { commit: commitTimestamp || before.commit, isOwnDelete });
    if (!isDelete && (includes?.(change.record) ?? true)) rows.set(id, change.record);
    else rows.delete(id);
  }
  for (const id of lastChanges.keys()) {
    if (lastChanges.size <= maxLastChanges) break;
    lastChanges.delete(id);
  }
  const { log } = state;
  return { rows, lastChanges, log: log && { ...log, changes: [...log.changes, ...changes] } };
}
