import type { Platform, Timer, Unsubscribe } from '../../platform/platform.ts';
import { ListenerSet } from '../../platform/listeners.ts';
import type { Bindings, Change, ContinuityLoss, RowRecord } from '../protocol/change.ts';
import { RealtimeError } from '../errors.ts';
import type { RealtimeEvent } from '../events.ts';
import { createObservable, type Readable } from '../../platform/observable.ts';
import type { ProtocolFeatures } from '../protocol/protocol-features.ts';
import type { RealtimeSettings } from '../settings.ts';
import type { ChannelSnapshot, ConnectOptions, Connection, Topic } from '../socket/connection.ts';
import { defaultJoinConfig, type JoinConfig, requireJoinConfig } from '../protocol/join-config.ts';

/**
 * A channel on one topic. It stays joined until every `join()` is ended. Its snapshot is the status, with the error
 * when the channel has failed.
 */
export interface Channel<Database = unknown> extends Readable<ChannelSnapshot> {
  /** Only a type: the database whose rows the channel's features deliver. Never set. */
  readonly types?: { readonly database: Database };
  /** The name, which is the topic without its `realtime:` prefix. */
  readonly name: string;
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
   * @throws {RealtimeError} `channel-failed`, at once where the channel has failed, with its error as `cause`; `push-overflow`,
   *   `push-timeout`, `push-refused`, `closed`; `user-changed` if another user signs in before it is sent
   */
  push(event: string, payload: unknown): Promise<unknown>;
  /**
   * Changes how the channel joins. A joined channel joins again only if the change requires it; new tokens are pushed
   * without that.
   */
  updateJoinPayload(config: Partial<JoinConfig>): void;
  /** The current join config. */
  readonly joinConfig: JoinConfig;
  /** For features of a channel; not for applications. */
  readonly port: ChannelPort;
}

/** The interface of a channel for features such as broadcast and presence. Not for applications. */
export interface ChannelPort {
  /** The platform's clock. */
  readonly clock: Platform['clock'];
  /** Receives failures that no caller awaits. */
  readonly report: Platform['report'];
  /** The client's settings, the same object for all its channels. */
  readonly settings: RealtimeSettings;
  /** Passes an event to the client's `onEvent` listeners and `log`. */
  readonly emit: (event: RealtimeEvent) => void;
  /** A feature installs its part of the protocol here, for all channels of the client. */
  readonly features: ProtocolFeatures;
  /** Joins the channel with these bindings too, until the returned function is called. */
  bind(bindings: Bindings): Unsubscribe;
  /** Calls `listener` with each change of a binding. */
  onChange(listener: (change: BoundChange) => void): Unsubscribe;
  /** Calls `listener` with each broadcast, presence message and message of the server itself. */
  onMessage(listener: (message: ChannelMessage) => void): Unsubscribe;
  /** Calls `listener` in each requested frame, and before a loss is announced. */
  onFrame(listener: () => void): Unsubscribe;
  /** Requests a frame: before the next paint, or after a short delay. */
  requestFrame(): void;
  /** Announces a loss at the end of the next frame. */
  announceLoss(reason: ContinuityLoss['reason']): void;
  /** Binds queued data to the present user; it is discarded when the user changes. */
  claim(): void;
  /** Calls `listener` when the user changes: queued data belongs to the previous user. */
  onDiscard(listener: () => void): Unsubscribe;
  /** Sends without waiting for a reply; discarded while the channel is not joined. */
  send(event: string, payload: unknown): void;
  /** Declares presence on a shared socket; absent where the tab has its own. */
  readonly track: Topic['track'];
}

/** A change, and the bindings (see `bindingKey`) that it matches. */
export interface BoundChange {
  /** Keys of the bindings. */
  readonly keys: readonly string[];
  /** The changed row. */
  readonly change: Change<RowRecord>;
}

/** A message that is neither a reply nor a change. */
export interface ChannelMessage {
  /** `broadcast`, `presence_state` or `presence_diff`. */
  readonly event: string;
  /** The payload as the server sent it. */
  readonly payload: unknown;
}

/** @param schedule calls `flush` before the next paint, or after a short delay. */
export function createChannel<Database>(
  name: string,
  connection: Connection,
  schedule: (flush: () => void) => void,
  { platform, settings, emit, features }: ConnectOptions,
): Channel<Database> {
  const { clock, report } = platform;
  const store = createObservable<ChannelSnapshot>({ status: 'closed', error: null }, report);
  const messages = new ListenerSet<ChannelMessage>(report);
  const changes = new ListenerSet<BoundChange>(report);
  const discards = new ListenerSet<void>(report);
  const frames = createFrames(schedule, report);
  const topic = connection.open(name, {
    onStatus: store.set,
    onGap: frames.announceNow,
    onMessage: (event, payload) => messages.call({ event, payload }),
    onChange: (keys, change) => changes.call({ keys, change }),
    onDiscard() {
      frames.forgetLoss();
      discards.call();
    },
  });
  const isClosed = () => connection.getSnapshot().status === 'closed';
  const { leave, getConfig, bind, updateJoinPayload, join } = createUses(isClosed, topic, clock, settings);
  return {
    name,
    getSnapshot: store.getSnapshot,
    subscribe: store.subscribe,
    onContinuity: frames.onContinuity,
    push: (event, payload) =>
      isClosed()
        ? Promise.reject(new RealtimeError('closed', 'The channel is closed'))
        : topic.push(event, payload),
    leave,
    get joinConfig() {
      return getConfig();
    },
    updateJoinPayload,
    join,
    port: {
      clock,
      report,
      settings,
      emit,
      features,
      bind,
      onChange: (listener) => changes.add(listener),
      onMessage: (listener) => messages.add(listener),
      onFrame: frames.onFrame,
      requestFrame: frames.request,
      announceLoss: (reason) => frames.announce({ continuity: 'lost', sinceMs: clock.now(), reason }),
      onDiscard: (listener) => discards.add(listener),
      claim: () => topic.claim(),
      send: (event, payload) => topic.send(event, payload),
      track: topic.track,
    },
  };
}

/** The frames in which a channel's features deliver, and the losses that are announced after them. */
function createFrames(schedule: (flush: () => void) => void, report: Platform['report']) {
  const listeners = new ListenerSet<void>(report);
  const losses = new ListenerSet<ContinuityLoss>(report);
  let isRequested = false;
  /** A loss since the last frame, announced after that frame's deliveries. */
  let pendingLoss: ContinuityLoss | undefined;

  const flush = () => {
    isRequested = false;
    listeners.call();
    const loss = pendingLoss;
    pendingLoss = undefined;
    if (loss) losses.call(loss);
  };
  const request = () => {
    if (isRequested) return;
    isRequested = true;
    schedule(flush);
  };
  return {
    onFrame: (listener: () => unknown) => listeners.add(listener),
    onContinuity: (listener: (loss: ContinuityLoss) => unknown) => losses.add(listener),
    request,
    announce(loss: ContinuityLoss) {
      pendingLoss ??= loss;
      request();
    },
    announceNow(loss: ContinuityLoss) {
      // Deliver earlier changes first: a read caused by the loss must not be overtaken by them.
      flush();
      losses.call(loss);
    },
    forgetLoss() {
      pendingLoss = undefined;
    },
  };
}

/** The calls of `join()` that keep a channel joined, and how it joins. */
function createUses(
  isClosed: () => boolean,
  topic: Topic,
  clock: Platform['clock'],
  { leaveGraceMs }: RealtimeSettings,
) {
  const bound = new Set<Bindings>();
  const uses = new Set<object>();
  let config = defaultJoinConfig;
  let graceTimer: Timer | undefined;

  const want = () => {
    if (isClosed()) return;
    topic.want(new Map([...bound].flatMap((bindings) => Array.from(bindings))), config);
  };
  const leave = () => {
    graceTimer?.cancel();
    uses.clear();
    topic.want(null, config);
  };
  return {
    leave,
    getConfig: () => config,
    bind(bindings: Bindings) {
      bound.add(bindings);
      if (uses.size > 0) want();
      return () => void bound.delete(bindings);
    },
    updateJoinPayload(change: Partial<JoinConfig>) {
      requireJoinConfig(change);
      config = { ...config, ...change };
      if (uses.size > 0) want();
    },
    join() {
      const use = {};
      graceTimer?.cancel();
      uses.add(use);
      want();
      return () => {
        if (!uses.delete(use) || uses.size > 0) return;
        graceTimer = clock.setTimer(leave, leaveGraceMs);
      };
    },
  };
}
