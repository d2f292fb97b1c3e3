import { nextTurn } from '../../platform/timers.ts';
import type { Database } from '../../database/database.ts';
import { createRateCounter } from '../rate-counter.ts';
import type { RealtimeSettings } from '../settings.ts';
import type { Subscription } from '../subscription/subscription.ts';
import type { Timers } from '../timers.ts';
import { fanOut } from './fan-out.ts';
import { createOutbox, endOfTransaction } from './outbox.ts';
import type { CapturedChange, Place } from './outbox.ts';
import { nextPollDelayMs, retryDelayMs } from './poll-schedule.ts';
import type { PollOutcome } from './poll-schedule.ts';
import type { Relations } from '../subscription/relations.ts';
import { createReplicationSlot } from './replication-slot.ts';
import type { SlotFault } from './replication-slot.ts';
import { createSubscribers } from './subscribers.ts';
import type { Subscribed, Subscriber } from './subscribers.ts';

/** Sends committed changes to their subscribers in commit order, by polling or directly after each commit. */
export interface Delivery {
  start(): Promise<void>;
  /** Stops at once, as a crash does; undelivered changes stay in the outbox. */
  stop(): Promise<void>;
  /** Stops gracefully. */
  close(): Promise<void>;
  /** Activates the subscriptions, calls `onLive`, and then replays the changes from before a crash. */
  subscribe(
    subscriber: Subscriber,
    subscriptions: readonly Subscription[],
    onLive: () => void,
  ): Promise<void>;
  unsubscribe(subscriber: Subscriber): void;
  /** Starts the poller if necessary, and returns how long a subscription must wait for it, in milliseconds. */
  warmUpMs(): number;
  /** While paused, changes stay in the outbox. */
  setPaused(isPaused: boolean): void;
  /** Sets the result of creating the replication slot. */
  setSlotFault(fault: SlotFault): Promise<void>;
  /** Resolves when every change committed before the call is delivered, without waiting for a poll. */
  settled(): Promise<void>;
  readonly statistics: DeliveryStatistics;
}

export interface DeliveryStatistics {
  /** Channels with a live subscription. */
  readonly subscribers: number;
  readonly delivered: number;
  /** The number of changes dropped by a limit, by a policy that raised, or by a fault. */
  readonly dropped: number;
}

export interface DeliveryOptions {
  readonly database: Database;
  readonly relations: Relations;
  readonly settings: () => RealtimeSettings;
  readonly now: () => number;
  readonly random: () => number;
  readonly timers: Timers;
  readonly report: (error: unknown) => void;
  /** Called when the poller has ended after repeated failures; channels must subscribe again. */
  readonly onPollerGivenUp: () => void;
}

/** The real server keeps the poller for ten minutes after the last subscription. */
const POLLER_LINGER_MS = 600_000;
const NOTHING: PollOutcome = { read: 0, delivered: 0 };

export function createDelivery(options: DeliveryOptions): Delivery {
  const { database, relations, settings, now, random, timers, report, onPollerGivenUp } = options;
  const outbox = createOutbox(database);
  const subscribers = createSubscribers();
  const events = createRateCounter(now, () => settings().maxEventsPerSecond);
  let tail: Promise<unknown> = Promise.resolve();
  let [isRunning, isPaused, isQueued] = [false, false, false];
  let [delivered, dropped, failures] = [0, 0, 0];
  let lastSubscriberMs = now();
  /** When the poller is ready; null before the first subscription. */
  let readyAtMs: number | null = null;
  /**
   * The position of the last change delivered since a crash, while earlier changes are pending for returning
   * subscribers. Changes committed in the meantime stay in the outbox, because a replay has to be complete.
   */
  let backlogEnd: Place | null = null;
  let cancelBacklog = () => {};
  let cancelPoll = () => {};
  let unlisten: () => Promise<void> = () => Promise.resolve();

  /** Serializes tasks, so that a new subscription never receives part of a batch. */
  const inTurn = <T>(task: () => Promise<T>): Promise<T> => {
    const run = tail.then(task);
    tail = run.catch(() => undefined);
    return run;
  };
  const isPolling = () => settings().pollIntervalMs > 0;

  const slot = createReplicationSlot({
    timers,
    discard: () => (backlogEnd ? Promise.resolve() : outbox.clear()),
    onOpen: () => poll(0),
    onGivenUp: onPollerGivenUp,
  });

  /** Returns the number of sent notices. */
  const send = async (
    part: readonly CapturedChange[],
    listenersOf: (relation: number) => readonly Subscribed[],
    isExceeded: boolean,
  ): Promise<number> => {
    const notices = await fanOut({ database, relations, settings }, part, listenersOf);
    if (!isRunning) return 0;
    if (isExceeded) {
      dropped += notices.length;
      return notices.length;
    }
    for (const { subscriber, bindingIds, data } of notices) {
      if (settings().dropRate > 0 && random() < settings().dropRate) dropped += 1;
      else {
        events.add();
        subscriber.sendChange(bindingIds, data);
        delivered += 1;
      }
    }
    return notices.length;
  };

  /**
   * Reads and sends one batch, part by part. A batch that cannot be sent is lost, because the real slot has already
   * advanced.
   */
  const sendBatch = async (): Promise<PollOutcome> => {
    if (!isRunning || isPaused || !slot.isOpen) return NOTHING;
    if (subscribers.size === 0 && !backlogEnd) {
      await outbox.clear();
      return NOTHING;
    }
    const outcome = { read: 0, delivered: 0 };
    // As the real server does, drop whole batches: read the limit once.
    const { isExceeded } = events;
    let last: Place | null = null;
    try {
      const { pollMaxChanges } = settings();
      for await (const part of outbox.read({ after: backlogEnd, maxChanges: pollMaxChanges })) {
        // Yield between parts, so that a long batch does not block sockets and requests.
        if (last) await nextTurn();
        if (!isRunning) break;
        // The subscribers may have left during a long batch.
        if (outcome.read > 0 && subscribers.size === 0) break;
        last = part.at(-1) ?? null;
        outcome.read += part.length;
        outcome.delivered += await send(part, subscribers.of, isExceeded);
      }
      return outcome;
    } catch (error) {
      dropped += outcome.read;
      throw error;
    } finally {
      if (last && backlogEnd) backlogEnd = endOfTransaction(last);
      else if (last && isRunning) await outbox.remove({ upTo: endOfTransaction(last) });
    }
  };
  const drain = async (): Promise<void> => {
    let outcome = await sendBatch();
    while (outcome.read > 0) outcome = await sendBatch();
  };

  const poll = (delayMs: number) => {
    cancelPoll();
    if (!isRunning) return;
    if (!isPolling()) return wake();
    const run = async () => {
      const outcome = await sendBatch();
      failures = 0;
      poll(nextPollDelayMs(outcome, settings().pollIntervalMs, random));
    };
    const begin = () => {
      if (subscribers.size > 0) lastSubscriberMs = now();
      if (now() - lastSubscriberMs > POLLER_LINGER_MS) {
        readyAtMs = null;
        return slot.close();
      }
      inTurn(run).catch((error: unknown) => retryLater(error, () => poll(0)));
    };
    cancelPoll = timers.after(delayMs, begin);
  };
  const retryLater = (error: unknown, run: () => void) => {
    if (!isRunning) return;
    report(error);
    cancelPoll = timers.after(retryDelayMs(failures), run);
    failures += 1;
  };

  /** Handles a commit: delivers the changes unless polling is on. Without a slot, empties the outbox. */
  const wake = () => {
    if (isQueued || !isRunning || (slot.isOpen && isPolling())) return;
    isQueued = true;
    inTurn(async () => {
      isQueued = false;
      if (slot.isOpen) await drain();
      else if (!backlogEnd && !isPaused) await outbox.clear();
      failures = 0;
    }).catch((error: unknown) => retryLater(error, wake));
  };

  /** Sends a subscriber the changes from before a crash and the later ones. */
  const replay = async (subscriber: Subscriber, subscriptions: readonly Subscription[]) => {
    const listenersOf = (relation: number) =>
      subscriptions
        .filter((subscription) => subscription.relation === relation)
        .map((subscription) => ({ subscriber, subscription }));
    if (!backlogEnd) return;
    for await (const part of outbox.read({ upTo: backlogEnd })) {
      if (!isRunning) return;
      await send(part, listenersOf, events.isExceeded);
    }
  };
  const endBacklog = () => {
    inTurn(async () => {
      if (backlogEnd && isRunning) await outbox.remove({ upTo: backlogEnd });
      backlogEnd = null;
    }).catch(report);
  };

  const stop = async () => {
    isRunning = false;
    cancelBacklog();
    cancelPoll();
    slot.close();
    subscribers.clear();
    const end = unlisten;
    unlisten = () => Promise.resolve();
    await end();
    await tail;
  };

  return {
    async start() {
      if (isRunning) return;
      isRunning = true;
      const { recoveryWindowMs, recoveryMaxAgeMs } = settings();
      await outbox.open(recoveryWindowMs > 0 ? recoveryMaxAgeMs : 0);
      backlogEnd = await outbox.last();
      if (backlogEnd) cancelBacklog = timers.after(recoveryWindowMs, endBacklog);
      unlisten = await database.listen('realtime_outbox', wake);
      wake();
    },
    stop,
    async close() {
      await stop();
      await outbox.close();
    },
    subscribe: (subscriber, subscriptions, onLive) =>
      inTurn(async () => {
        if (!isRunning) return;
        await slot.open();
        subscribers.set(subscriber, subscriptions);
        onLive();
        await replay(subscriber, subscriptions);
      }),
    unsubscribe: subscribers.delete,
    warmUpMs() {
      readyAtMs ??= now() + settings().coldStartMs;
      return Math.max(0, readyAtMs - now());
    },
    setPaused(paused) {
      isPaused = paused;
      wake();
    },
    setSlotFault: (fault) => inTurn(() => slot.setFault(fault)),
    settled: () => inTurn(drain),
    get statistics() {
      return { subscribers: subscribers.size, delivered, dropped };
    },
  };
}
