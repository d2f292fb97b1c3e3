import type { Page, Platform, Timer, Unsubscribe } from '../../platform/platform.ts';
import type { Channel } from '../channel/channel.ts';
import { createPostgresChanges, type PostgresChanges } from '../changes/postgres-changes.ts';
import { RealtimeError, requireRanges } from '../errors.ts';
import type { Change, RowRecord } from '../protocol/change.ts';
import { applyChanges, beginRead, createQueryRows, failRead, finishRead, keysOf } from './query-rows.ts';
import type { RowRules } from './query-rows.ts';
import { createHealWatch, type LiveQueryHeal } from './heal-watch.ts';
import { createListVersion } from './list-version.ts';
import { createLiveReads, type LiveReadsOptions } from './live-reads.ts';
import type { LiveSource } from './live-source.ts';
import { explainFailure } from './channel-failure.ts';
import { triggerRanges, watchReads, type ReadCause, type ReadTriggers } from './read-triggers.ts';
import { createRowOrder } from './row-order.ts';
import { subscriptionOf } from './subscription.ts';
import { createListeners } from '../../platform/listeners.ts';
import { createStore, type Readable } from '../../platform/store.ts';

/** Options of {@link createLiveQuery}. */
export interface LiveQueryOptions<Row extends object> extends Pick<
  LiveReadsOptions,
  'shouldRetry' | 'retryDelaysMs'
> {
  /** The channel that delivers the changes. */
  readonly channel: Channel;
  /**
   * Where the changes come from. Default: `createPostgresChanges(channel)`; see `createDatabaseBroadcast` for those that
   * the database broadcasts.
   */
  readonly source?: Pick<PostgresChanges, 'onChanges' | 'onContinuity'>;
  /**
   * The rows: a query of the REST client with its columns, conditions and order. A change only says which row to read again by
   * this query, so that each row has the form of the query and fulfills its conditions.
   */
  readonly query: LiveSource<Row>;
  /** The columns of the primary key, which the query selects; int8 as text (`id::text`). */
  readonly key: (keyof Row & string) | readonly (keyof Row & string)[];
  /** The table whose changes concern the rows, where the query reads a view or a function. Default: the query's table. */
  readonly table?: string;
  /**
   * Columns whose values never change in a row, such as its owner: the server tests the query's conditions on them, and sends
   * changes of no other rows. For other columns it cannot: it does not tell that a row no longer matches. Default: none.
   */
  readonly immutableColumns?: readonly string[];
  /** Reads the whole list where one request is not enough, such as by `pages()`. Default: executes the query. */
  readonly read?: (signal: AbortSignal) => Promise<readonly Row[]>;
  /** Clock, error reporting and the page's visibility and network. Default for `page`: always visible and online. */
  readonly platform: Pick<Platform, 'clock' | 'report'> & { readonly page?: Page };
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
  /** The server's limit of changes per second, near which it may drop some. Default 100, the free plan's. */
  readonly maxEventsPerSecond?: number;
  /** Called when a read found and repaired a difference that no change had announced. */
  readonly onHealed?: (heal: LiveQueryHeal) => void;
}

/**
 * Why a list is current or not. `stopped`: not started; `joining`: the channel is not live; `failed`: the channel has failed, see
 * `error`; `reading`: a read is in flight, or has failed and is retried; `current`.
 */
export type LiveQueryStatus = 'stopped' | 'joining' | 'failed' | 'reading' | 'current';

/** The list and its state. */
export interface LiveQuerySnapshot<Row> {
  /** The rows, in the order of the query. */
  readonly rows: readonly Row[];
  /** Whether a read has succeeded. */
  readonly isLoaded: boolean;
  /** Why the list is current or not. */
  readonly status: LiveQueryStatus;
  /** Whether the list equals the table as far as the client can know: the status is `current`. */
  readonly isCurrent: boolean;
  /** What the last read threw, else why the channel has failed; null without either. */
  readonly error: Error | null;
  /** The last repair of changes that the server had lost; null if there was none. */
  readonly lastHeal: LiveQueryHeal | null;
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

/** Shortest and longest time between the starts of two reads that changes cause; between them four times the last duration. */
const [minSpacingMs, maxSpacingMs] = [200, 1_500];

/**
 * Creates a list of rows that follows a table: a query, of which each changed row is read again, so that none is missed.
 *
 * @throws {RealtimeError} `invalid-options` for conditions on `immutableColumns` that a subscription cannot test, and for a
 *   number outside its range.
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
  requireRanges(options, triggerRanges);
  const { channel, source = createPostgresChanges(channel), platform, query, readVersion } = options;
  const { isEager = true, initialRows = [], intervalMs, onHealed } = options;
  const { clock, report } = platform;
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
  /** Why the due read, and the one in flight, look for lost changes; null where changes are known to be missing. */
  let suspicion: ReadCause | null = null;
  let readingFor: ReadCause | null = null;
  let nextReadAtMs = 0;
  let pacing: Timer | null = null;
  let triggers: ReadTriggers | null = null;
  let stops: readonly Unsubscribe[] = [];
  const healListeners = createListeners<LiveQueryHeal>(report);
  if (onHealed) healListeners.add(onHealed);

  const store = createStore<LiveQuerySnapshot<Row>>(
    {
      rows: initialRows,
      isLoaded: false,
      status: 'stopped',
      isCurrent: false,
      error: null,
      lastHeal: null,
    },
    report,
  );
  const readDue = async (signal: AbortSignal) => {
    const begun = beginRead(state);
    const { keys } = begun.reading;
    state = begun;
    if (!keys) {
      readingFor = suspicion;
      suspicion = null;
      await version?.read(signal);
    }
    const rows = await (keys ? readRows(query, key, [...keys.values()], signal) : readList(signal));
    if (signal.aborted) return;
    const before = state;
    state = finishRead(state, rows, rules);
    if (!keys && readingFor) heals.compare(before.rows, state.rows, readingFor);
    heals.noteChanges([...(before.reading?.announced ?? [])]);
  };
  const reads = createLiveReads({
    ...options,
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
  const isLive = () => channel.getSnapshot().status === 'live';
  const statusOf = (isReading: boolean): LiveQueryStatus => {
    if (users === 0) return 'stopped';
    if (!isLive()) return channel.getSnapshot().status === 'failed' ? 'failed' : 'joining';
    return isReading ? 'reading' : 'current';
  };
  let shown = state.rows;
  const publish = (lastHeal = store.getSnapshot().lastHeal) => {
    const before = store.getSnapshot();
    const { isLoaded, isPending, error: readError } = reads.getSnapshot();
    const status = statusOf(!isLoaded || isPending);
    const failure = status === 'failed' ? channel.getSnapshot().error : null;
    const error = readError ?? (failure && explainFailure(failure, subscription, before.error));
    const isChanged = error !== before.error || lastHeal !== before.lastHeal || state.rows !== shown;
    if (!isChanged && status === before.status && isLoaded === before.isLoaded) return;
    const rows = state.rows === shown ? before.rows : [...state.rows.values()];
    shown = state.rows;
    store.set({ rows, isLoaded, status, isCurrent: status === 'current', error, lastHeal });
  };
  reads.subscribe(() => publish());
  const receive = (changes: readonly Change<RowRecord>[]) => {
    version?.noteChanges(changes.length);
    triggers?.noteChanges(changes.length);
    heals.noteChanges(keysOf(changes, rules).filter((id) => id !== undefined));
    apply(changes);
  };
  const apply = (changes: readonly Change<RowRecord>[]) => {
    state = applyChanges(state, changes, rules);
    publish();
    readWhatChanged();
  };
  const heals = createHealWatch<Row>(clock, (heal) => {
    publish(heal);
    healListeners.call(heal);
    triggers?.noteLosses(heal.cause);
  });
  const readAgain = (cause: ReadCause) => {
    const { isCurrent } = store.getSnapshot();
    const isDoubt = cause === 'interval' || cause === 'rate';
    // The version is compared more often.
    if (isDoubt && version && isCurrent) return;
    const isLoss = isCurrent && cause !== 'live' && cause !== 'gap';
    suspicion = isLoss ? cause : null;
    if (!isLoss) readingFor = null;
    state = { ...state, isWholeDue: true };
    void (isDoubt ? reads.recheck() : reads.refresh());
  };
  const version =
    readVersion && intervalMs !== 0
      ? createListVersion({
          readVersion,
          platform,
          isCurrent: () => store.getSnapshot().isCurrent,
          onDifference() {
            triggers?.restart();
            readAgain('version');
          },
        })
      : undefined;

  const begin = () => {
    const isBegun = isLive();
    triggers = watchReads({ ...options, source, onRead: readAgain });
    version?.start();
    stops = [
      source.onChanges(subscription, receive),
      channel.subscribe(() => publish()),
      triggers.stop,
      channel.join(),
    ];
    if (isEager && !isBegun && !isLive()) readAgain('live');
    publish();
  };
  const end = () => {
    stops.forEach((stop) => stop());
    triggers = null;
    pacing?.cancel();
    pacing = null;
    version?.stop();
    heals.stop();
    reads.stop();
    state = failRead(state);
    publish();
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

/** Reads the rows with these keys; with a key of several columns perhaps more of the list. */
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
export type { LiveReads, LiveReadsOptions, LiveReadsSnapshot } from './live-reads.ts';
export type { LiveQueryHeal } from './heal-watch.ts';
export type { LiveFilter, LivePlan, LiveSource } from './live-source.ts';
export { watchReads } from './read-triggers.ts';
export type { ReadCause, ReadTriggers, ReadTriggersOptions } from './read-triggers.ts';
