import type { Change } from './postgres-changes.ts';

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
  /** When the last change of a row was committed, deleted ones included: a change from before it is a late one. */
  readonly commits: ReadonlyMap<string, string>;
  /** What arrived since the current read began; null while none runs. */
  readonly log: readonly Change<Row>[] | null;
}

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
  const base = { ...createLiveRows(read, rules), commits: state.commits };
  return { ...applyChanges(base, state.log ?? [], rules), log: null };
}

/**
 * Applies changes in their order. A change that is known already, or older than the row, alters nothing. One without
 * a commit timestamp is this tab's own and newer than what is known.
 */
export function applyChanges<Row>(
  state: LiveRows<Row>,
  changes: readonly Change<Row>[],
  { key, version, includes }: RowRules<Row>,
): LiveRows<Row> {
  const rows = new Map(state.rows);
  const commits = new Map(state.commits);
  for (const change of changes) {
    const id = key(change.type === 'DELETE' ? change.oldRecord : change.record);
    const { commitTimestamp } = change;
    if (commitTimestamp && commitTimestamp < (commits.get(id) ?? '')) continue;
    const known = rows.get(id);
    if (change.type !== 'DELETE' && known && version && version(change.record) < version(known)) continue;
    if (commitTimestamp) {
      commits.delete(id);
      commits.set(id, commitTimestamp);
    }
    if (change.type !== 'DELETE' && (includes?.(change.record) ?? true)) rows.set(id, change.record);
    else rows.delete(id);
  }
  for (const id of commits.keys()) {
    if (commits.size <= maxCommits) break;
    commits.delete(id);
  }
  return { rows, commits, log: state.log && [...state.log, ...changes] };
}
