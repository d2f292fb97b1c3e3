import { RealtimeError } from '../errors.ts';
import type { Change, RowRecord } from '../protocol/change.ts';
import { isSame } from './same.ts';
import type { RowOrder } from './row-order.ts';

/** How the list identifies and orders its rows. */
export interface RowRules {
  /** Columns of the primary key, which every row of the list has. */
  readonly key: readonly string[];
  /** The order of the rows; null if it is not known which of two rows comes first. Absent: as read, new rows last. */
  readonly order?: RowOrder | null | undefined;
  /** Whether rows enter the list when others leave it, because the read has a limit. */
  readonly isLimited?: boolean | undefined;
  /** Whether a deleted row of the table may stay in the list, because the list is of a view or a function. */
  readonly isDerived?: boolean | undefined;
}

/** The values of a key's columns. */
export type KeyValues = readonly unknown[];

/** The rows of a list, and which of them have to be read again. Immutable. */
export interface LiveRows<Row> {
  /** The rows in their order, as they were read. */
  readonly rows: ReadonlyMap<string, Row>;
  /** Keys of rows that changed since they were read. */
  readonly changed: ReadonlyMap<string, KeyValues>;
  /** Whether the keys do not suffice: the whole list has to be read. */
  readonly isWholeDue: boolean;
  /** The read in flight; null without one. */
  readonly reading: RowsRead | null;
}

/** A read of the list, or of some of its rows. */
export interface RowsRead {
  /** The rows to read; null: all. */
  readonly keys: ReadonlyMap<string, KeyValues> | null;
  /** Rows that the read covers although a change had announced them before, or that changed during it. */
  readonly announced: ReadonlySet<string>;
  /** Rows that were deleted during the read, which may still contain them. */
  readonly deleted: ReadonlySet<string>;
}

/** Most rows that are read by their keys: more would not fit into a URL. */
const maxKeys = 100;
const none: ReadonlySet<string> = new Set();

export function createLiveRows<Row extends object>(rows: readonly Row[], { key }: RowRules): LiveRows<Row> {
  const byKey = new Map<string, Row>();
  for (const row of rows) {
    const values = keyOf(row as RowRecord, key);
    if (values) byKey.set(identify(values), row);
  }
  return { rows: byKey, changed: new Map(), isWholeDue: true, reading: null };
}

/** The values of the key; undefined if a column is missing. */
export function keyOf(row: RowRecord, key: readonly string[]): KeyValues | undefined {
  const values = key.map((column) => row[column]);
  return values.some((value) => value === undefined || value === null) ? undefined : values;
}

const identify = (values: KeyValues): string =>
  values.length === 1 ? String(values[0]) : JSON.stringify(values.map(String));

/** The keys that the changes name; undefined where a change does not name its row. */
export function keysOf(
  changes: readonly Change<RowRecord>[],
  { key }: Pick<RowRules, 'key'>,
): readonly (string | undefined)[] {
  return changes.map((change) => {
    const values = keyOf(change.type === 'DELETE' ? change.oldRecord : change.record, key);
    return values && identify(values);
  });
}

/** Removes deleted rows, and notes which rows the other changes name. */
export function applyChanges<Row>(
  state: LiveRows<Row>,
  changes: readonly Change<RowRecord>[],
  { key, isLimited = false, isDerived = false }: RowRules,
): LiveRows<Row> {
  let { isWholeDue } = state;
  const removed = new Set<string>();
  const changed = new Map(state.changed);
  const deleted = new Set(state.reading?.deleted);
  const announced = new Set(state.reading?.announced);
  const mark = (values: KeyValues | undefined) => {
    if (values) {
      changed.set(identify(values), values);
      announced.add(identify(values));
    }
    if (!values || isLimited) isWholeDue = true;
  };
  for (const change of changes) {
    if (change.type !== 'DELETE') {
      // A change of the primary key ends one row and begins another.
      if (change.type === 'UPDATE') mark(keyOf({ ...change.record, ...change.oldRecord }, key));
      mark(keyOf(change.record, key));
      continue;
    }
    const values = keyOf(change.oldRecord, key);
    const id = values && identify(values);
    if (id === undefined || isDerived) mark(values);
    else {
      changed.delete(id);
      deleted.add(id);
      announced.add(id);
      if (!state.rows.has(id)) continue;
      removed.add(id);
      if (isLimited) isWholeDue = true;
    }
  }
  const rows = removed.size > 0 ? new Map([...state.rows].filter(([id]) => !removed.has(id))) : state.rows;
  return { rows, changed, isWholeDue, reading: state.reading && { ...state.reading, deleted, announced } };
}

/** Begins a read of what is due, or of the whole list. */
export function beginRead<Row>(state: LiveRows<Row>): LiveRows<Row> & { readonly reading: RowsRead } {
  const isWhole = state.isWholeDue || state.changed.size > maxKeys;
  const announced = new Set(state.changed.keys());
  const reading = { keys: isWhole ? null : state.changed, announced, deleted: none };
  return { ...state, changed: new Map(), isWholeDue: false, reading };
}

/** The read failed or was aborted: the whole list has to be read. */
export function failRead<Row>(state: LiveRows<Row>): LiveRows<Row> {
  return { ...state, isWholeDue: true, reading: null };
}

/**
 * Takes the rows that were read. Those that changed meanwhile are still due.
 *
 * @throws {RealtimeError} `invalid-row` if the rows cannot be told apart by their keys.
 */
export function finishRead<Row extends object>(
  state: LiveRows<Row>,
  read: readonly Row[],
  rules: RowRules,
): LiveRows<Row> {
  const { keys, deleted } = state.reading ?? { keys: null, deleted: none };
  const found = new Map<string, Row>();
  for (const row of read) {
    const id = identify(checkedKey(row as RowRecord, rules));
    if (found.has(id)) refuseRows(`Two rows have the same ${rules.key.join()}: ${id}`);
    if (deleted.has(id)) continue;
    const known = state.rows.get(id);
    found.set(id, known && isSame(known, row) ? known : row);
  }
  const ended = { ...state, reading: null };
  if (keys) return mergeRows(ended, keys, found, rules);
  return hasSameEntries(state.rows, found) ? ended : { ...ended, rows: found };
}

function checkedKey(row: RowRecord, { key }: RowRules): KeyValues {
  const values = keyOf(row, key);
  if (!values) return refuseRows(`A row lacks its key: select ${key.join()}`);
  const isRounded = values.some((value) => Number.isInteger(value) && !Number.isSafeInteger(value));
  return isRounded ? refuseRows(`JSON has rounded the key: select ${key.join()} as text, id::text`) : values;
}

function refuseRows(message: string): never {
  throw new RealtimeError('invalid-row', message);
}

function mergeRows<Row extends object>(
  state: LiveRows<Row>,
  keys: ReadonlyMap<string, KeyValues>,
  found: ReadonlyMap<string, Row>,
  { order }: RowRules,
): LiveRows<Row> {
  const rows = new Map(state.rows);
  let isMoved = false;
  for (const id of keys.keys()) if (!found.has(id)) rows.delete(id);
  for (const [id, row] of found) {
    const known = rows.get(id);
    isMoved ||= order !== undefined && (!known || order?.(known, row) !== 0);
    rows.set(id, row);
  }
  if (!isMoved) return hasSameEntries(state.rows, rows) ? state : { ...state, rows };
  const sorted = order ? sortRows(rows, order) : null;
  return { ...state, rows: sorted ?? rows, isWholeDue: state.isWholeDue || !sorted };
}

/** Sorts the rows; null if it is not known which of two comes first. */
function sortRows<Row extends object>(
  rows: ReadonlyMap<string, Row>,
  order: RowOrder,
): ReadonlyMap<string, Row> | null {
  let isKnown = true;
  const sorted = [...rows].sort(([, a], [, b]) => {
    const result = order(a, b);
    if (result === null) isKnown = false;
    return result ?? 0;
  });
  return isKnown ? new Map(sorted) : null;
}

function hasSameEntries<Row>(a: ReadonlyMap<string, Row>, b: ReadonlyMap<string, Row>): boolean {
  if (a.size !== b.size) return false;
  const others = b.entries();
  for (const [id, row] of a) {
    const { value } = others.next();
    if (value?.[0] !== id || value[1] !== row) return false;
  }
  return true;
}
