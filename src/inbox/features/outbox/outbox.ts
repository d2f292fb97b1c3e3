import { backoffDelayMs, doublingDelaysMs } from 'supabase-protocol-clients/platform';
import type { Platform, Timer, Unsubscribe } from 'supabase-protocol-clients/platform';
import type { OutboxOutcome, OutboxSender } from '../../shared/outbox/outbox.ts';
import { initialState, isHeld, nextCommand, step } from './outbox-state.ts';
import type { OutboxEntry, OutboxEvent } from './outbox-state.ts';
import type { OutboxStorage } from './outbox-storage.ts';

/** One user's changes that wait for a connection. Every tab has an outbox; one of them at a time sends, under a lock. */
export interface Outbox {
  /** Reads the stored changes, and sends them as soon as the device is online. Never rejects. */
  start(): Promise<void>;
  /** Ends timers and listeners; the changes stay stored. */
  close(): void;
  /** Whether a change waits that can no longer be undone. */
  isBusy(): boolean;
  add(topic: string, id: string, payload: unknown, delayMs: number): Promise<void>;
  release(id: string): Promise<void>;
  /** Removes a change that no tab has begun to send. Resolves to whether it did. */
  withdraw(id: string): Promise<boolean>;
  /**
   * Removes a change, also one whose requests failed: the server may have it. Waits for a request in flight. Resolves to false if
   * the change was sent meanwhile.
   */
  discard(id: string): Promise<boolean>;
  /** Removes a change that reached the server, or was refused, by a request outside of the outbox. */
  confirm(id: string): Promise<void>;
  /** Oldest first; the same array until it changes. */
  getSnapshot(): readonly OutboxEntry[];
  subscribe(listener: () => void): Unsubscribe;
  onSettled(listener: (entry: OutboxEntry, outcome: OutboxOutcome) => void): Unsubscribe;
}

export interface OutboxOptions {
  readonly userId: string;
  readonly storage: OutboxStorage;
  /** The sender of each topic. */
  readonly senders: Readonly<Record<string, OutboxSender<unknown>>>;
  /** Whether a request that failed so may succeed later. */
  readonly isRetryable: (problem: unknown) => boolean;
  readonly platform: Pick<Platform, 'clock' | 'random' | 'page' | 'locks' | 'openBroadcast' | 'report'>;
}

/** A message between the outboxes of two tabs. */
type TabMessage =
  | { readonly type: 'changed' }
  | { readonly type: 'settled'; readonly id: string; readonly outcome: OutboxOutcome };

const backoff = { delaysMs: doublingDelaysMs(2_000, 60_000), jitter: 0.5 };

export function createOutbox({ userId, storage, senders, isRetryable, platform }: OutboxOptions): Outbox {
  const { clock, random, page, locks, report } = platform;
  const lockName = `outbox:${userId}`;
  const tabs = platform.openBroadcast(lockName);
  const changeListeners = new Set<() => void>();
  const settledListeners = new Set<(entry: OutboxEntry, outcome: OutboxOutcome) => void>();
  const ending = new AbortController();
  const { signal } = ending;
  let state = initialState(page.isOnline());
  let timer: Timer | null = null;
  let draining: Promise<void> | null = null;
  let isDrainWanted = false;

  const dispatch = (event: OutboxEvent) => {
    const { entries } = state;
    state = step(state, event);
    if (state.entries !== entries) for (const listener of changeListeners) listener();
  };
  const load = async () => {
    const entries = await storage.list();
    if (!signal.aborted) dispatch({ type: 'loaded', entries });
  };
  const tell = (message: TabMessage) => {
    if (!signal.aborted) tabs.post(message);
  };
  const announce = (entry: OutboxEntry, outcome: OutboxOutcome) => {
    for (const listener of settledListeners) listener(entry, outcome);
    dispatch({ type: 'removed', id: entry.id });
  };

  const send = async (entry: OutboxEntry): Promise<OutboxOutcome> => {
    const sender = senders[entry.topic];
    const payload = sender?.parse(entry.payload) ?? null;
    if (!sender || payload === null) return 'refused';
    try {
      return await sender.send(payload);
    } catch (problem) {
      if (isRetryable(problem)) throw problem;
      report(problem);
      return 'refused';
    }
  };
  const sendOne = async (entry: OutboxEntry) => {
    dispatch({ type: 'sending', id: entry.id });
    // Withdrawn by another tab since the list was read.
    if (!(await storage.claim(entry.id))) return dispatch({ type: 'removed', id: entry.id });
    try {
      const outcome = await send(entry);
      await storage.remove(entry.id);
      announce(entry, outcome);
      tell({ type: 'settled', id: entry.id, outcome });
    } catch (problem) {
      report(problem);
      const delayMs = backoffDelayMs(state.failures + 1, backoff, random.number());
      dispatch({ type: 'failed', id: entry.id, retryAtMs: clock.now() + delayMs });
    }
  };
  const drainUnderLock = async () => {
    await load();
    dispatch({ type: 'lock', isSender: true });
    for (;;) {
      const command = nextCommand(state, clock.now());
      if (signal.aborted || command.type === 'idle') break;
      if (command.type === 'wait') {
        timer?.cancel();
        timer = clock.setTimer(drain, command.untilMs - clock.now());
        break;
      }
      await sendOne(command.entry);
    }
  };
  const drainWhileWanted = async (): Promise<void> => {
    isDrainWanted = false;
    try {
      await locks.hold(lockName, drainUnderLock, { signal });
    } catch (problem) {
      if (!signal.aborted) report(problem);
    } finally {
      dispatch({ type: 'lock', isSender: false });
    }
    return isDrainWanted && !signal.aborted ? drainWhileWanted() : undefined;
  };
  const drain = () => {
    if (signal.aborted || !state.isOnline) return;
    isDrainWanted = true;
    draining ??= drainWhileWanted().finally(() => {
      draining = null;
    });
  };

  /** Reads what another tab changed. That tab may close: each tab has a timer for the held changes. */
  const follow = async () => {
    await load();
    if (state.entries.some((entry) => isHeld(entry, clock.now()))) drain();
  };

  const endings = [
    page.subscribe((pageSignal) => {
      if (pageSignal !== 'online' && pageSignal !== 'offline') return;
      dispatch({ type: 'connection', isOnline: pageSignal === 'online' });
      drain();
    }),
    tabs.subscribe((received) => {
      if (!isTabMessage(received)) return;
      if (received.type === 'changed') return void follow().catch(report);
      const entry = state.entries.find(({ id }) => id === received.id);
      if (entry) announce(entry, received.outcome);
    }),
  ];

  return {
    async start() {
      await load().catch(report);
      if (state.entries.length > 0) drain();
    },
    close() {
      for (const end of endings) end();
      timer?.cancel();
      ending.abort();
      tabs.close();
      changeListeners.clear();
      settledListeners.clear();
    },
    isBusy: () => state.entries.some((entry) => !isHeld(entry, clock.now())),
    async add(topic, id, payload, delayMs) {
      const heldUntilMs = delayMs > 0 ? clock.now() + delayMs : 0;
      const entry = await storage.add({ id, userId, topic, payload, heldUntilMs, isClaimed: false });
      dispatch({ type: 'added', entry });
      tell({ type: 'changed' });
      drain();
    },
    async release(id) {
      await storage.release(id);
      dispatch({ type: 'released', id });
      tell({ type: 'changed' });
      drain();
    },
    async withdraw(id) {
      const isWithdrawn = await storage.withdraw(id);
      if (isWithdrawn) {
        dispatch({ type: 'removed', id });
        tell({ type: 'changed' });
        drain();
      }
      return isWithdrawn;
    },
    async confirm(id) {
      // At the end of the session the storage is deleted as a whole.
      if (signal.aborted) return;
      await storage.remove(id);
      dispatch({ type: 'removed', id });
      tell({ type: 'changed' });
    },
    async discard(id) {
      const isFound = await locks.hold(lockName, async () => {
        await load();
        if (!state.entries.some((entry) => entry.id === id)) return false;
        await storage.remove(id);
        return true;
      });
      dispatch({ type: 'removed', id });
      tell({ type: 'changed' });
      drain();
      return isFound;
    },
    getSnapshot: () => state.entries,
    subscribe(listener) {
      changeListeners.add(listener);
      return () => changeListeners.delete(listener);
    },
    onSettled(listener) {
      settledListeners.add(listener);
      return () => settledListeners.delete(listener);
    },
  };
}

/** The tabs of one origin may run different versions of the application. */
function isTabMessage(value: unknown): value is TabMessage {
  const message = value as Partial<TabMessage> | null;
  return message?.type === 'changed' || (message?.type === 'settled' && typeof message.id === 'string');
}
