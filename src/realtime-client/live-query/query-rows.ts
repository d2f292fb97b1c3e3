import { RealtimeError } from '../errors.ts';
import type { Change, RowRecord } from '../protocol/change.ts';
import { changeRows, createLiveRows, endRead, mergeRead, startRead, type LiveRows } from './live-rows.ts';
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

export type KeyValues = readonly unknown[];

/** The rows of a query in their order, and which of them have to be read again. Immutable. */
export interface QueryRows<Row> extends LiveRows<Row> {
  readonly changed: ReadonlyMap<string, KeyValues>;
  /** Whether the keys do not suffice: the whole list has to be read. */
  readonly isWholeDue: boolean;
  /** The read in flight; null without one. */
  readonly reading: DueRead | null;
}

export interface DueRead {
  /** The rows to read; null: all. */
  readonly keys: ReadonlyMap<string, KeyValues> | null;
  /** Rows that the read covers although a change had announced them before, or that changed during it. */
  readonly announced: ReadonlySet<string>;
  /** `sequence` when the read began. */
  readonly since: number;
}

/** The maximum number of rows that are read by their keys: more would not fit into a URL. */
const maxKeys = 100;

export function createQueryRows<Row extends object>(rows: readonly Row[], { key }: RowRules): QueryRows<Row> {
  const byKey = new Map<string, Row>();
  for (const row of rows) {
    const values = keyOf(row as RowRecord, key);
    if (values) byKey.set(identify(values), row);
  }
  return { ...createLiveRows(byKey), changed: new Map(), isWholeDue: true, reading: null };
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
  state: QueryRows<Row>,
  changes: readonly Change<RowRecord>[],
  { key, isLimited = false, isDerived = false }: RowRules,
): QueryRows<Row> {
  let { isWholeDue } = state;
  const deleted = new Map<string, null>();
  const changed = new Map(state.changed);
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
      deleted.set(id, null);
      announced.add(id);
      if (isLimited && state.rows.has(id)) isWholeDue = true;
    }
  }
  const reading = state.reading && { ...state.reading, announced };
  return { ...changeRows(state, deleted), changed, isWholeDue, reading };
}

export function beginRead<Row>(state: QueryRows<Row>): QueryRows<Row> & { readonly reading: DueRead } {
  const isWhole = state.isWholeDue || state.changed.size > maxKeys;
  const announced = new Set(state.changed.keys());
  const reading = { keys: isWhole ? null : state.changed, announced, since: state.sequence };
  return { ...startRead(state), changed: new Map(), isWholeDue: false, reading };
}

/** The read failed or was aborted: the whole list has to be read. */
export function failRead<Row>(state: QueryRows<Row>): QueryRows<Row> {
  const ended = state.reading ? endRead(state) : state;
  return { ...ended, isWholeDue: true, reading: null };
}

/**
 * Applies the rows of a read. Rows that changed meanwhile are still due.
 *
 * @throws {RealtimeError} `invalid-row` if the keys of the rows are not unique.
 */
export function finishRead<Row extends object>(
  state: QueryRows<Row>,
  read: readonly Row[],
  rules: RowRules,
): QueryRows<Row> {
  if (!state.reading) return state;
  const { keys, since } = state.reading;
  const found = new Map<string, Row>();
  for (const row of read) {
    const id = identify(checkedKey(row as RowRecord, rules));
    if (found.has(id)) refuseRows(`Two rows have the same ${rules.key.join()}: ${id}`);
    found.set(id, row);
  }
  const merged = mergeRead(state, { rows: found, since, covers: (id) => !keys || keys.has(id) });
  const ended = { ...endRead(state), reading: null };
  if (keys) return placeRows(ended, merged, found.keys(), rules);
  const rows = new Map<string, Row>();
  for (const id of found.keys()) {
    const row = merged.get(id);
    if (row) rows.set(id, row);
  }
  return hasSameEntries(state.rows, rows) ? ended : { ...ended, rows };
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

/** Places the rows of a partial read in their order; if the order is unknown, the whole list is due. */
function placeRows<Row extends object>(
  state: QueryRows<Row>,
  rows: ReadonlyMap<string, Row>,
  read: Iterable<string>,
  { order }: RowRules,
): QueryRows<Row> {
  let isMoved = false;
  for (const id of read) {
    const [known, row] = [state.rows.get(id), rows.get(id)];
    isMoved ||= order !== undefined && row !== undefined && (!known || order?.(known, row) !== 0);
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
