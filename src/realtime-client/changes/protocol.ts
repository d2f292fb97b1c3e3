import type { Clock } from '../../platform/platform.ts';
import { RealtimeError } from '../errors.ts';
import { isRecord } from '../json.ts';
import type { ChangeReceiver, ChangeSink, PostgresChangesProtocol } from '../protocol/protocol-features.ts';
import { bindingKey, type Binding, type Bindings, type Change, type RowRecord } from '../protocol/change.ts';
import { withExactIntegers } from './exact-integers.ts';
import { createRepetitionFilter } from './repetitions.ts';

export const postgresChangesProtocol: PostgresChangesProtocol = {
  encode: (bindings) => Array.from(bindings.values(), encodeBinding),
  withExactIntegers,
  createReceiver,
};

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

function createReceiver(sink: ChangeSink, clock: Clock): ChangeReceiver {
  const isRepetition = createRepetitionFilter();
  let lastChange = '';
  let keysById: ReadonlyMap<unknown, readonly string[]> = new Map();
  return {
    accept(sent, response) {
      const matched = matchBindings(sent, response);
      if (matched) keysById = matched;
      return matched !== null;
    },
    receive(payload, frame) {
      if (!isRecord(payload) || !isRecord(payload['data']) || !Array.isArray(payload['ids'])) return false;
      const ids: readonly unknown[] = payload['ids'];
      const [id] = ids;
      const keys =
        (ids.length === 1 ? keysById.get(id) : [...new Set(ids.flatMap((one) => keysById.get(one) ?? []))]) ??
        [];
      if (keys.length === 0) return true;
      const isRepeated = isRepetition(frame, payload['data']['commit_timestamp']);
      const isLast = frame === lastChange;
      lastChange = frame;
      const change = parseChange(payload['data']);
      if (change && !isRepeated) sink.onChange(keys, change);
      // A frame that repeats its predecessor is a resend. A later repeat may be a row that returned to an old value.
      else if (!change || !isLast)
        sink.onGap({
          continuity: 'lost',
          sinceMs: clock.now(),
          reason: change ? 'repeated' : 'truncated',
        });
      return true;
    },
  };
}

/**
 * Maps the server's ids to bindings, by content instead of position, because the server may reorder them and add
 * fields.
 *
 * @returns null if the server did not accept every binding.
 */
function matchBindings(sent: Bindings, response: unknown): ReadonlyMap<unknown, readonly string[]> | null {
  const accepted =
    isRecord(response) && Array.isArray(response['postgres_changes'])
      ? (response['postgres_changes'] as unknown[])
      : [];
  const keysById = new Map<number, string[]>();
  for (const key of sent.keys()) {
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

/** The change of a frame; null if its data was truncated. */
function parseChange(data: RowRecord): Change<RowRecord> | null {
  const { type, schema, table, columns, record, old_record: oldRecord, errors } = data;
  if (typeof schema !== 'string' || typeof table !== 'string' || errors) return null;
  const commitTimestamp = String(data['commit_timestamp']);
  if (type === 'DELETE')
    return isRecord(oldRecord) ? { schema, table, commitTimestamp, type, oldRecord } : null;
  if (!isRecord(record)) return null;
  if (type === 'INSERT') return { schema, table, commitTimestamp, type, record };
  if (type !== 'UPDATE' || !isComplete(record, columns)) return null;
  const before = isRecord(oldRecord) ? oldRecord : {};
  return { schema, table, commitTimestamp, type, record, oldRecord: before };
}

/** An UPDATE's record lacks large values that it did not change (TOAST). */
function isComplete(record: RowRecord, columns: unknown): boolean {
  if (!Array.isArray(columns)) return true;
  for (const column of columns as readonly unknown[])
    if (isRecord(column) && record[String(column['name'])] === undefined) return false;
  return true;
}
