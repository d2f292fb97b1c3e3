import type { Database } from '../../database/database.ts';
import { fanOut } from './fan-out.ts';
import { READ_LIMIT, createOutbox } from './outbox.ts';
import type { CapturedChange, Place } from './outbox.ts';
import { createRateCounter } from '../rate-counter.ts';
import type { Relations } from './relations.ts';
import type { RealtimeSettings } from '../settings.ts';
import { createSubscribers } from './subscribers.ts';
import type { Subscribed, Subscriber } from './subscribers.ts';
import type { Subscription } from '../subscription/subscription.ts';
import type { Timers } from '../timers.ts';

/** Brings committed changes to their subscribers: each once, in the order of the commits, and not lost by a crash. */
export interface Delivery {
  /** Begins to listen. What an earlier life left undelivered waits for its subscribers for a while. */
  start(): Promise<void>;
  /** Stops at once, as a crash does; what is not delivered stays in the outbox. */
  stop(): Promise<void>;
  /** Stops in good order. */
  close(): Promise<void>;
  /** Makes the subscriptions live, calls `onLive`, and then sends what waited for them. */
  subscribe(
    subscriber: Subscriber,
    subscriptions: readonly Subscription[],
    onLive: () => void,
  ): Promise<void>;
  unsubscribe(subscriber: Subscriber): void;
  /** While held, changes stay in the outbox. */
  hold(held: boolean): void;
  /** Resolves when everything that was committed before is delivered. */
  settled(): Promise<void>;
  readonly statistics: DeliveryStatistics;
}

export interface DeliveryStatistics {
  /** Channels with a live subscription. */
  readonly subscribers: number;
  readonly delivered: number;
  /** Lost on purpose: by a limit or a fault. */
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
}

const RETRY_MS = 1_000;

export function createDelivery(options: DeliveryOptions): Delivery {
  const { database, relations, settings, now, random, timers, report } = options;
  const outbox = createOutbox(database);
  const subscribers = createSubscribers();
  const events = createRateCounter(now, () => settings().maxEventsPerSecond);
  let tail: Promise<unknown> = Promise.resolve();
  let [running, held, queued] = [false, false, false];
  let [delivered, dropped] = [0, 0];
  /**
   * While changes of an earlier life wait for those who come back: the last change that has had its turn. What is
   * committed meanwhile waits with them, for whoever is told of a row's past must be told of all that followed.
   */
  let backlogEnd: Place | null = null;
  let cancelBacklog = () => {};
  let cancelRetry = () => {};
  let unlisten: () => Promise<void> = () => Promise.resolve();

  /** One thing at a time: a subscription that begins never meets half a batch. */
  const inTurn = <T>(task: () => Promise<T>): Promise<T> => {
    const run = tail.then(task);
    tail = run.catch(() => undefined);
    return run;
  };

  const send = async (
    batch: readonly CapturedChange[],
    listenersOf: (relation: number) => readonly Subscribed[],
  ) => {
    const notices = await fanOut({ database, relations, settings }, batch, listenersOf);
    if (!running) return;
    if (!events.take(notices.length)) {
      dropped += notices.length;
      return;
    }
    for (const { subscriber, bindingIds, data } of notices) {
      if (settings().dropRate > 0 && random() < settings().dropRate) dropped += 1;
      else {
        subscriber.sendChange(bindingIds, data);
        delivered += 1;
      }
    }
  };

  /** Sends what waits. What is committed meanwhile and not read has woken the next turn already. */
  const drain = async (): Promise<void> => {
    if (!running || held) return;
    const batch = await outbox.read({ after: backlogEnd });
    const last = batch.at(-1);
    if (!last) return;
    await send(batch, subscribers.of);
    if (backlogEnd) backlogEnd = last;
    // A crash before this line sends them again; one before `send` loses none.
    else if (running) await outbox.remove({ upTo: last });
    if (batch.length === READ_LIMIT) await drain();
  };

  const wake = () => {
    if (queued || !running) return;
    queued = true;
    inTurn(async () => {
      queued = false;
      await drain();
    }).catch((error: unknown) => {
      if (!running) return;
      report(error);
      cancelRetry();
      cancelRetry = timers.after(RETRY_MS, wake);
    });
  };

  /** Sends one subscriber what an earlier life kept from it, and what followed. */
  const replay = async (subscriber: Subscriber, subscriptions: readonly Subscription[]) => {
    const listenersOf = (relation: number) =>
      subscriptions
        .filter((subscription) => subscription.relation === relation)
        .map((subscription) => ({ subscriber, subscription }));
    const readWaiting = async (after: Place | null) =>
      backlogEnd && running ? outbox.read({ after, upTo: backlogEnd }) : [];
    for (let page = await readWaiting(null); page.length > 0; page = await readWaiting(page.at(-1) ?? null)) {
      await send(page, listenersOf);
    }
  };

  const endBacklog = () => {
    inTurn(async () => {
      if (backlogEnd && running) await outbox.remove({ upTo: backlogEnd });
      backlogEnd = null;
    }).catch(report);
  };

  const stop = async () => {
    running = false;
    cancelBacklog();
    cancelRetry();
    subscribers.clear();
    const end = unlisten;
    unlisten = () => Promise.resolve();
    await end();
    await tail;
  };

  return {
    async start() {
      if (running) return;
      running = true;
      await outbox.open(settings().recoveryMaxAgeMs);
      backlogEnd = await outbox.last();
      if (backlogEnd) cancelBacklog = timers.after(settings().recoveryWindowMs, endBacklog);
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
        if (!running) return;
        subscribers.set(subscriber, subscriptions);
        onLive();
        await replay(subscriber, subscriptions);
      }),
    unsubscribe: subscribers.delete,
    hold(isHeld) {
      held = isHeld;
      wake();
    },
    settled: () => inTurn(drain),
    get statistics() {
      return { subscribers: subscribers.size, delivered, dropped };
    },
  };
}
