import { RealtimeError } from '../errors.ts';
import { isRecord } from '../json.ts';

/** The operation of a change. */
export type ChangeType = 'INSERT' | 'UPDATE' | 'DELETE';

/** Selects the changes to receive. */
export interface Binding {
  /** The operation. Default `*`: all. */
  readonly event?: ChangeType | '*';
  /** The schema. Default `public`. */
  readonly schema?: string;
  /** The table. Default: every published table of the schema. Required by `filter` and `select`. */
  readonly table?: string;
  /**
   * `column=operator.value`, such as `recipient_id=eq.1`; several, separated by commas, must all match. An UPDATE is
   * tested on the new row only, a DELETE on the row's replica identity only. Default: no filter.
   */
  readonly filter?: string;
  /** Columns of the record; the primary key is always included. Default: all columns. */
  readonly select?: readonly string[];
}

/** A change of one row. */
export type Change<Row> = ChangeOrigin &
  /** `record` is the new row. */
  (
    | { readonly type: 'INSERT'; readonly record: Row }
    /** `record` is the new row; `oldRecord` has the columns of the replica identity. */
    | { readonly type: 'UPDATE'; readonly record: Row; readonly oldRecord: Partial<Row> }
    /** `oldRecord` has the columns of the replica identity; under row-level security the primary key only. */
    | { readonly type: 'DELETE'; readonly oldRecord: Partial<Row> }
  );

interface ChangeOrigin {
  /** Schema of the changed row. */
  readonly schema: string;
  /** Table of the changed row. */
  readonly table: string;
  /** Commit time of the transaction: ISO 8601, in milliseconds, equal for all changes of a transaction. */
  readonly commitTimestamp: string;
}

/** A row as the server sends it, by column name. */
export type RowRecord = Readonly<Record<string, unknown>>;

/** A parsed change frame: the server's binding ids, and the change; null where its data was truncated. */
export interface ReceivedChange {
  readonly ids: readonly unknown[];
  readonly change: Change<RowRecord> | null;
}

/** Identifies a binding within a channel by its content, also in the server's echo. */
export function bindingKey(binding: Readonly<Partial<Record<keyof Binding, unknown>>>): string {
  const { event = '*', schema = 'public', table, filter, select } = binding;
  return JSON.stringify([
    event,
    schema,
    table ?? '',
    typeof filter === 'string' ? filter.trim() : '',
    select ?? [],
  ]);
}

/** @throws {RealtimeError} `invalid-binding` */
export function encodeBinding({ event = '*', schema = 'public', table, filter, select }: Binding): RowRecord {
  const hasFilter = Boolean(filter?.trim());
  if (hasFilter && !table) throw new RealtimeError('invalid-binding', 'A filter needs a table');
  if (select && !table) throw new RealtimeError('invalid-binding', 'A selection needs a table');
  return {
    event,
    schema,
    ...(table ? { table } : {}),
    ...(hasFilter ? { filter } : {}),
    ...(select ? { select } : {}),
  };
}

/**
 * Maps the server's ids to bindings, by content instead of position, because the server may reorder them and add
 * fields.
 *
 * @returns null if the server did not accept every binding.
 */
export function matchBindings(
  sent: readonly Binding[],
  response: unknown,
): ReadonlyMap<unknown, readonly string[]> | null {
  const accepted =
    isRecord(response) && Array.isArray(response['postgres_changes'])
      ? (response['postgres_changes'] as unknown[])
      : [];
  const keysById = new Map<number, string[]>();
  for (const binding of sent) {
    const key = bindingKey(binding);
    const match = accepted.find(
      (candidate) =>
        isRecord(candidate) && typeof candidate['id'] === 'number' && bindingKey(candidate) === key,
    );
    if (!isRecord(match)) return null;
    const id = match['id'] as number;
    keysById.set(id, [...(keysById.get(id) ?? []), key]);
  }
  return keysById;
}

/** Parses the payload of a `postgres_changes` frame; null if it is malformed. */
export function parseReceivedChange(payload: unknown): ReceivedChange | null {
  if (!isRecord(payload) || !isRecord(payload['data']) || !Array.isArray(payload['ids'])) return null;
  return { ids: payload['ids'] as unknown[], change: parseChange(payload['data']) };
}

function parseChange(data: RowRecord): Change<RowRecord> | null {
  const { type, schema, table, columns, record, old_record: oldRecord, errors } = data;
  if (typeof schema !== 'string' || typeof table !== 'string' || errors) return null;
  const origin = { schema, table, commitTimestamp: String(data['commit_timestamp']) };
  if (type === 'DELETE') return isRecord(oldRecord) ? { ...origin, type, oldRecord } : null;
  if ((type !== 'INSERT' && type !== 'UPDATE') || !isRecord(record) || !isComplete(record, columns))
    return null;
  return type === 'INSERT'
    ? { ...origin, type, record }
    : { ...origin, type, record, oldRecord: isRecord(oldRecord) ? oldRecord : {} };
}

/** An UPDATE's record lacks large values that it did not change (TOAST). */
function isComplete(record: RowRecord, columns: unknown): boolean {
  return (
    !Array.isArray(columns) ||
    columns.every((column) => !isRecord(column) || Object.hasOwn(record, String(column['name'])))
  );
}
