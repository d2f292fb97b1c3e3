import { isSame } from './same.ts';

/** The rows of a list, and which of them changed while reads were in flight. Immutable. */
export interface LiveRows<Row> {
  /** The rows by their keys. */
  readonly rows: ReadonlyMap<string, Row>;
  /** Grows with each change, so that a read can detect which changes arrived during it. */
  readonly sequence: number;
  /** The number of reads whose response is awaited. */
  readonly readsInFlight: number;
  /** The sequence of the last change of each row; recorded only while a read is in flight. */
  readonly touched: ReadonlyMap<string, number>;
}

/** The response of a read. */
export interface RowsRead<Row> {
  /** The rows by their keys, in their order. */
  readonly rows: ReadonlyMap<string, Row>;
  /** `sequence` when the read began. */
  readonly since: number;
  /** Whether the read would contain the row if it existed, so that its absence means its removal. */
  readonly covers: (key: string, row: Row) => boolean;
  /** Whether a row has an earlier version than the other. Default: never. */
  readonly isOlder?: (row: Row, other: Row) => boolean;
}

const untouched: ReadonlyMap<string, number> = new Map();

/** A list of these rows, which no read has confirmed. */
export function createLiveRows<Row>(rows: ReadonlyMap<string, Row>): LiveRows<Row> {
  return { rows, sequence: 0, readsInFlight: 0, touched: untouched };
}

/** A read begins; `endRead` ends it. */
export function startRead<State extends LiveRows<unknown>>(state: State): State {
  return { ...state, readsInFlight: state.readsInFlight + 1 };
}

/** A read has ended, with or without a response. */
export function endRead<State extends LiveRows<unknown>>(state: State): State {
  const readsInFlight = state.readsInFlight - 1;
  return { ...state, readsInFlight, touched: readsInFlight > 0 ? state.touched : untouched };
}

/** Sets changed rows and removes null ones. Reads in flight, which may be older, do not override them. */
export function changeRows<Row, State extends LiveRows<Row>>(
  state: State & LiveRows<Row>,
  changes: ReadonlyMap<string, Row | null>,
): State {
  const sequence = state.sequence + 1;
  const touched = new Map(state.touched);
  let rows: Map<string, Row> | undefined;
  for (const [key, row] of changes) {
    if (state.readsInFlight > 0) touched.set(key, sequence);
    if (row === null && !state.rows.has(key)) continue;
    rows ??= new Map(state.rows);
    if (row === null) rows.delete(key);
    else rows.set(key, row);
  }
  return { ...state, rows: rows ?? state.rows, touched, sequence };
}

/** The rows after a read. A row that changed during it is replaced by a later version only; equal rows stay the same object. */
export function mergeRead<Row>(
  state: LiveRows<Row>,
  { rows: found, since, covers, isOlder = () => false }: RowsRead<Row>,
): ReadonlyMap<string, Row> {
  const isTouched = (key: string) => (state.touched.get(key) ?? -1) > since;
  const isKept = ([key, row]: readonly [string, Row]) =>
    found.has(key) || isTouched(key) || !covers(key, row);
  const merged = new Map([...state.rows].filter(isKept));
  for (const [key, row] of found) {
    const known = merged.get(key);
    const isLater = isTouched(key)
      ? known !== undefined && isOlder(known, row)
      : known === undefined || !isOlder(row, known);
    if (isLater && !isSame(known, row)) merged.set(key, row);
  }
  return merged;
}
