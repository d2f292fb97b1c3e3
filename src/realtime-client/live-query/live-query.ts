import type { Page, Platform, Unsubscribe } from '../../platform/platform.ts';
import type { Channel } from '../channel/channel.ts';
import {
  createPostgresChanges,
  type ChangeBinding,
  type PostgresChanges,
} from '../changes/postgres-changes.ts';
import { applyChanges, beginRead, createLiveRows, finishRead, type RowRules } from './live-rows.ts';
import type { Change } from '../protocol/change.ts';
import { createHealWatch, differencesOf, type LiveQueryHeal } from './heal-watch.ts';
import { createListVersion } from './list-version.ts';
import { createLiveReads, watchGaps, type LiveReadsOptions } from './live-reads.ts';
import { createReconciler, type ReconcileCause } from './reconciler.ts';
import { createListeners } from '../../platform/listeners.ts';
import { createStore, type Readable } from '../../platform/store.ts';

/** A cheap summary of the rows that the list should have, such as one request with a count and one row. */
export interface LiveQuerySummary {
  /** Number of rows. */
  readonly count: number;
  /** The greatest version of a row; null without rows. */
  readonly newestVersion: string | number | null;
}

/** Options of {@link createLiveQuery}. */
export interface LiveQueryOptions<Row extends object>
  extends RowRules<Row>, Pick<LiveReadsOptions, 'shouldRetry' | 'retryDelaysMs'> {
  /** The channel that delivers the changes. */
  readonly channel: Channel;
  /**
   * Where the changes come from. Default: `createPostgresChanges(channel)`; see `createDatabaseBroadcast` for those that
   * the database broadcasts.
   */
  readonly source?: Pick<PostgresChanges, 'onChanges' | 'onContinuity'>;
  /** The changes that affect the list. */
  readonly binding: ChangeBinding<Row>;
  /** Reads the whole list. Called at the start, when the channel becomes live, and when changes may be missing. */
  readonly read: (signal: AbortSignal) => Promise<readonly Row[]>;
  /** Clock, error reporting and the page's visibility. Default for `page`: always visible. */
  readonly platform: Pick<Platform, 'clock' | 'report'> & { readonly page?: Page };
  /** Sort order. Default: as read, new rows last. */
  readonly compare?: (a: Row, b: Row) => number;
  /** Rows to show until the first read succeeds, such as cached ones. Default: none. */
  readonly initialRows?: readonly Row[];
  /** Whether to read before the channel is live too, so that the first list does not wait for it. Default true. */
  readonly isEager?: boolean;
  /**
   * Reads a summary of the list by one cheap request: the count and the greatest version. The list is compared with it
   * periodically and after suspicious signs, because the server may lose changes silently, and read again only if it
   * differs. A summary does not show that a change was lost before a later one arrived: every tenth comparison reads the
   * list. Default: every comparison does.
   */
  readonly summarize?: (signal: AbortSignal) => Promise<LiveQuerySummary>;
  /**
   * Reads by one cheap request how often the list has changed, such as a counter in a row that a trigger of your schema
   * keeps: it grows by one with each change that the channel delivers. It is compared every 2.5 s and read before
   * each read, so that a list lacks silently lost changes for at most 5 s. A counter that grows otherwise costs reads, not
   * changes. Default: the comparisons of `reconcileMs` only.
   */
  readonly readVersion?: (signal: AbortSignal) => Promise<number>;
  /**
   * Milliseconds between comparisons while the page is visible; 0 turns all comparisons off. With the default a list lacks
   * silently lost changes for at most 30 s. Default 25,000.
   */
  readonly reconcileMs?: number;
  /** The server's limit of changes per second, near which it may drop some. Default 100, the free plan's. */
  readonly maxEventsPerSecond?: number;
  /** Called when a comparison found and repaired a difference that no change had announced. */
  readonly onHealed?: (heal: LiveQueryHeal) => void;
}

/** The list and its state. */
export interface LiveQuerySnapshot<Row> {
  /** The rows, in the order of `compare`. */
  readonly rows: readonly Row[];
  /** Whether a read has succeeded. */
  readonly isLoaded: boolean;
  /**
   * Whether the list equals the table as far as the client can know: the query is started, the channel is live, and no
   * read is pending or has failed.
   */
  readonly isCurrent: boolean;
  /** The error of the last read, what `read` threw; null after a success. */
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
  /** Adds or replaces rows that this tab wrote, such as a write's response; their echo then changes nothing. */
  upsert(rows: readonly Row[]): void;
  /** Removes rows that this tab deleted; a late UPDATE from before does not restore them. */
  remove(rows: readonly Partial<Row>[]): void;
}

/** Default interval between comparisons, in milliseconds. */
const defaultReconcileMs = 25_000;
/** After as many summaries a comparison reads the list: a summary hides a change that was lost before a later one. */
const summariesPerRead = 9;
/** Interval between comparisons of the version, and the deadline of each: 5 s in all, and none overlaps the next. */
const versionIntervalMs = 2_500;

const ownChange = { schema: '', table: '', commitTimestamp: '' };

/**
 * Creates a list of rows that follows a table: a read, combined with the channel's changes so that none is missed.
 *
 * @example
 * ```ts
 * import { createLiveQuery } from 'supabase-protocol-clients/realtime-client/live-query';
 *
 * const unread = createLiveQuery({
 *   platform,
 *   channel: realtime.channel('inbox'),
 *   binding: { event: '*', table: 'notifications', filter: 'recipient_id=eq.1' },
 *   read: (signal) => rest.from('notifications').select().eq('status', 'unread').execute({ signal }),
 *   key: ({ id }) => id ?? '',
 *   version: ({ updated_at }) => updated_at,
 *   includes: ({ status }) => status === 'unread',
 * });
 * unread.subscribe(() => console.log(unread.getSnapshot().rows.length));
 * const stop = unread.start();
 * ```
 */
export function createLiveQuery<Row extends object>(options: LiveQueryOptions<Row>): LiveQuery<Row> {
  const {
    channel,
    source = createPostgresChanges(channel),
    platform,
    read,
    readVersion,
    compare,
    isEager = true,
    initialRows = [],
  } = options;
  const { clock, report } = platform;
  let state = createLiveRows(initialRows, options);
  let users = 0;
  let suspicion: ReconcileCause | null = null;
  /** How many summaries in a row have agreed with the list. */
  let agreed = 0;
  let stops: readonly Unsubscribe[] = [];
  const listVersion = readVersion && createListVersion(readVersion, clock);

  const store = createStore<LiveQuerySnapshot<Row>>(
    { rows: initialRows, isLoaded: false, isCurrent: false, error: null, lastHeal: null },
    report,
  );
  const reads = createLiveReads({
    ...options,
    async read(signal) {
      state = beginRead(state);
      try {
        await listVersion?.read(signal);
        const rows = await read(signal);
        if (signal.aborted) return;
        const before = state.rows;
        state = finishRead(state, rows, options);
        if (suspicion) heals.compare(before, state.rows, suspicion);
        suspicion = null;
      } catch (problem) {
        if (!signal.aborted) state = { ...state, log: null };
        throw problem;
      }
    },
  });
  const isLive = () => channel.getSnapshot().status === 'live';
  let listed = state.rows;
  const list = () => {
    const rows = [...state.rows.values()];
    return compare ? rows.sort(compare) : rows;
  };
  const publish = (lastHeal = store.getSnapshot().lastHeal) => {
    const before = store.getSnapshot();
    const { isLoaded, isPending, error } = reads.getSnapshot();
    const isCurrent = isLoaded && users > 0 && isLive() && !isPending;
    const isChanged = error !== before.error || lastHeal !== before.lastHeal || state.rows !== listed;
    if (!isChanged && isCurrent === before.isCurrent) return;
    const rows = state.rows === listed ? before.rows : list();
    listed = state.rows;
    store.set({ rows, isLoaded, isCurrent, error, lastHeal });
  };
  const apply = (changes: readonly Change<Row>[]) => {
    state = applyChanges(state, changes, options);
    publish();
  };
  const keysOf = (changes: readonly Change<Row>[]) =>
    changes.map((change) => options.key(change.type === 'DELETE' ? change.oldRecord : change.record));
  const receive = (changes: readonly Change<Row>[]) => {
    const keys = keysOf(changes);
    listVersion?.noteChanges(changes.length);
    heals.noteChanges(keys);
    reconciler.noteChanges(keys);
    apply(changes);
  };
  const applyOwn = (changes: readonly Change<Row>[]) => {
    reconciler.noteOwnWrites(keysOf(changes));
    apply(changes);
  };
  const heals = createHealWatch<Row>(clock, (heal) => {
    publish(heal);
    healListeners.call(heal);
    reconciler.noteLosses(heal.cause);
  });
  const healListeners = createListeners<LiveQueryHeal>(report);
  if (options.onHealed) healListeners.add(options.onHealed);
  const { summarize, version, reconcileMs = defaultReconcileMs } = options;
  const isDifferent = ({ count, newestVersion }: LiveQuerySummary) => {
    const versions = version ? Array.from(state.rows.values(), version) : [];
    const newest = versions.reduce<string | number | null>(
      (newer, one) => (newer === null || one > newer ? one : newer),
      null,
    );
    return count !== state.rows.size || newestVersion !== newest;
  };
  const differs = async (signal: AbortSignal) => {
    if (summarize && agreed < summariesPerRead) {
      const isOther = isDifferent(await summarize(signal));
      agreed = isOther ? 0 : agreed + 1;
      return isOther;
    }
    const isOther = differencesOf(state.rows, createLiveRows(await read(signal), options).rows).size > 0;
    if (!isOther) agreed = 0;
    return isOther;
  };
  const comparison = {
    platform,
    isCurrent: () => store.getSnapshot().isCurrent,
    onReadAgain(cause: ReconcileCause) {
      agreed = 0;
      suspicion = cause;
      refresh();
    },
  };
  const reconciler = createReconciler({
    ...comparison,
    intervalMs: reconcileMs,
    maxEventsPerSecond: options.maxEventsPerSecond,
    differs,
  });
  const versions =
    listVersion &&
    createReconciler({
      ...comparison,
      intervalMs: reconcileMs && versionIntervalMs,
      answerMs: versionIntervalMs,
      differs: listVersion.differs,
    });
  const reconcilers = versions ? [reconciler, versions] : [reconciler];
  const refresh = () => {
    if (users > 0) void reads.refresh();
  };
  reads.subscribe(publish);

  const begin = () => {
    const follow = () => {
      for (const one of reconcilers)
        if (isLive()) one.start();
        else one.stop();
      publish();
    };
    stops = [
      source.onChanges(options.binding, receive),
      watchGaps(channel, refresh, source),
      channel.subscribe(follow),
      channel.join(),
    ];
    follow();
    if (isEager && !isLive()) refresh();
  };
  const end = () => {
    stops.forEach((stop) => stop());
    reconcilers.forEach((one) => one.stop());
    heals.stop();
    reads.stop();
    state = { ...state, log: null };
    publish();
  };
  return {
    getSnapshot: store.getSnapshot,
    subscribe: store.subscribe,
    refresh,
    upsert: (rows) => applyOwn(rows.map((record) => ({ ...ownChange, type: 'INSERT', record }))),
    remove: (rows) => applyOwn(rows.map((oldRecord) => ({ ...ownChange, type: 'DELETE', oldRecord }))),
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

export { createLiveReads, watchGaps } from './live-reads.ts';
export type { LiveReads, LiveReadsOptions, LiveReadsSnapshot } from './live-reads.ts';
export type { LiveQueryHeal } from './heal-watch.ts';
export type { RowRules } from './live-rows.ts';
export { createReconciler } from './reconciler.ts';
export type { ReconcileCause, Reconciler, ReconcilerOptions } from './reconciler.ts';
