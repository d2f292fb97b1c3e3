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
import type { RealtimeEvent } from '../events.ts';
import type { RealtimeSettings } from '../settings.ts';
import { defaultJoinConfig, type JoinConfig } from './join-config.ts';
import { createListeners } from '../../platform/listeners.ts';
import { createStore, type Readable } from '../machine/store.ts';
import type { BinaryFramesSlot } from '../socket/wire.ts';

/** Which changes a listener receives, and how their rows are parsed. */
export interface ChangeBinding<Row = RowRecord> extends Omit<Binding, 'event'> {
  /** Default `*`: all types. Several types become one binding each; their changes reach the listener in order. */
  readonly event?: ChangeType | '*' | readonly ChangeType[];
  /** Columns that identify a row; changes of one row within a frame are merged. Default `['id']`. */
  readonly primaryKey?: readonly string[];
  /**
   * Validates a record, see `createRowParser`. A record for which it throws is not delivered: the error is reported,
   * and `onContinuity` announces a loss with the reason `invalid`. Default: no validation.
   */
  readonly parseRow?: (record: RowRecord) => Row;
}

/**
 * A channel on one topic. It stays joined until every `join()` is ended. Its snapshot is the status, with the error
 * when the channel has failed.
 */
export interface Channel extends Readable<ChannelSnapshot> {
  /** The name, which is the topic without its `realtime:` prefix. */
  readonly name: string;
  /**
   * Calls `listener` with the changes received since the last frame, merged to at most one per row; a change of the
   * primary key is never merged. Adding a binding to a joined channel joins it again.
   *
   * @throws {RealtimeError} `invalid-binding`
   */
  onChanges<Row extends object>(
    binding: ChangeBinding<Row>,
    listener: (changes: readonly Change<Row>[]) => void,
  ): Unsubscribe;
  /** Calls `listener` when changes may be missing, so that it can read the rows again. */
  onContinuity(listener: (loss: ContinuityLoss) => void): Unsubscribe;
  /**
   * Joins the channel, or joins it again after a failure. The returned function ends this use; ending the last use
   * leaves the channel after a grace period (`leaveGraceMs`). After `close()` of the client it does nothing.
   */
  join(): Unsubscribe;
  /** Leaves at once and ends all uses; the channel can be joined again. */
  leave(): void;
  /**
   * Sends an event and resolves with the server's response. Until the channel is joined, the push waits in a buffer.
   *
   * @throws {RealtimeError} `push-overflow`, `push-timeout`, `push-refused`, `closed`
   */
  push(event: string, payload: unknown): Promise<unknown>;
  /**
   * Changes how the channel joins. A joined channel joins again only if the change requires it; new tokens are pushed
   * without that.
   */
  updateJoinPayload(config: Partial<JoinConfig>): void;
  /** The current join config. */
  readonly joinConfig: JoinConfig;
  /** The seam for features of a channel; not for applications. */
  readonly port: ChannelPort;
}

/** What features such as broadcast and presence need of a channel. Not for applications. */
export interface ChannelPort {
  /** The platform's clock. */
  readonly clock: Platform['clock'];
  /** Receives failures that no caller awaits. */
  readonly report: Platform['report'];
  /** The client's settings, the same object for all its channels. */
  readonly settings: RealtimeSettings;
  /** Calls `flush` before the next paint, or after a short delay. */
  readonly schedule: (flush: () => void) => void;
  /** Passes an event to the client's `onEvent` listeners and `log`. */
  readonly emit: (event: RealtimeEvent) => void;
  /** Calls `listener` with each broadcast and presence message. */
  onMessage(listener: (message: ChannelMessage) => void): Unsubscribe;
  /** Sends without waiting for a reply; discarded while the channel is not joined. */
  send(event: string, payload: unknown): void;
  /** Calls `listener` when the user changes: what is known belongs to the previous one. */
  onDiscard(listener: () => void): Unsubscribe;
  /** Declares presence on a shared socket; absent where the tab has its own. */
  readonly track: Topic['track'];
  /** A feature that sends or receives bytes puts its frames here. */
  readonly binary: BinaryFramesSlot;
}

/** A message that is neither a reply nor a change. */
export interface ChannelMessage {
  /** `broadcast`, `presence_state` or `presence_diff`. */
  readonly event: string;
  /** The payload as the server sent it. */
  readonly payload: unknown;
}

interface Listening {
  readonly bindings: ReadonlyMap<string, Binding>;
  add(change: Change<RowRecord>): boolean;
  deliver(): void;
  /** Drops the queued changes. */
  discard(): void;
}

export interface ChannelOptions {
  readonly name: string;
  readonly connection: Connection;
  readonly platform: Platform;
  readonly settings: RealtimeSettings;
  /** Calls `flush` before the next paint, or after a short delay. */
  readonly schedule: (flush: () => void) => void;
  readonly emit: (event: RealtimeEvent) => void;
  readonly binary: BinaryFramesSlot;
}

export function createChannel({
  name,
  connection,
  platform,
  settings,
  schedule,
  emit,
  binary,
}: ChannelOptions): Channel {
  const { clock, report } = platform;
  const store = createStore<ChannelSnapshot>({ status: 'closed', error: null }, report);
  const losses = createListeners<ContinuityLoss>(report);
  const messages = createListeners<ChannelMessage>(report);
  const discards = createListeners<void>(report);
  let config = defaultJoinConfig;
  const listenings = new Set<Listening>();
  const uses = new Set<object>();
  let graceTimer: Timer | undefined;
  let isScheduled = false;

  /** A loss since the last frame, announced after that frame's deliveries. */
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
      // Deliver earlier changes first: a read caused by the loss must not be overtaken by them.
      flush();
      losses.call(loss);
    },
    onMessage: (event, payload) => messages.call({ event, payload }),
    onDiscard() {
      dropped = undefined;
      listenings.forEach((listening) => listening.discard());
      discards.call();
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
    topic.want(
      [...new Map([...listenings].flatMap(({ bindings }) => Array.from(bindings))).values()],
      config,
    );
  const leave = () => {
    graceTimer?.cancel();
    uses.clear();
    topic.want(null, config);
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
    get joinConfig() {
      return config;
    },
    updateJoinPayload(change) {
      config = { ...config, ...change };
      if (uses.size > 0) want();
    },
    port: {
      clock,
      report,
      settings,
      schedule,
      emit,
      onMessage: messages.add,
      onDiscard: discards.add,
      send: topic.send,
      track: topic.track,
      binary,
    },
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
    discard: () => void delivery.take(),
    deliver() {
      const changes = delivery.take().flatMap(read);
      if (changes.length > 0) listeners.call(changes);
    },
  };
}
