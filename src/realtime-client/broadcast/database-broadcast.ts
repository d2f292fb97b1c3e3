import type { Unsubscribe } from '../../platform/platform.ts';
import { binaryFrames } from './binary-frames.ts';
import type { Channel } from '../channel/channel.ts';
import { isRecord } from '../json.ts';
import { createChangeQueue, type ChangeBinding } from '../changes/change-queue.ts';
import type { Change, ContinuityLoss, RowRecord } from '../protocol/change.ts';
import { createDuplicateFilter } from '../changes/duplicate-filter.ts';

/** Which changes a listener receives. The topic decides which rows; there is no filter. */
export type BroadcastBinding<Row> = Pick<
  ChangeBinding<Row>,
  'event' | 'schema' | 'table' | 'primaryKey' | 'parseRow'
>;

/** Changes of rows that a trigger sends by `realtime.broadcast_changes()`, a source of changes like a channel. */
export interface DatabaseBroadcast {
  /**
   * Calls `listener` with the changes received since the last frame, merged to at most one per row. `commitTimestamp`
   * is when the change arrived, because the broadcast has no commit time.
   */
  onChanges<Row extends object>(
    binding: BroadcastBinding<Row>,
    listener: (changes: readonly Change<Row>[]) => void,
  ): Unsubscribe;
  /** Calls `listener` when changes may be missing; see {@link Channel.onContinuity}. */
  onContinuity(listener: (loss: ContinuityLoss) => void): Unsubscribe;
}

/**
 * Receives the changes of a private channel that the database sends by `realtime.broadcast_changes()`. They scale better
 * than `postgres_changes`: the database decides once per change who receives it. Also a `source` of a live query.
 *
 * Integers beyond the safe range become strings of their digits, up to 19 of them.
 *
 * @example
 * ```ts
 * import { createDatabaseBroadcast } from 'supabase-protocol-clients/realtime-client/database-broadcast';
 *
 * const channel = realtime.channel('user:1', { private: true });
 * const changes = createDatabaseBroadcast(channel);
 * changes.onChanges({ table: 'notifications' }, (rows) => console.log(rows.length));
 * channel.join();
 * ```
 */
export function createDatabaseBroadcast(channel: Channel): DatabaseBroadcast {
  const { port } = channel;
  port.parts.binaryFrames = binaryFrames;
  channel.updateJoinPayload({ replicationReady: true });
  return {
    onContinuity: channel.onContinuity,
    onChanges({ event = '*', schema = 'public', table, ...rules }, listener) {
      const types = new Set<string>([event].flat());
      const isDuplicate = createDuplicateFilter();
      const queue = createChangeQueue(port, rules, listener);
      const stops = [
        queue.close,
        port.onMessage(({ event: kind, payload }) => {
          if (kind !== 'broadcast' || !isRecord(payload)) return;
          const change = parseChange(payload['payload'], new Date(port.clock.now()).toISOString());
          if (!change || change.schema !== schema || (table !== undefined && change.table !== table)) return;
          if (!types.has('*') && !types.has(change.type)) return;
          const id = isRecord(payload['meta']) ? payload['meta']['id'] : undefined;
          if (typeof id === 'string' && isDuplicate(id)) return;
          queue.add(change);
        }),
      ];
      return () => stops.forEach((stop) => stop());
    },
  };
}

/** The payload of `realtime.broadcast_changes()`; null for any other broadcast. */
function parseChange(payload: unknown, commitTimestamp: string): Change<RowRecord> | null {
  if (!isRecord(payload)) return null;
  const { operation, schema, table, record, old_record: oldRecord } = payload;
  if (typeof schema !== 'string' || typeof table !== 'string') return null;
  const origin = { schema, table, commitTimestamp };
  if (operation === 'DELETE') return isRecord(oldRecord) ? { ...origin, type: operation, oldRecord } : null;
  if (!isRecord(record)) return null;
  if (operation === 'INSERT') return { ...origin, type: operation, record };
  return operation === 'UPDATE'
    ? { ...origin, type: operation, record, oldRecord: isRecord(oldRecord) ? oldRecord : {} }
    : null;
}

export { createRowParser } from '../changes/row-schema.ts';
