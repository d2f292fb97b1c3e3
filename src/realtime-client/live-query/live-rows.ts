import type { Change } from '../changes/postgres-changes.ts';

/** How to read a row. */
export interface RowRules<Row> {
  /** What identifies the row; from the primary key only, since a DELETE may tell no more. */
  readonly key: (row: Partial<Row>) => string;
  /** Grows with every change of a row, such as `updated_at`. Without it the order of arrival decides. */
  readonly version?: ((row: Row) => string | number) | undefined;
  /** Whether the row belongs to the list: the filter of the read, where it is narrower than that of the channel. */
  readonly includes?: ((row: Row) => boolean) | undefined;
}

/** The rows as far as they are known, and what is needed to merge with them. Immutable. */
export interface LiveRows<Row> {
  readonly rows: ReadonlyMap<string, Row>;
  /**
   * When the last change of a row was committed, deleted ones included: a change from before it is a late one. With
   * {@link ownDelete} before it while the tab has deleted the row and the server has not told of it.
   */
  readonly commits: ReadonlyMap<string, string>;
  /** What arrived since the current read began; null while none runs. */
  readonly log: readonly Change<Row>[] | null;
}

/** Comes after every time. */
const ownDelete = '~';
const withoutOwn = (commit: string) => commit.replace(ownDelete, '');

/** How many commit times are remembered. */
const maxCommits = 5_000;

export function createLiveRows<Row>(rows: readonly Row[], { key }: RowRules<Row>): LiveRows<Row> {
  return { rows: new Map(rows.map((row) => [key(row), row])), commits: new Map(), log: null };
}

/** From here on changes are kept, to be replayed on what the read brings. */
export function beginRead<Row>(state: LiveRows<Row>): LiveRows<Row> {
  return { ...state, log: [] };
}

/** The read is the truth as of some moment after it began; changes since then are replayed, newer versions win. */
export function finishRead<Row>(
  state: LiveRows<Row>,
  read: readonly Row[],
  rules: RowRules<Row>,
): LiveRows<Row> {
  const commits = new Map(Array.from(state.commits, ([id, commit]) => [id, withoutOwn(commit)]));
  const base = { ...createLiveRows(read, rules), commits };
  return { ...applyChanges(base, state.log ?? [], rules), log: null };
}

/**
 * Applies changes in their order. A change that is known already, or older than the row, alters nothing. One without
 * a commit timestamp is this tab's own and newer than what is known: an UPDATE after the tab's own DELETE is a late one
 * until the server tells of the deletion, or of a new row.
 */
export function applyChanges<Row>(
  state: LiveRows<Row>,
  changes: readonly Change<Row>[],
  { key, version, includes }: RowRules<Row>,
): LiveRows<Row> {
  const rows = new Map(state.rows);
  const commits = new Map(state.commits);
  // A row whose primary key changed is another one: the list knows the one before by its old key.
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
    const before = commits.get(id) ?? '';
    const commit = withoutOwn(before);
    if (commitTimestamp && commitTimestamp < (change.type === 'UPDATE' ? before : commit)) continue;
    const known = rows.get(id);
    if (!isDelete && known && version && version(change.record) < version(known)) continue;
    commits.delete(id);
    const own = isDelete ? (known ? ownDelete + commit : before) : commit;
    commits.set(id, commitTimestamp || own);
    if (!isDelete && (includes?.(change.record) ?? true)) rows.set(id, change.record);
    else rows.delete(id);
  }
  for (const id of commits.keys()) {
    if (commits.size <= maxCommits) break;
    commits.delete(id);
  }
  return { rows, commits, log: state.log && [...state.log, ...changes] };
}
