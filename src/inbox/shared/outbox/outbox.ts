import { backoffDelayMs, createStore, doublingDelaysMs } from 'supabase-protocol-clients/platform';
import type { Platform, Timer, Unsubscribe } from 'supabase-protocol-clients/platform';
import { canUndo, initialState, selectDelayed, selectDue, step, withDependents } from './outbox-state.ts';
import type { OutboxEvent, OutboxOutcome, PendingAction } from './outbox-state.ts';
import type { OutboxStorage } from './outbox-storage.ts';
import { createSenders, isTabMessage, type TabMessage } from './outbox-tabs.ts';

/** The actions of one feature: how they are shown and sent. */
export interface OutboxTopic<Payload, Answer = unknown> {
  /** null: a payload of another version of the application, which is dropped. */
  parse(payload: unknown): Payload | null;
  /**
   * What it changes, such as ids of rows; null: any row, so that a repetition may change rows that match only later.
   */
  keysOf(payload: Payload): readonly string[] | null;
  /**
   * Applies the action to the rows in the state that it assumes. Called again with the same payload after an interruption; a
   * second call must change nothing.
   */
  send(payload: Payload): Promise<OutboxOutcome<Answer>>;
  /** Shows the action as done, in every tab. */
  show(id: string, payload: Payload): void;
  /** Shows the outcome instead, in every tab. */
  settle(id: string, payload: Payload, outcome: OutboxOutcome<Answer>): void;
  /** Performs the action again, on the current rows. */
  repeat(payload: Payload): void;
}

export interface AddedAction<Answer = unknown> {
  readonly settled: Promise<OutboxOutcome<Answer>>;
  /** Sends an action that was kept back for its undo. */
  release(): void;
  /** Removes the action; if it was sent already, calls `inverse` or shows that it is too late. */
  undo(inverse?: () => void): void;
}

/**
 * Shows and stores an action, and sends it at once, unless it must follow an earlier one. One that is `undoable` is kept back
 * until it is released, a later one follows it, the page closes, or 60 s have passed.
 */
export type AddAction<Payload, Answer> = (payload: Payload, undo?: 'undoable') => AddedAction<Answer>;

/** What the user has to know. `repeat` performs the action again. */
export type OutboxNotice =
  | { readonly type: 'changed' | 'deleted' | 'refused'; readonly repeat: () => void }
  | { readonly type: 'too-late' };

/** One user's actions until the server has applied them. */
export interface Outbox {
  /** Shows and sends the stored actions of earlier visits and other tabs. Never rejects. */
  start(): Promise<void>;
  /** Adds the feature that shows and sends the actions of a topic, which wait for it. */
  addTopic<Payload, Answer>(name: string, topic: OutboxTopic<Payload, Answer>): AddAction<Payload, Answer>;
  /** Removes actions, with later ones that assume them, after their requests in flight. */
  discard(ids: readonly string[]): Promise<void>;
  /**
   * Sends what was kept back for an undo. Resolves to how many actions are left when all have a response, or after the
   * timeout.
   */
  flush(timeoutMs: number): Promise<number>;
  /** The actions that wait for a connection or the server, oldest first; the same array until it changes. */
  getSnapshot(): readonly PendingAction[];
  /** The number of all actions without a response, also of those that wait for nothing. */
  countPending(): number;
  subscribe(listener: () => void): Unsubscribe;
  /** Whether the browser's storage failed, so that pending actions end with their tab. */
  hasStorageFailed(): boolean;
  /** Ends timers and listeners; stored actions stay stored. */
  close(): void;
}

export interface OutboxOptions {
  readonly userId: string;
  readonly storage: OutboxStorage;
  /** Whether the failure of a request is transient. */
  readonly isRetryable: (problem: unknown) => boolean;
  readonly notify: (notice: OutboxNotice) => void;
  readonly platform: Pick<Platform, 'clock' | 'random' | 'page' | 'locks' | 'openTabChannel' | 'report'>;
}

/** Longer than an undo toast, which is shown for 10 s, and on while the pointer is on it. */
const undoMs = 60_000;
const flushCheckMs = 50;
const backoff = { delaysMs: doublingDelaysMs(2_000, 60_000), jitter: 0.5 };
const noActions: readonly PendingAction[] = [];
/** What `add` returns after `close()`: nothing is shown, stored or sent. */
const endedAction: AddedAction = {
  settled: Promise.resolve({ type: 'undone' }),
  release() {},
  undo() {},
};

export function createOutbox({ userId, storage, isRetryable, notify, platform }: OutboxOptions): Outbox {
  const { clock, random, page, locks, report } = platform;
  const topics = new Map<string, OutboxTopic<unknown>>();
  /** Ends of the requests in flight. */
  const requests = new Map<string, Promise<void>>();
  const writes = new Set<Promise<unknown>>();
  /** For each read of the storage: the actions that have ended since it began. */
  const readings = new Set<Set<string>>();
  const added = new Map<string, (outcome: OutboxOutcome) => void>();
  const ending = new AbortController();
  const { signal } = ending;
  let state = initialState(page.isOnline());
  const delayed = createStore(noActions, report);
  let timer: Timer | null = null;
  let hasStorageFailed = false;

  const createId = () => Array.from(random.bytes(12), (byte) => byte.toString(36)).join('');
  // Without locks among tabs (http, old browsers) each would treat the others as closed, and take over their actions.
  const tabs = locks.scope === 'origin' ? platform.openTabChannel(`outbox:${userId}`) : null;
  const senders = createSenders({
    locks,
    report,
    signal,
    nameOf: (senderId) => `outbox:${userId}:${senderId}`,
    onFree: (senderId) => adopt(senderId),
  });
  const post = (message: TabMessage) =>
    // Post only with the lock held: other tabs take over the actions of a tab that holds no lock.
    void senders.whenHeld(state.senderId).then(() => signal.aborted || tabs?.post(message));
  /** Neither display nor sending waits for the storage. */
  const store = (write: Promise<unknown>) => {
    writes.add(write);
    write
      .catch((problem: unknown) => {
        hasStorageFailed = true;
        report(problem);
      })
      .finally(() => writes.delete(write));
  };
  /** Without the actions that end while the storage is read. */
  const list = async () => {
    const endedIds = new Set<string>();
    readings.add(endedIds);
    try {
      return (await storage.list()).filter(({ id }) => !endedIds.has(id));
    } catch (problem) {
      report(problem);
      return noActions;
    } finally {
      readings.delete(endedIds);
    }
  };
  const isOwn = ({ senderId }: PendingAction) => senderId === state.senderId;
  const withPayload = (
    action: PendingAction,
    act: (topic: OutboxTopic<unknown>, payload: unknown) => void,
  ) => {
    const topic = topics.get(action.topic);
    const payload = topic?.parse(action.payload) ?? null;
    if (topic && payload !== null) act(topic, payload);
  };

  const dispatch = (event: OutboxEvent, outcome: OutboxOutcome = { type: 'undone' }) => {
    if (event.type === 'removed')
      for (const endedIds of readings) event.ids.forEach((id) => endedIds.add(id));
    const { pending } = state;
    state = step(state, event);
    if (state.pending !== pending) {
      const before = new Set(pending.map(({ id }) => id));
      const after = new Set(state.pending.map(({ id }) => id));
      for (const action of pending) if (!after.has(action.id)) end(action, outcome);
      for (const action of state.pending) {
        if (!isOwn(action)) senders.watch(action.senderId);
        if (!before.has(action.id)) withPayload(action, (topic, payload) => topic.show(action.id, payload));
      }
      if (pending.some(isOwn) && !state.pending.some(isOwn)) releaseSender(state.senderId);
    }
    const next = selectDelayed(state);
    const shown = delayed.getSnapshot();
    if (next.length !== shown.length || next.some((action, at) => action !== shown[at])) delayed.set(next);
    sendDue();
  };
  /** Releases the lock after the writes, because the tab that gets it sends the stored actions. */
  const releaseSender = (senderId: string) =>
    void Promise.allSettled(writes).then(() => senders.release(senderId));
  const end = (action: PendingAction, outcome: OutboxOutcome) => {
    withPayload(action, (topic, payload) => topic.settle(action.id, payload, outcome));
    added.get(action.id)?.(outcome);
    added.delete(action.id);
  };
  /** Ends actions of this tab, in every tab. */
  const remove = (ids: readonly string[], outcome: OutboxOutcome) => {
    if (ids.length === 0 || signal.aborted) return;
    store(storage.remove(ids));
    // Without the response, which has the content of rows.
    post({ type: 'removed', ids, outcome: outcome.type });
    dispatch({ type: 'removed', ids }, outcome);
  };

  const sendDue = () => {
    timer?.cancel();
    if (signal.aborted) return;
    const nowMs = clock.monotonicMs();
    for (const action of selectDue(state, nowMs)) {
      state = step(state, { type: 'sending', id: action.id });
      requests.set(
        action.id,
        send(action).finally(() => requests.delete(action.id)),
      );
    }
    if (state.retryAtMs > nowMs) timer = clock.setTimer(sendDue, state.retryAtMs - nowMs);
  };
  const send = async (action: PendingAction) => {
    try {
      const topic = topics.get(action.topic);
      const payload = topic?.parse(action.payload) ?? null;
      const outcome = topic && payload !== null ? await topic.send(payload) : { type: 'refused' as const };
      settle(action, outcome);
    } catch (problem) {
      if (signal.aborted) return;
      report(problem);
      if (!isRetryable(problem)) return settle(action, { type: 'refused' });
      const delayMs = backoffDelayMs(state.failures + 1, backoff, random.number());
      dispatch({ type: 'failed', id: action.id, nowMs: clock.monotonicMs(), delayMs });
    }
  };
  const settle = (action: PendingAction, outcome: OutboxOutcome) => {
    if (signal.aborted) return;
    remove([action.id], outcome);
    const { type } = outcome;
    if (type === 'sent' || type === 'undone') return;
    notify({ type, repeat: () => withPayload(action, (topic, payload) => topic.repeat(payload)) });
  };

  /** Gives this tab a new sender id with a new lock, unless actions of its current id are pending. */
  const becomeSender = () => {
    if (state.pending.some(isOwn)) return;
    dispatch({ type: 'sender', senderId: createId() });
    senders.hold(state.senderId);
  };
  /** Takes over the actions of a closed tab, if no other tab did. */
  const adopt = async (from: string) => {
    if (!state.pending.some(({ senderId }) => senderId === from)) return;
    const left = (await list()).filter(({ senderId }) => senderId === from);
    if (signal.aborted) return;
    if (left.length > 0) becomeSender();
    const actions = left.map((action): PendingAction =>
      Object.assign({}, action, { senderId: state.senderId, isUndoable: false }),
    );
    const stored = actions.map((action) => storage.put(action));
    stored.forEach(store);
    if (actions.length > 0) post({ type: 'adopted', from, actions });
    dispatch({ type: 'adopted', from, actions });
    await Promise.allSettled(stored);
  };
  const add = (
    topic: string,
    keys: PendingAction['keys'],
    payload: unknown,
    isUndoable: boolean,
  ): AddedAction => {
    if (signal.aborted) return endedAction;
    becomeSender();
    const id = createId();
    const order = (state.pending.at(-1)?.order ?? 0) + 1;
    const { senderId } = state;
    const addedAtMs = clock.now();
    const action: PendingAction = {
      id,
      userId,
      topic,
      payload,
      keys,
      addedAtMs,
      order,
      senderId,
      isUndoable,
    };
    const settled = new Promise<OutboxOutcome>((resolve) => added.set(id, resolve));
    store(storage.put(action));
    dispatch({ type: 'added', actions: [action] });
    post({ type: 'added', actions: [action] });
    const release = () => dispatch({ type: 'released', id });
    const undoTimer = isUndoable ? clock.setTimer(release, undoMs) : null;
    void settled.then(() => undoTimer?.cancel());
    return {
      settled,
      release,
      undo(inverse) {
        if (canUndo(state, id)) remove([id], { type: 'undone' });
        else if (inverse) inverse();
        else notify({ type: 'too-late' });
      },
    };
  };
  const releaseAll = () => dispatch({ type: 'released', id: null });

  const receive = (message: TabMessage) => {
    if (message.type === 'removed')
      dispatch({ type: 'removed', ids: message.ids }, { type: message.outcome });
    else if (message.type === 'discard') void discardOwn(message.ids);
    else if (message.type === 'flush') releaseAll();
    else dispatch(message);
  };
  const discardOwn = async (ids: readonly string[]) => {
    const own = state.pending.filter((action) => ids.includes(action.id) && isOwn(action));
    const inFlight = own.filter(({ id }) => requests.has(id));
    // First those that would follow the requests in flight.
    remove(
      own.filter((action) => !inFlight.includes(action)).map(({ id }) => id),
      { type: 'undone' },
    );
    await Promise.all(inFlight.map(({ id }) => requests.get(id) ?? Promise.resolve()));
    const left = inFlight.filter(({ id }) => state.pending.some((action) => action.id === id));
    remove(
      left.map(({ id }) => id),
      { type: 'undone' },
    );
    if (left.length < inFlight.length) notify({ type: 'too-late' });
  };

  const endings = [
    page.subscribe((name) => {
      if (name === 'online' || name === 'offline')
        dispatch({ type: 'connection', isOnline: name === 'online' });
      if (name !== 'pagehide') return;
      // Requests can no longer start afterwards, and responses may never arrive.
      releaseAll();
      const once = state.pending.filter(({ id, keys }) => keys === null && state.sendingIds.has(id));
      if (once.length > 0) store(storage.remove(once.map(({ id }) => id)));
    }),
    tabs?.subscribe((message) => {
      if (isTabMessage(message)) receive(message);
    }),
    () => timer?.cancel(),
    () => tabs?.close(),
  ];

  return {
    async start() {
      const actions = await list();
      if (!signal.aborted) dispatch({ type: 'added', actions });
    },
    addTopic<Payload, Answer>(name: string, topic: OutboxTopic<Payload, Answer>): AddAction<Payload, Answer> {
      topics.set(name, topic);
      for (const action of state.pending)
        if (action.topic === name) withPayload(action, (own, payload) => own.show(action.id, payload));
      dispatch({ type: 'topic', topic: name });
      return (payload, undo) =>
        add(name, topic.keysOf(payload), payload, undo === 'undoable') as AddedAction<Answer>;
    },
    async discard(ids) {
      const all = withDependents(state.pending, ids);
      const foreign = all.filter((action) => !isOwn(action)).map(({ id }) => id);
      if (foreign.length > 0) post({ type: 'discard', ids: foreign });
      await discardOwn(all.map(({ id }) => id));
    },
    async flush(timeoutMs) {
      post({ type: 'flush' });
      releaseAll();
      const endsAtMs = clock.monotonicMs() + timeoutMs;
      const wait = async (): Promise<void> => {
        if (state.pending.length === 0 || !state.isOnline || clock.monotonicMs() >= endsAtMs) return;
        await new Promise<void>((resolve) => clock.setTimer(resolve, flushCheckMs));
        return wait();
      };
      await wait();
      return state.pending.length;
    },
    getSnapshot: delayed.getSnapshot,
    countPending: () => state.pending.length,
    subscribe: delayed.subscribe,
    hasStorageFailed: () => hasStorageFailed,
    close() {
      ending.abort();
      for (const stop of endings) stop?.();
    },
  };
}
