import type { Timer, Unsubscribe } from '../../platform/platform.ts';
import type { Channel } from '../channel/channel.ts';
import { createPostgresChanges, type PostgresChanges } from '../changes/postgres-changes.ts';
import { RealtimeError } from '../errors.ts';
import type { Change, RowRecord } from '../protocol/change.ts';
import { applyChanges, beginRead, createQueryRows, failRead, finishRead, keysOf } from './query-rows.ts';
import type { RowRules } from './query-rows.ts';
import { createRepairWatch, type LiveQueryRepair } from './repair-watch.ts';
import { createListVersion } from './list-version.ts';
import { createLiveReads, type LiveReadsOptions, type LiveReadsSnapshot } from './live-reads.ts';
import type { LiveSource } from './live-source.ts';
import { explainFailure } from './channel-failure.ts';
import type { ReadCause } from './read-triggers.ts';
import { createRowOrder } from './row-order.ts';
import { checkQueryAndKey, subscriptionOf } from './subscription.ts';
import { createListeners } from '../../platform/listeners.ts';
import { createStore, type Readable } from '../../platform/store.ts';

/** Options of {@link createLiveQuery}. */
export interface LiveQueryOptions<Row extends object> extends Pick<
  LiveReadsOptions,
  'platform' | 'shouldRetry' | 'retryDelaysMs' | 'maxEventsPerSecond'
> {
  /** The channel that delivers the changes. */
  readonly channel: Channel;
  /**
   * The source of the changes. Default: `createPostgresChanges(channel)`; see `createDatabaseBroadcast` for changes that
   * the database broadcasts.
   */
  readonly source?: Pick<PostgresChanges, 'onChanges' | 'onContinuity'>;
  /**
   * The rows: a query of the REST client with its columns, conditions and order. A change only names the row to read again by
   * this query, so that each row has the form of the query and fulfills its conditions.
   */
  readonly query: LiveSource<Row>;
  /** The columns of the primary key, which the query selects; int8 as text (`id::text`). */
  readonly key: (keyof Row & string) | readonly (keyof Row & string)[];
  /** The table whose changes concern the rows, where the query reads a view or a function. Default: the query's table. */
  readonly table?: string;
  /**
   * Columns with values that never change in a row, such as its owner. The server tests the query's conditions on them and
   * omits changes of other rows. It cannot do so for other columns, because it does not report that a row no longer matches.
   * Default: none.
   */
  readonly immutableColumns?: readonly string[];
  /** Reads the whole list where one request is not enough, such as by `pages()`. Default: executes the query. */
  readonly read?: (signal: AbortSignal) => Promise<readonly Row[]>;
  /** Rows to show until the first read succeeds, such as cached ones. Default: none. */
  readonly initialRows?: readonly Row[];
  /** Whether to read before the channel is live too, so that the first list does not wait for it. Default true. */
  readonly isEager?: boolean;
  /**
   * Reads by one cheap request how often the list has changed, such as a counter in a row that a trigger of your schema
   * keeps: it grows by one with each change that the channel delivers. It is compared every 2.5 s and read before
   * each read of the list, so that a list lacks silently lost changes for at most 5 s. A counter that grows otherwise costs
   * reads, not changes. Default: the reads of `intervalMs` only.
   */
  readonly readVersion?: (signal: AbortSignal) => Promise<number>;
  /**
   * Milliseconds between reads of the list while the page is visible and online, also while the channel is not live; 0 turns
   * these and the comparisons of the version off. With the default a list lacks silently lost changes for at most 30 s. Default
   * 25,000.
   */
  readonly intervalMs?: number;
  /** Called when a read found and repaired a difference that no change had announced. */
  readonly onRepaired?: (repair: LiveQueryRepair) => void;
}

/** The list and its state. */
export interface LiveQuerySnapshot<Row> extends Omit<LiveReadsSnapshot, 'isPending' | 'failure'> {
  /** The rows, in the order of the query. */
  readonly rows: readonly Row[];
  /** The error of the last read, else of the failed channel; null without either. */
  readonly error: Error | null;
  /** The last repair of changes that the server had lost; null without one. */
  readonly lastRepair: LiveQueryRepair | null;
}

/** A list that follows the table while it is started. */
export interface LiveQuery<Row> extends Readable<LiveQuerySnapshot<Row>> {
  /** Keeps the list current until the returned function is called; several callers may start it. */
  start(): Unsubscribe;
  /** Reads the list again. */
  refresh(): void;
  /** Reads these rows again, such as those that this tab has written, without waiting for their changes. */
  refreshRows(rows: readonly Partial<Row>[]): void;
}

/** Bounds of the time between the starts of two reads that changes cause, which is four times the last read's duration. */
const [minSpacingMs, maxSpacingMs] = [200, 1_500];

/**
 * Creates a list of rows that follows a table: each changed row is read again by the query.
 *
 * @throws {RealtimeError} `invalid-options` for a `query` or `key` of another kind, for conditions on `immutableColumns` that
 *   a subscription cannot test, and for a number outside its range.
 * @example
 * ```ts
 * import { createLiveQuery } from 'supabase-protocol-clients/realtime-client/live-query';
 *
 * const unread = createLiveQuery({
 *   platform,
 *   channel: realtime.channel('inbox'),
 *   query: rest.from('notifications').select('id, content').eq('recipient_id', userId).eq('status', 'unread'),
 *   key: 'id',
 *   immutableColumns: ['recipient_id'],
 * });
 * unread.subscribe(() => console.log(unread.getSnapshot().rows.length));
 * const stop = unread.start();
 * ```
 */
export function createLiveQuery<Row extends object>(options: LiveQueryOptions<Row>): LiveQuery<Row> {
  const { channel, source = createPostgresChanges(channel), platform, query, readVersion } = options;
  const { isEager = true, initialRows = [], intervalMs, onRepaired } = options;
  const { clock, report } = platform;
  checkQueryAndKey(query, options.key);
  const { plan } = query;
  const key: readonly string[] = [options.key].flat();
  const subscription = subscriptionOf(plan, key, options.table, options.immutableColumns);
  const rules: RowRules = {
    key,
    order: createRowOrder(plan.order),
    isLimited: plan.limit !== undefined || plan.offset !== undefined,
    isDerived: options.table !== undefined,
  };
  const readList = options.read ?? ((signal: AbortSignal) => query.execute({ signal }));
  let state = createQueryRows(initialRows, rules);
  let users = 0;
  /**
   * The cause of the due read, or of the one in flight, that checks for lost changes; null if changes are known to be
   * missing.
   */
  let suspectedCause: ReadCause | null = null;
  let readingFor: ReadCause | null = null;
  let nextReadAtMs = 0;
  let pacing: Timer | null = null;
  let stops: readonly Unsubscribe[] = [];
  const repairListeners = createListeners<LiveQueryRepair>(report);
  if (onRepaired) repairListeners.add(onRepaired);

  const readDue = async (signal: AbortSignal) => {
    const begun = beginRead(state);
    const { keys } = begun.reading;
    state = begun;
    if (!keys) {
      readingFor = suspectedCause;
      suspectedCause = null;
      await version?.read(signal);
    }
    const rows = await (keys ? readRows(query, key, [...keys.values()], signal) : readList(signal));
    if (signal.aborted) return;
    const before = state;
    state = finishRead(state, rows, rules);
    if (!keys && readingFor) repairs.compare(before.rows, state.rows, readingFor);
    repairs.noteChanges([...(before.reading?.announced ?? [])]);
  };
  const noteCause = (cause: ReadCause): boolean => {
    const { isCurrent } = reads.getSnapshot();
    // The version is compared more often.
    if ((cause === 'interval' || cause === 'rate') && version && isCurrent) return false;
    const isLoss = isCurrent && cause !== 'live' && cause !== 'gap';
    suspectedCause = isLoss ? cause : null;
    if (!isLoss) readingFor = null;
    state = { ...state, isWholeDue: true };
    return true;
  };
  const reads = createLiveReads({
    ...options,
    onCause: noteCause,
    shouldRetry: (problem) => !isInvalidRow(problem) && (options.shouldRetry?.(problem) ?? true),
    async read(signal) {
      const startMs = clock.monotonicMs();
      try {
        await readDue(signal);
      } catch (problem) {
        if (!signal.aborted) state = failRead(state);
        throw problem;
      } finally {
        const spacingMs = 4 * (clock.monotonicMs() - startMs);
        nextReadAtMs = startMs + Math.min(maxSpacingMs, Math.max(minSpacingMs, spacingMs));
      }
      if (!signal.aborted) readWhatChanged();
    },
  });
  /** Reads the changed rows soon: those of a burst by one request. */
  const readWhatChanged = () => {
    if (users === 0 || pacing || state.reading || (state.changed.size === 0 && !state.isWholeDue)) return;
    const delayMs = nextReadAtMs - clock.monotonicMs();
    if (delayMs <= 0) return void reads.recheck();
    pacing = clock.setTimer(() => {
      pacing = null;
      readWhatChanged();
    }, delayMs);
  };
  const store = createStore<LiveQuerySnapshot<Row>>(
    {
      rows: initialRows,
      isLoaded: false,
      status: 'stopped',
      isCurrent: false,
      error: null,
      lastRepair: null,
    },
    report,
  );
  let shown = state.rows;
  const publish = (lastRepair = store.getSnapshot().lastRepair) => {
    const before = store.getSnapshot();
    const { isLoaded, status, isCurrent, failure, ...reading } = reads.getSnapshot();
    const error = reading.error ?? (failure && explainFailure(failure, subscription, before.error));
    const isChanged = error !== before.error || lastRepair !== before.lastRepair || state.rows !== shown;
    if (!isChanged && status === before.status && isLoaded === before.isLoaded) return;
    const rows = state.rows === shown ? before.rows : [...state.rows.values()];
    shown = state.rows;
    store.set({ rows, isLoaded, status, isCurrent, error, lastRepair });
  };
  reads.subscribe(() => publish());
  const receive = (changes: readonly Change<RowRecord>[]) => {
    version?.noteChanges(changes.length);
    reads.noteChanges(changes.length);
    repairs.noteChanges(keysOf(changes, rules).filter((id) => id !== undefined));
    apply(changes);
  };
  const apply = (changes: readonly Change<RowRecord>[]) => {
    state = applyChanges(state, changes, rules);
    publish();
    readWhatChanged();
  };
  const repairs = createRepairWatch<Row>(clock, (repair) => {
    publish(repair);
    repairListeners.call(repair);
    reads.noteLosses(repair.cause);
  });
  const readAgain = (cause: ReadCause) => {
    noteCause(cause);
    void reads.refresh();
  };
  const version =
    readVersion && intervalMs !== 0
      ? createListVersion({
          readVersion,
          platform,
          isCurrent: () => reads.getSnapshot().isCurrent,
          onDifference: () => readAgain('version'),
        })
      : undefined;

  const begin = () => {
    const isLive = () => channel.getSnapshot().status === 'live';
    const isBegun = isLive();
    version?.start();
    stops = [reads.follow(channel, source), source.onChanges(subscription, receive), channel.join()];
    if (isEager && !isBegun && !isLive()) readAgain('live');
  };
  const end = () => {
    stops.forEach((stop) => stop());
    pacing?.cancel();
    pacing = null;
    version?.stop();
    repairs.stop();
    reads.stop();
    state = failRead(state);
  };
  return {
    getSnapshot: store.getSnapshot,
    subscribe: store.subscribe,
    refresh() {
      if (users > 0) readAgain('gap');
    },
    refreshRows(rows) {
      const own = { schema: '', table: '', commitTimestamp: '', type: 'INSERT' } as const;
      if (users > 0) apply(rows.map((record) => ({ ...own, record: record as RowRecord })));
    },
    start() {
      users += 1;
      if (users === 1) begin();
      let isUsed = true;
      return () => {
        if (!isUsed) return;
        isUsed = false;
        users -= 1;
        if (users === 0) end();
      };
    },
  };
}

/** Reads the rows with these keys; a key of several columns may read more of the list. */
function readRows<Row>(
  query: LiveSource<Row>,
  key: readonly string[],
  keys: readonly (readonly unknown[])[],
  signal: AbortSignal,
): Promise<readonly Row[]> {
  let narrowed = query;
  for (const [index, column] of key.entries()) {
    const values = new Set(keys.map((values) => values[index]));
    narrowed = narrowed.in(column as never, [...values] as never[]);
  }
  return narrowed.execute({ signal });
}

const isInvalidRow = (problem: unknown): boolean =>
  problem instanceof RealtimeError && problem.code === 'invalid-row';

export { changeRows, createLiveRows, endRead, mergeRead, startRead } from './live-rows.ts';
export type { LiveRows, RowsRead } from './live-rows.ts';
export { createLiveReads } from './live-reads.ts';
export type { LiveReads, LiveReadsOptions, LiveReadsSnapshot, LiveStatus } from './live-reads.ts';
export type { LiveQueryRepair } from './repair-watch.ts';
export type { LiveFilter, LivePlan, LiveSource } from './live-source.ts';
export type { FollowedChannel, ReadCause } from './read-triggers.ts';
