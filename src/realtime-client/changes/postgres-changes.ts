import { RealtimeError } from '../errors.ts';
import { isRecord } from '../socket/wire.ts';

export type ChangeType = 'INSERT' | 'UPDATE' | 'DELETE';

/** Which changes to receive. */
export interface Binding {
  /** Default `*`: all types. */
  readonly event?: ChangeType | '*';
  /** Default `public`. */
  readonly schema?: string;
  /** Without a table: those of every published table of the schema; a filter needs a table. */
  readonly table?: string;
  /**
   * `column=operator.value`, such as `recipient_id=eq.1`; several joined by commas must all hold. An UPDATE is
   * tested on the new row only, a DELETE on the row's replica identity only.
   */
  readonly filter?: string;
  /** Columns of the record; default all. The primary key is always among them. */
  readonly select?: readonly string[];
}

/** A change of one row. */
export type Change<Row> = ChangeOrigin &
  (
    | { readonly type: 'INSERT'; readonly record: Row }
    | { readonly type: 'UPDATE'; readonly record: Row; readonly oldRecord: Partial<Row> }
    /** `oldRecord` has the columns of the replica identity; under row-level security the primary key only. */
    | { readonly type: 'DELETE'; readonly oldRecord: Partial<Row> }
  );

interface ChangeOrigin {
  readonly schema: string;
  readonly table: string;
  /** When the transaction was committed: ISO 8601, in milliseconds, the same for all changes of a transaction. */
  readonly commitTimestamp: string;
}

export type RowRecord = Readonly<Record<string, unknown>>;

/** A change as a frame tells it: for which of the server's bindings, or null where data was cut or is missing. */
export interface ReceivedChange {
  readonly ids: readonly unknown[];
  readonly change: Change<RowRecord> | null;
}

/** What identifies a binding among those of a channel, also as the server echoes it. */
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

/** @throws {RealtimeError} `invalid_binding` */
export function encodeBinding({ event = '*', schema = 'public', table, filter, select }: Binding): RowRecord {
  const hasFilter = Boolean(filter?.trim());
  if (hasFilter && !table) throw new RealtimeError('invalid_binding', 'A filter needs a table');
  if (select && !table) throw new RealtimeError('invalid_binding', 'A selection needs a table');
  return {
    event,
    schema,
    ...(table ? { table } : {}),
    ...(hasFilter ? { filter } : {}),
    ...(select ? { select } : {}),
  };
}

/**
 * Which binding each of the server's ids stands for: matched by what they say, not by position, since the server may
 * reorder them and add fields.
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

/** The payload of a `postgres_changes` frame, or null if it is none. */
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

/** Large values that an UPDATE did not touch are missing from its record. */
function isComplete(record: RowRecord, columns: unknown): boolean {
  return (
    !Array.isArray(columns) ||
    columns.every((column) => !isRecord(column) || Object.hasOwn(record, String(column['name'])))
  );
}
