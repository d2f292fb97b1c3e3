import { nextTurn } from '../../../platform/timers.ts';
import type { Database } from '../../../database/database.ts';
import { createRateCounter } from '../rate-counter.ts';
import type { RateCounter } from '../rate-counter.ts';
import type { RealtimeSettings } from '../settings.ts';
import type { Subscription } from '../subscription/subscription.ts';
import type { Timers } from '../timers.ts';
import { fanOut } from './fan-out.ts';
import { endOfTransaction, Outbox } from './outbox.ts';
import type { CapturedChange, Place } from './outbox.ts';
import { nextPollDelayMs, retryDelayMs } from './poll-schedule.ts';
import type { PollOutcome } from './poll-schedule.ts';
import type { Relations } from '../subscription/relations.ts';
import { createReplicationSlot } from './replication-slot.ts';
import type { ReplicationSlot, SlotFault } from './replication-slot.ts';
import { createSubscribers } from './subscribers.ts';
import type { Subscribed, Subscriber } from './subscribers.ts';

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
  /** Whether the database has other sessions, whose transactions may be older than a committed change. */
  readonly hasOtherSessions: boolean;
  /** Called when the poller has ended after repeated failures; channels must subscribe again. */
  readonly onPollerGivenUp: () => void;
}

/** The real server keeps the poller for ten minutes after the last subscription. */
const POLLER_LINGER_MS = 600_000;
/** The delay after which changes that wait for an older transaction are read again: its end sends no notification. */
const OLDER_TRANSACTION_MS = 20;
const NOTHING: PollOutcome = { read: 0, delivered: 0 };

/** Sends committed changes to their subscribers in commit order, by polling or directly after each commit. */
export class Delivery {
  readonly #options: DeliveryOptions;
  readonly #outbox: Outbox;
  readonly #subscribers = createSubscribers();
  readonly #events: RateCounter;
  readonly #slot: ReplicationSlot;
  #tail: Promise<unknown> = Promise.resolve();
  #isRunning = false;
  #isPaused = false;
  #isQueued = false;
  #delivered = 0;
  #dropped = 0;
  #failures = 0;
  #lastSubscriberMs: number;
  /** When the poller is ready; null before the first subscription. */
  #readyAtMs: number | null = null;
  /**
   * The position of the last change delivered since a crash, while earlier changes are pending for returning
   * subscribers. Changes committed in the meantime stay in the outbox, because a replay has to be complete.
   */
  #backlogEnd: Place | null = null;
  #cancelBacklog = () => {};
  #cancelPoll = () => {};
  #unlisten: () => Promise<void> = () => Promise.resolve();

  constructor(options: DeliveryOptions) {
    const { database, settings, now, timers, onPollerGivenUp } = options;
    this.#options = options;
    this.#outbox = new Outbox(database);
    this.#events = createRateCounter(now, () => settings().maxEventsPerSecond);
    this.#lastSubscriberMs = now();
    this.#slot = createReplicationSlot({
      timers,
      discard: () => (this.#backlogEnd ? Promise.resolve() : this.#outbox.clear()),
      onOpen: () => this.#poll(0),
      onGivenUp: onPollerGivenUp,
    });
  }

  get statistics(): DeliveryStatistics {
    return { subscribers: this.#subscribers.size, delivered: this.#delivered, dropped: this.#dropped };
  }

  async start(): Promise<void> {
    if (this.#isRunning) return;
    this.#isRunning = true;
    const { database, settings, timers } = this.#options;
    const { recoveryWindowMs, recoveryMaxAgeMs } = settings();
    await this.#outbox.open(recoveryWindowMs > 0 ? recoveryMaxAgeMs : 0);
    this.#backlogEnd = await this.#outbox.last();
    if (this.#backlogEnd) this.#cancelBacklog = timers.after(recoveryWindowMs, () => this.#endBacklog());
    this.#unlisten = await database.listen('realtime_outbox', () => this.#wake());
    this.#wake();
  }

  /** Stops at once, as a crash does; undelivered changes stay in the outbox. */
  async stop(): Promise<void> {
    this.#isRunning = false;
    this.#cancelBacklog();
    this.#cancelPoll();
    this.#slot.close();
    this.#subscribers.clear();
    const end = this.#unlisten;
    this.#unlisten = () => Promise.resolve();
    await end();
    await this.#tail;
  }

  /** Stops gracefully. */
  async close(): Promise<void> {
    await this.stop();
    await this.#outbox.close();
  }

  /** Activates the subscriptions, calls `onLive`, and then replays the changes from before a crash. */
  subscribe(
    subscriber: Subscriber,
    subscriptions: readonly Subscription[],
    onLive: () => void,
  ): Promise<void> {
    return this.#inTurn(async () => {
      if (!this.#isRunning) return;
      await this.#slot.open();
      this.#subscribers.set(subscriber, subscriptions);
      onLive();
      await this.#replay(subscriber, subscriptions);
    });
  }

  unsubscribe(subscriber: Subscriber): void {
    this.#subscribers.delete(subscriber);
  }

  /** Starts the poller if necessary, and returns how long a subscription must wait for it, in milliseconds. */
  warmUpMs(): number {
    const { now, settings } = this.#options;
    this.#readyAtMs ??= now() + settings().coldStartMs;
    return Math.max(0, this.#readyAtMs - now());
  }

  /** While paused, changes stay in the outbox. */
  setPaused(isPaused: boolean): void {
    this.#isPaused = isPaused;
    this.#wake();
  }

  /** Sets the result of creating the replication slot. */
  setSlotFault(fault: SlotFault): Promise<void> {
    return this.#inTurn(() => this.#slot.setFault(fault));
  }

  /** Resolves when every change committed before the call is delivered, without waiting for a poll. */
  settled(): Promise<void> {
    return this.#inTurn(() => this.#drain());
  }

  /** Serializes tasks, so that a new subscription never receives part of a batch. */
  #inTurn<T>(task: () => Promise<T>): Promise<T> {
    const run = this.#tail.then(task);
    this.#tail = run.catch(() => undefined);
    return run;
  }

  #isPolling(): boolean {
    return this.#options.settings().pollIntervalMs > 0;
  }

  /** Returns the number of sent notices. */
  async #send(
    part: readonly CapturedChange[],
    listenersOf: (relation: number) => readonly Subscribed[],
    isExceeded: boolean,
  ): Promise<number> {
    const { settings, random } = this.#options;
    const notices = await fanOut(this.#options, part, listenersOf);
    if (!this.#isRunning) return 0;
    if (isExceeded) {
      this.#dropped += notices.length;
      return notices.length;
    }
    for (const { subscriber, bindingIds, action, data } of notices) {
      if (random() < settings().dropRate) this.#dropped += 1;
      else {
        this.#events.add();
        subscriber.sendChange(bindingIds, action, data);
        this.#delivered += 1;
      }
    }
    return notices.length;
  }

  /**
   * Reads and sends one batch, part by part. A batch that cannot be sent is lost, because the real slot has already
   * advanced.
   */
  async #sendBatch(): Promise<PollOutcome> {
    if (!this.#isRunning || this.#isPaused || !this.#slot.isOpen) return NOTHING;
    if (this.#subscribers.size === 0 && !this.#backlogEnd) {
      await this.#outbox.clear();
      return NOTHING;
    }
    const outcome = { read: 0, delivered: 0 };
    // As the real server does, drop whole batches: read the limit once.
    const { isExceeded } = this.#events;
    const { pollMaxChanges } = this.#options.settings();
    let last: Place | null = null;
    try {
      const parts = this.#outbox.read({ after: this.#backlogEnd, maxChanges: pollMaxChanges });
      for await (const part of parts) {
        // Yield between parts, so that a long batch does not block sockets and requests.
        if (last) await nextTurn();
        if (!this.#isRunning) break;
        // The subscribers may have left during a long batch.
        if (outcome.read > 0 && this.#subscribers.size === 0) break;
        last = part.at(-1) ?? null;
        outcome.read += part.length;
        outcome.delivered += await this.#send(part, this.#subscribers.of, isExceeded);
      }
      return outcome;
    } catch (error) {
      this.#dropped += outcome.read;
      throw error;
    } finally {
      if (last && this.#backlogEnd) this.#backlogEnd = endOfTransaction(last);
      else if (last && this.#isRunning) await this.#outbox.remove({ upTo: endOfTransaction(last) });
    }
  }

  async #drain(): Promise<void> {
    let outcome = await this.#sendBatch();
    while (outcome.read > 0) outcome = await this.#sendBatch();
  }

  #poll(delayMs: number): void {
    const { settings, now, random, timers } = this.#options;
    this.#cancelPoll();
    if (!this.#isRunning) return;
    if (!this.#isPolling()) return this.#wake();
    const run = async () => {
      const outcome = await this.#sendBatch();
      this.#failures = 0;
      this.#poll(nextPollDelayMs(outcome, settings().pollIntervalMs, random));
    };
    const begin = () => {
      if (this.#subscribers.size > 0) this.#lastSubscriberMs = now();
      if (now() - this.#lastSubscriberMs > POLLER_LINGER_MS) {
        this.#readyAtMs = null;
        return this.#slot.close();
      }
      this.#inTurn(run).catch((error: unknown) => this.#retryLater(error, () => this.#poll(0)));
    };
    this.#cancelPoll = timers.after(delayMs, begin);
  }

  #retryLater(error: unknown, run: () => void): void {
    if (!this.#isRunning) return;
    this.#options.report(error);
    this.#cancelPoll = this.#options.timers.after(retryDelayMs(this.#failures), run);
    this.#failures += 1;
  }

  /** Handles a commit: delivers the changes unless polling is on. Without a slot, empties the outbox. */
  #wake(): void {
    if (this.#isQueued || !this.#isRunning || (this.#slot.isOpen && this.#isPolling())) return;
    this.#isQueued = true;
    this.#inTurn(async () => {
      this.#isQueued = false;
      if (this.#slot.isOpen) {
        await this.#drain();
        await this.#awaitOlderTransactions();
      } else if (!this.#backlogEnd && !this.#isPaused) await this.#outbox.clear();
      this.#failures = 0;
    }).catch((error: unknown) => this.#retryLater(error, () => this.#wake()));
  }

  async #awaitOlderTransactions(): Promise<void> {
    const { hasOtherSessions, timers } = this.#options;
    if (!hasOtherSessions || this.#isPaused || this.#subscribers.size === 0) return;
    if (await this.#outbox.hasUnreadable())
      this.#cancelPoll = timers.after(OLDER_TRANSACTION_MS, () => this.#wake());
  }

  /** Sends a subscriber the changes from before a crash and the later ones. */
  async #replay(subscriber: Subscriber, subscriptions: readonly Subscription[]): Promise<void> {
    const listenersOf = (relation: number) =>
      subscriptions
        .filter((subscription) => subscription.relation === relation)
        .map((subscription) => ({ subscriber, subscription }));
    if (!this.#backlogEnd) return;
    for await (const part of this.#outbox.read({ upTo: this.#backlogEnd })) {
      if (!this.#isRunning) return;
      await this.#send(part, listenersOf, this.#events.isExceeded);
    }
  }

  #endBacklog(): void {
    this.#inTurn(async () => {
      if (this.#backlogEnd && this.#isRunning) await this.#outbox.remove({ upTo: this.#backlogEnd });
      this.#backlogEnd = null;
    }).catch(this.#options.report);
  }
}
