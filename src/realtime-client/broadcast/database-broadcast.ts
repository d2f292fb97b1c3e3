import type { Unsubscribe } from '../../platform/platform.ts';
import { binaryFrames } from './binary-frames.ts';
import type { Channel } from '../channel/channel.ts';
import { isRecord } from '../json.ts';
import { createChangeQueue, type ChangeBinding, type ChangeEvents } from '../changes/change-queue.ts';
import type { Change, ChangeOf, ChangeType, ContinuityLoss, RowRecord } from '../protocol/change.ts';
import { createDuplicateFilter } from '../changes/duplicate-filter.ts';

/** Which changes a listener receives. The topic decides which rows; there is no filter. */
export type BroadcastBinding<Row, Event extends ChangeEvents = ChangeEvents> = Pick<
  ChangeBinding<Row, Event>,
  'event' | 'schema' | 'table' | 'primaryKey' | 'parseRow'
>;

/** Changes of rows that a trigger broadcasts, a source of changes like a channel. */
export interface DatabaseBroadcast {
  /**
   * Calls `listener` with the changes received since the last frame, merged to at most one per row. `commitTimestamp`
   * is when the change arrived, because the broadcast has no commit time. A message of the table without rows announces
   * a loss with the reason `truncated`.
   */
  onChanges<Row extends object, const Event extends ChangeEvents = ChangeEvents>(
    binding: BroadcastBinding<Row, Event>,
    listener: (changes: readonly ChangeOf<Row, Event>[]) => void,
  ): Unsubscribe;
  /** Calls `listener` when changes may be missing; see {@link Channel.onContinuity}. */
  onContinuity(listener: (loss: ContinuityLoss) => void): Unsubscribe;
}

/**
 * Receives the changes of a private channel that the database sends by `realtime.broadcast_changes()`, or by
 * `realtime.send()` with `records` and `old_records`, lists of the rows that one statement has changed. They scale better
 * than `postgres_changes`: the database decides once per change who receives it. Also a `source` of a live query.
 *
 * Integers beyond the safe range become strings of their digits, up to 19 of them.
 *
 * @example
 * ```ts
 * import { createDatabaseBroadcast } from 'supabase-protocol-clients/realtime-client/broadcast';
 *
 * const channel = realtime.channel('user:1', { private: true });
 * const changes = createDatabaseBroadcast(channel);
 * changes.onChanges({ table: 'notifications' }, (rows) => console.log(rows.length));
 * channel.join();
 * ```
 */
export function createDatabaseBroadcast(channel: Channel): DatabaseBroadcast {
  const { port } = channel;
  port.features.binaryFrames = binaryFrames;
  channel.updateJoinPayload({ replicationReady: true });
  return {
    onContinuity: channel.onContinuity,
    onChanges<Row extends object, Event extends ChangeEvents>(
      { event, schema = 'public', table, primaryKey = ['id'], parseRow }: BroadcastBinding<Row, Event>,
      listener: (changes: readonly ChangeOf<Row, Event>[]) => void,
    ) {
      const types = new Set<string>([event ?? '*'].flat());
      const isDuplicate = createDuplicateFilter();
      // Only changes of these types are added to the queue.
      const deliver = listener as (changes: readonly Change<Row>[]) => void;
      const queue = createChangeQueue(port, { primaryKey, parseRow }, deliver);
      const stops = [
        queue.close,
        port.onMessage(({ event: kind, payload }) => {
          if (kind !== 'broadcast' || !isRecord(payload)) return;
          const message = parseMessage(payload['payload']);
          if (!message || message.schema !== schema || (table !== undefined && message.table !== table))
            return;
          if (!types.has('*') && !types.has(message.type)) return;
          const id = isRecord(payload['meta']) ? payload['meta']['id'] : undefined;
          if (typeof id === 'string' && isDuplicate(id)) return;
          const changes = changesOf(message, new Date(port.clock.now()).toISOString());
          if (changes.length === 0) port.announceLoss('truncated');
          changes.forEach(queue.add);
        }),
      ];
      return () => stops.forEach((stop) => stop());
    },
  };
}

interface ChangeMessage {
  readonly type: ChangeType;
  readonly schema: string;
  readonly table: string;
  readonly records: readonly RowRecord[];
  readonly oldRecords: readonly RowRecord[];
}

/** The payload of `realtime.broadcast_changes()`, or the same with lists of rows; null for any other broadcast. */
function parseMessage(payload: unknown): ChangeMessage | null {
  if (!isRecord(payload)) return null;
  const { operation: type, schema, table } = payload;
  if (type !== 'INSERT' && type !== 'UPDATE' && type !== 'DELETE') return null;
  if (typeof schema !== 'string' || typeof table !== 'string') return null;
  return {
    type,
    schema,
    table,
    records: rowsIn(payload['records'] ?? payload['record']),
    oldRecords: rowsIn(payload['old_records'] ?? payload['old_record']),
  };
}

const rowsIn = (value: unknown): readonly RowRecord[] => [value].flat().filter(isRecord);

function changesOf(message: ChangeMessage, commitTimestamp: string): readonly Change<RowRecord>[] {
  const { type, schema, table, records, oldRecords } = message;
  if (type === 'DELETE')
    return oldRecords.map((oldRecord) => ({ type, schema, table, commitTimestamp, oldRecord }));
  return records.map((record, index) =>
    type === 'INSERT'
      ? { type, schema, table, commitTimestamp, record }
      : { type, schema, table, commitTimestamp, record, oldRecord: oldRecords[index] ?? {} },
  );
}

export { createRowParser } from '../changes/row-schema.ts';
