import type { Clock, Timer, Unsubscribe } from '../../platform/platform.ts';
import type { Channel } from '../channel/channel.ts';
import type { ChangeBinding } from '../changes/change-queue.ts';
import { createPostgresChanges, type PostgresChanges } from '../changes/postgres-changes.ts';
import { RealtimeError } from '../errors.ts';
import type { Change, RowRecord } from '../protocol/change.ts';
import { applyChanges, beginRead, createQueryRows, failRead, finishRead, keysOf } from './query-rows.ts';
import type { QueryRows, RowRules } from './query-rows.ts';
import { createRepairWatch, type LiveQueryRepair, type RepairWatch } from './repair-watch.ts';
import { createListVersion, type ListVersion } from './list-version.ts';
import {
  createLiveReads,
  type LiveReads,
  type LiveReadsOptions,
  type LiveReadsSnapshot,
} from './live-reads.ts';
import type { LiveSource } from './live-source.ts';
import { explainFailure } from './channel-failure.ts';
import type { ReadCause } from './read-triggers.ts';
import { createRowOrder } from './row-order.ts';
import { checkQueryAndKey, subscriptionOf } from './subscription.ts';
import { ListenerSet } from '../../platform/listeners.ts';
import { createObservable, type Readable, type Observable } from '../../platform/observable.ts';

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
  checkQueryAndKey(options.query, options.key);
  return new FollowedList(options);
}

class FollowedList<Row extends object> implements LiveQuery<Row> {
  readonly getSnapshot: LiveQuery<Row>['getSnapshot'];
  readonly subscribe: LiveQuery<Row>['subscribe'];
  readonly #observable: Observable<LiveQuerySnapshot<Row>>;
  readonly #options: LiveQueryOptions<Row>;
  readonly #clock: Clock;
  readonly #key: readonly string[];
  readonly #rules: RowRules;
  readonly #source: Pick<PostgresChanges, 'onChanges' | 'onContinuity'>;
  readonly #subscription: ChangeBinding;
  readonly #reads: LiveReads;
  readonly #repairs: RepairWatch<Row>;
  readonly #version: ListVersion | undefined;
  #state: QueryRows<Row>;
  /** The rows of the published snapshot. */
  #shown: QueryRows<Row>['rows'];
  #users = 0;
  /**
   * The cause of the due read, or of the one in flight, that checks for lost changes; null if changes are known to be
   * missing.
   */
  #suspectedCause: ReadCause | null = null;
  #readingFor: ReadCause | null = null;
  #nextReadAtMs = 0;
  #pacing: Timer | null = null;
  #stops: readonly Unsubscribe[] = [];

  constructor(options: LiveQueryOptions<Row>) {
    const { channel, platform, query, table, immutableColumns, initialRows = [] } = options;
    const { plan } = query;
    this.#options = options;
    this.#clock = platform.clock;
    this.#source = options.source ?? createPostgresChanges(channel);
    this.#key = [options.key].flat();
    this.#subscription = subscriptionOf(plan, this.#key, table, immutableColumns);
    this.#rules = {
      key: this.#key,
      order: createRowOrder(plan.order),
      isLimited: plan.limit !== undefined || plan.offset !== undefined,
      isDerived: table !== undefined,
    };
    this.#state = createQueryRows(initialRows, this.#rules);
    this.#shown = this.#state.rows;
    this.#observable = createObservable<LiveQuerySnapshot<Row>>(
      {
        rows: initialRows,
        isLoaded: false,
        status: 'stopped',
        isCurrent: false,
        error: null,
        lastRepair: null,
      },
      platform.report,
    );
    ({ getSnapshot: this.getSnapshot, subscribe: this.subscribe } = this.#observable);
    this.#reads = createLiveReads({
      ...options,
      onCause: (cause) => this.#noteCause(cause),
      shouldRetry: (problem) => !isInvalidRow(problem) && (options.shouldRetry?.(problem) ?? true),
      read: (signal) => this.#read(signal),
    });
    this.#reads.subscribe(() => this.#publish());
    this.#repairs = this.#createRepairs();
    this.#version = this.#createVersion();
  }

  readonly start = (): Unsubscribe => {
    this.#users += 1;
    if (this.#users === 1) this.#begin();
    let isUsed = true;
    return () => {
      if (!isUsed) return;
      isUsed = false;
      this.#users -= 1;
      if (this.#users === 0) this.#end();
    };
  };

  readonly refresh = (): void => {
    if (this.#users > 0) this.#readAgain('gap');
  };

  readonly refreshRows = (rows: readonly Partial<Row>[]): void => {
    const own = { schema: '', table: '', commitTimestamp: '', type: 'INSERT' } as const;
    if (this.#users > 0) this.#apply(rows.map((record) => ({ ...own, record: record as RowRecord })));
  };

  #createRepairs(): RepairWatch<Row> {
    const { onRepaired, platform } = this.#options;
    const listeners = new ListenerSet<LiveQueryRepair>(platform.report);
    if (onRepaired) listeners.add(onRepaired);
    return createRepairWatch<Row>(this.#clock, (repair) => {
      this.#publish(repair);
      listeners.call(repair);
      this.#reads.noteLosses(repair.cause);
    });
  }

  #createVersion(): ListVersion | undefined {
    const { readVersion, intervalMs, platform } = this.#options;
    if (!readVersion || intervalMs === 0) return undefined;
    return createListVersion({
      readVersion,
      platform,
      isCurrent: () => this.#reads.getSnapshot().isCurrent,
      onDifference: () => this.#readAgain('version'),
    });
  }

  #begin(): void {
    const { channel, isEager = true } = this.#options;
    const isLive = () => channel.getSnapshot().status === 'live';
    const isBegun = isLive();
    this.#version?.start();
    this.#stops = [
      this.#reads.follow(channel, this.#source),
      this.#source.onChanges(this.#subscription, (changes) => this.#receive(changes)),
      channel.join(),
    ];
    if (isEager && !isBegun && !isLive()) this.#readAgain('live');
  }

  #end(): void {
    this.#stops.forEach((stop) => stop());
    this.#pacing?.cancel();
    this.#pacing = null;
    this.#version?.stop();
    this.#repairs.stop();
    this.#reads.stop();
    this.#state = failRead(this.#state);
  }

  #receive(changes: readonly Change<RowRecord>[]): void {
    this.#version?.noteChanges(changes.length);
    this.#reads.noteChanges(changes.length);
    this.#repairs.noteChanges(keysOf(changes, this.#rules).filter((id) => id !== undefined));
    this.#apply(changes);
  }

  #apply(changes: readonly Change<RowRecord>[]): void {
    this.#state = applyChanges(this.#state, changes, this.#rules);
    this.#publish();
    this.#readWhatChanged();
  }

  /** @returns whether the cause asks for a read. */
  #noteCause(cause: ReadCause): boolean {
    const { isCurrent } = this.#reads.getSnapshot();
    // The comparison of the version, which is more frequent, covers these causes.
    if ((cause === 'interval' || cause === 'rate') && this.#version && isCurrent) return false;
    const isLoss = isCurrent && cause !== 'live' && cause !== 'gap';
    this.#suspectedCause = isLoss ? cause : null;
    if (!isLoss) this.#readingFor = null;
    this.#state = { ...this.#state, isWholeDue: true };
    return true;
  }

  #readAgain(cause: ReadCause): void {
    this.#noteCause(cause);
    void this.#reads.refresh();
  }

  /** Reads the changed rows soon: those of a burst by one request. */
  #readWhatChanged(): void {
    const { reading, changed, isWholeDue } = this.#state;
    if (this.#users === 0 || this.#pacing || reading || (changed.size === 0 && !isWholeDue)) return;
    const delayMs = this.#nextReadAtMs - this.#clock.monotonicMs();
    if (delayMs <= 0) return void this.#reads.recheck();
    this.#pacing = this.#clock.setTimer(() => {
      this.#pacing = null;
      this.#readWhatChanged();
    }, delayMs);
  }

  async #read(signal: AbortSignal): Promise<void> {
    const startMs = this.#clock.monotonicMs();
    try {
      await this.#readDue(signal);
    } catch (problem) {
      if (!signal.aborted) this.#state = failRead(this.#state);
      throw problem;
    } finally {
      const spacingMs = 4 * (this.#clock.monotonicMs() - startMs);
      this.#nextReadAtMs = startMs + Math.min(maxSpacingMs, Math.max(minSpacingMs, spacingMs));
    }
    if (!signal.aborted) this.#readWhatChanged();
  }

  async #readDue(signal: AbortSignal): Promise<void> {
    const { query, read = () => query.execute({ signal }) } = this.#options;
    const begun = beginRead(this.#state);
    const { keys } = begun.reading;
    this.#state = begun;
    if (!keys) {
      this.#readingFor = this.#suspectedCause;
      this.#suspectedCause = null;
      await this.#version?.read(signal);
    }
    const rows = await (keys ? readRows(query, this.#key, [...keys.values()], signal) : read(signal));
    if (signal.aborted) return;
    const before = this.#state;
    this.#state = finishRead(before, rows, this.#rules);
    if (!keys && this.#readingFor) this.#repairs.compare(before.rows, this.#state.rows, this.#readingFor);
    this.#repairs.noteChanges([...(before.reading?.announced ?? [])]);
  }

  #publish(lastRepair: LiveQueryRepair | null = this.getSnapshot().lastRepair): void {
    const before = this.getSnapshot();
    const { isLoaded, status, isCurrent, failure, ...reading } = this.#reads.getSnapshot();
    const error = reading.error ?? (failure && explainFailure(failure, this.#subscription, before.error));
    const { rows } = this.#state;
    const isChanged = error !== before.error || lastRepair !== before.lastRepair || rows !== this.#shown;
    if (!isChanged && status === before.status && isLoaded === before.isLoaded) return;
    const list = rows === this.#shown ? before.rows : [...rows.values()];
    this.#shown = rows;
    this.#observable.set({ rows: list, isLoaded, status, isCurrent, error, lastRepair });
  }
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
