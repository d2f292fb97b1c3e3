import type { Platform, Timer, Unsubscribe } from '../../platform/platform.ts';
import type { ChannelSnapshot, Connection, ContinuityLoss, Topic } from '../socket/connection.ts';
import { createDelivery } from '../changes/delivery.ts';
import { RealtimeError } from '../errors.ts';
import {
  bindingKey,
  encodeBinding,
  type Binding,
  type Change,
  type ChangeType,
  type RowRecord,
} from '../changes/postgres-changes.ts';
import type { RealtimeSettings } from '../settings.ts';
import { createListeners } from '../../platform/listeners.ts';
import { createStore, type Readable } from '../machine/store.ts';

/** Which changes to listen to, and how to read them. */
export interface ChangeBinding<Row = RowRecord> extends Omit<Binding, 'event'> {
  /** Default `*`: all types. Several types are as many bindings with one listener, which sees them in order. */
  readonly event?: ChangeType | '*' | readonly ChangeType[];
  /** Columns that identify a row, by which bursts of changes become one. Default `['id']`. */
  readonly primaryKey?: readonly string[];
  /**
   * Checks a record, see `createRowParser`. One for which it throws is not delivered: the error is reported, and told
   * as lost continuity.
   */
  readonly parseRow?: (record: RowRecord) => Row;
}

/**
 * A channel: a topic that its users share. It stays joined while anyone holds it. Its snapshot is the status, with
 * the error when it `failed`.
 */
export interface Channel extends Readable<ChannelSnapshot> {
  readonly name: string;
  /**
   * Calls `listener` with the changes that came since the last frame, at most one per row: those of one row become
   * one change, but for a change of its primary key. Adding a binding to a joined channel joins it anew.
   *
   * @throws {RealtimeError} `invalid_binding`
   */
  onChanges<Row extends object>(
    binding: ChangeBinding<Row>,
    listener: (changes: readonly Change<Row>[]) => void,
  ): Unsubscribe;
  /** Calls `listener` whenever changes may be missing. */
  onContinuity(listener: (loss: ContinuityLoss) => void): Unsubscribe;
  /**
   * Joins, or joins again after a failure. What it returns ends this use; the last one leaves, after a grace. The channel
   * of a client that was closed stays `closed`.
   */
  join(): Unsubscribe;
  /** Leaves at once, whoever uses the channel; it can be joined again. */
  leave(): void;
  /**
   * Sends an event to the channel and returns the server's response. It waits until the channel is joined.
   *
   * @throws {RealtimeError} `push_overflow`, `push_timeout`, `push_refused`, `closed`
   */
  push(event: string, payload: unknown): Promise<unknown>;
}

interface Listening {
  readonly bindings: ReadonlyMap<string, Binding>;
  add(change: Change<RowRecord>): boolean;
  deliver(): void;
}

export interface ChannelOptions {
  readonly name: string;
  readonly connection: Connection;
  readonly platform: Platform;
  readonly settings: RealtimeSettings;
  /** Calls back before the next paint, or soon. */
  readonly schedule: (flush: () => void) => void;
}

export function createChannel({ name, connection, platform, settings, schedule }: ChannelOptions): Channel {
  const { clock, report } = platform;
  const store = createStore<ChannelSnapshot>({ status: 'closed', error: null }, report);
  const losses = createListeners<ContinuityLoss>(report);
  const listenings = new Set<Listening>();
  const uses = new Set<object>();
  let graceTimer: Timer | undefined;
  let isScheduled = false;

  /** What was dropped since the last frame is told after what that frame delivers. */
  let dropped: ContinuityLoss | undefined;
  const drop = (reason: ContinuityLoss['reason']) => {
    dropped ??= { continuity: 'lost', sinceMs: clock.now(), reason };
  };
  const flush = () => {
    isScheduled = false;
    listenings.forEach((listening) => listening.deliver());
    const loss = dropped;
    dropped = undefined;
    if (loss) losses.call(loss);
  };
  const topic: Topic = connection.open(name, {
    onStatus: store.set,
    onGap(loss) {
      // A read that the loss causes must not be overtaken by changes from before it.
      flush();
      losses.call(loss);
    },
    onChange(keys, change) {
      for (const listening of listenings)
        if (keys.some((key) => listening.bindings.has(key)) && !listening.add(change)) drop('overflow');
      if (isScheduled) return;
      isScheduled = true;
      schedule(flush);
    },
  });

  const isClosed = () => connection.getSnapshot().status === 'closed';
  const want = () =>
    isClosed() ||
    topic.want([...new Map([...listenings].flatMap(({ bindings }) => Array.from(bindings))).values()]);
  const leave = () => {
    graceTimer?.cancel();
    uses.clear();
    topic.want(null);
  };
  return {
    name,
    getSnapshot: store.getSnapshot,
    subscribe: store.subscribe,
    onContinuity: losses.add,
    push: (event, payload) =>
      isClosed()
        ? Promise.reject(new RealtimeError('closed', 'The channel is closed'))
        : topic.push(event, payload),
    leave,
    onChanges(binding, listener) {
      const listening = createListening(binding, listener, settings, report, drop);
      listenings.add(listening);
      if (uses.size > 0) want();
      return () => void listenings.delete(listening);
    },
    join() {
      const use = {};
      graceTimer?.cancel();
      uses.add(use);
      want();
      return () => {
        if (!uses.delete(use) || uses.size > 0) return;
        graceTimer = clock.setTimer(leave, settings.leaveGraceMs);
      };
    },
  };
}

function createListening<Row extends object>(
  { primaryKey = ['id'], parseRow, event = '*', ...rest }: ChangeBinding<Row>,
  listener: (changes: readonly Change<Row>[]) => void,
  settings: RealtimeSettings,
  report: (problem: unknown) => void,
  drop: (reason: 'invalid') => void,
): Listening {
  const delivery = createDelivery(primaryKey, settings.deliveryBuffer);
  const read = (change: Change<RowRecord>): readonly Change<Row>[] => {
    try {
      if (!parseRow || change.type === 'DELETE') return [change as Change<Row>];
      return [{ ...change, record: parseRow(change.record) } as Change<Row>];
    } catch (problem) {
      report(problem);
      drop('invalid');
      return [];
    }
  };
  const listeners = createListeners<readonly Change<Row>[]>(report);
  listeners.add(listener);
  const bindings = [event].flat().map((one): Binding => Object.assign({ event: one }, rest));
  bindings.forEach(encodeBinding);
  return {
    bindings: new Map(bindings.map((binding) => [bindingKey(binding), binding])),
    add: delivery.add,
    deliver() {
      const changes = delivery.take().flatMap(read);
      if (changes.length > 0) listeners.call(changes);
    },
  };
}
