import { ListenerSet } from '../../platform/listeners.ts';
import type { Unsubscribe } from '../../platform/platform.ts';
import type { Channel } from '../channel/channel.ts';
import { createChangeQueue, type ChangeBinding, type ChangeEvents } from './change-queue.ts';
import {
  bindingKey,
  type Binding,
  type Change,
  type ChangeOf,
  type ContinuityLoss,
  type RowRecord,
} from '../protocol/change.ts';
import { encodeBinding, postgresChangesProtocol } from './protocol.ts';

/** Reads the output of `supabase gen types typescript`. */
type TablesOf<Database, Schema> = Schema extends keyof Database
  ? Database[Schema] extends { readonly Tables: infer Tables }
    ? Tables
    : unknown
  : unknown;
type RowOf<Database, Schema, Table> = Table extends keyof TablesOf<Database, Schema>
  ? TablesOf<Database, Schema>[Table] extends { readonly Row: infer Row extends object }
    ? Row
    : RowRecord
  : RowRecord;

/** Subscriptions of a channel to the database's changes (`postgres_changes`); rows have the types of `Database`. */
export interface PostgresChanges<Database = unknown> {
  /**
   * Calls `listener` with each change, in the frame after its arrival. Adding a binding to a joined channel joins it again.
   *
   * @throws {RealtimeError} `invalid-binding`
   */
  on<
    Table extends string,
    Schema extends string = 'public',
    Row extends object = RowOf<Database, Schema, Table>,
    const Event extends ChangeEvents = ChangeEvents,
  >(
    binding: ChangeBinding<Row, Event> & { readonly schema?: Schema; readonly table?: Table },
    listener: (change: ChangeOf<Row, Event>) => void,
  ): Unsubscribe;
  /**
   * Calls `listener` with the changes received since the last frame, merged to at most one per row; a change of the
   * primary key is never merged. Adding a binding to a joined channel joins it again.
   *
   * @throws {RealtimeError} `invalid-binding`
   */
  onChanges<Row extends object, const Event extends ChangeEvents = ChangeEvents>(
    binding: ChangeBinding<Row, Event>,
    listener: (changes: readonly ChangeOf<Row, Event>[]) => void,
  ): Unsubscribe;
  /** Calls `listener` when changes may be missing; see {@link Channel.onContinuity}. */
  onContinuity(listener: (loss: ContinuityLoss) => void): Unsubscribe;
}

/** Options of {@link createPostgresChanges}. */
export interface PostgresChangesOptions {
  /**
   * How long the server may hold its reply to the join until it has subscribed, in milliseconds; it refuses the join
   * otherwise. See `JoinConfig`. Default null: it replies at once, and confirms the subscription afterwards.
   */
  readonly subscriptionWaitMs?: number | null;
}

/**
 * Subscribes to the changes that the server reads from the database's write-ahead log. Also a `source` of a live query.
 * Integers beyond the safe range of the types `int8` and `numeric` become strings of their digits.
 *
 * @example
 * ```ts
 * import { createPostgresChanges } from 'supabase-protocol-clients/realtime-client/postgres-changes';
 *
 * const channel = realtime.channel('inbox');
 * const changes = createPostgresChanges(channel);
 * const binding = { event: '*', table: 'notifications', filter: 'recipient_id=eq.1' } as const;
 * changes.on(binding, (change) => {
 *   if (change.type === 'INSERT') console.log('new', change.record.content);
 * });
 * changes.onContinuity(() => console.log('Changes may be missing: read the rows again'));
 * const leave = channel.join();
 * ```
 */
export function createPostgresChanges<Database>(
  channel: Channel<Database>,
  { subscriptionWaitMs = null }: PostgresChangesOptions = {},
): PostgresChanges<Database> {
  const { port } = channel;
  if (subscriptionWaitMs !== null) channel.updateJoinPayload({ subscriptionWaitMs });
  port.features.postgresChanges = postgresChangesProtocol;
  const subscribe = <Row extends object, Event extends ChangeEvents>(
    { event, primaryKey: _key, parseRow, ...target }: ChangeBinding<Row, Event>,
    primaryKey: readonly string[] | null,
    listener: (changes: readonly ChangeOf<Row, Event>[]) => void,
  ): Unsubscribe => {
    const events: ChangeEvents = event ?? '*';
    const bindings = [events].flat().map((one): Binding => Object.assign({ event: one }, target));
    bindings.forEach(encodeBinding);
    const byKey = new Map(bindings.map((binding) => [bindingKey(binding), binding]));
    // Only changes of these events are added to the queue.
    const deliver = listener as (changes: readonly Change<Row>[]) => void;
    const queue = createChangeQueue(port, { primaryKey, parseRow }, deliver);
    const stops = [
      queue.close,
      port.onChange(({ keys, change }) => {
        if (keys.some((key) => byKey.has(key))) queue.add(change);
      }),
      port.bind(byKey),
    ];
    return () => stops.forEach((stop) => stop());
  };
  return {
    onContinuity: channel.onContinuity,
    onChanges: (binding, listener) => subscribe(binding, binding.primaryKey ?? ['id'], listener),
    on(binding, listener) {
      const listeners = new ListenerSet<Parameters<typeof listener>[0]>(port.report);
      const stops = [
        listeners.add(listener),
        subscribe(binding, null, (changes) => changes.forEach((change) => listeners.call(change))),
      ];
      return () => stops.forEach((stop) => stop());
    },
  };
}

export { createRowParser } from './row-schema.ts';
export type { ChangeBinding } from './change-queue.ts';
