import { backoffDelayMs, createObservable, doublingDelaysMs } from 'supabase-protocol-clients/platform';
import type {
  PageSignal,
  Platform,
  Observable,
  TabChannel,
  Timer,
  Unsubscribe,
} from 'supabase-protocol-clients/platform';
import { canUndo, initialState, selectDelayed, selectDue, step, withDependents } from './outbox-state.ts';
import type { OutboxEvent, OutboxOutcome, OutboxState, PendingAction } from './outbox-state.ts';
import type { OutboxStorage } from './outbox-storage.ts';
import type { AddAction, AddedAction, OutboxNotice, OutboxTopic } from './outbox-topic.ts';
import { createSenders, isTabMessage, type Senders, type TabMessage } from './outbox-tabs.ts';

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

/** One user's actions until the server has applied them. */
export class Outbox {
  /** The actions that wait for a connection or the server, oldest first; the same array until it changes. */
  readonly getSnapshot: () => readonly PendingAction[];
  readonly subscribe: (listener: () => void) => Unsubscribe;
  readonly #options: OutboxOptions;
  readonly #topics = new Map<string, OutboxTopic<unknown>>();
  /** Promises that settle with the requests in flight. */
  readonly #requests = new Map<string, Promise<void>>();
  readonly #writes = new Set<Promise<unknown>>();
  /** For each read of the storage: the actions that have ended since it began. */
  readonly #readings = new Set<Set<string>>();
  readonly #added = new Map<string, (outcome: OutboxOutcome) => void>();
  readonly #ending = new AbortController();
  readonly #delayed: Observable<readonly PendingAction[]>;
  readonly #senders: Senders;
  /** Null without locks among tabs (http, old browsers): each would take over the others' actions. */
  readonly #tabs: TabChannel | null;
  readonly #stops: readonly (Unsubscribe | undefined)[];
  #state: OutboxState;
  #timer: Timer | null = null;
  #hasStorageFailed = false;

  constructor(options: OutboxOptions) {
    const { userId, platform } = options;
    const { locks, page, report } = platform;
    this.#options = options;
    this.#state = initialState(page.isOnline());
    this.#delayed = createObservable(noActions, report);
    this.getSnapshot = this.#delayed.getSnapshot;
    this.subscribe = this.#delayed.subscribe;
    this.#tabs = locks.scope === 'origin' ? platform.openTabChannel(`outbox:${userId}`) : null;
    this.#senders = createSenders({
      locks,
      report,
      signal: this.#ending.signal,
      nameOf: (senderId) => `outbox:${userId}:${senderId}`,
      onFree: (senderId) => this.#adopt(senderId),
    });
    this.#stops = [
      page.subscribe((signal) => this.#onPageSignal(signal)),
      this.#tabs?.subscribe((message) => {
        if (isTabMessage(message)) this.#receive(message);
      }),
    ];
  }

  /** Shows and sends the stored actions of earlier visits and other tabs. Never rejects. */
  async start(): Promise<void> {
    const actions = await this.#list();
    if (!this.#hasEnded) this.#dispatch({ type: 'added', actions });
  }

  /** Adds the feature that shows and sends the actions of a topic, which wait for it. */
  addTopic<Payload, Response>(
    name: string,
    topic: OutboxTopic<Payload, Response>,
  ): AddAction<Payload, Response> {
    this.#topics.set(name, topic);
    for (const action of this.#state.pending)
      if (action.topic === name) this.#withPayload(action, (own, payload) => own.show(action.id, payload));
    this.#dispatch({ type: 'topic', topic: name });
    return (payload, undo) => {
      const keys = topic.keysOf(payload);
      return this.#add({
        topic: name,
        keys,
        payload,
        isUndoable: undo === 'undoable',
      }) as AddedAction<Response>;
    };
  }

  /** Removes actions, with later ones that assume them, after their requests in flight. */
  async discard(ids: readonly string[]): Promise<void> {
    const all = withDependents(this.#state.pending, ids);
    const foreign = all.filter((action) => !this.#isOwn(action));
    if (foreign.length > 0) this.#post({ type: 'discard', ids: idsOf(foreign) });
    await this.#discardOwn(idsOf(all));
  }

  /**
   * Sends what was kept back for an undo. Resolves to how many actions are left when all have a response, or after the
   * timeout.
   */
  async flush(timeoutMs: number): Promise<number> {
    const { clock } = this.#options.platform;
    this.#post({ type: 'flush' });
    this.#releaseAll();
    const endsAtMs = clock.monotonicMs() + timeoutMs;
    const wait = async (): Promise<void> => {
      const { pending, isOnline } = this.#state;
      if (pending.length === 0 || !isOnline || clock.monotonicMs() >= endsAtMs) return;
      await new Promise<void>((resolve) => clock.setTimer(resolve, flushCheckMs));
      return wait();
    };
    await wait();
    return this.#state.pending.length;
  }

  /** The number of all actions without a response, also of those that wait for nothing. */
  countPending(): number {
    return this.#state.pending.length;
  }

  /** Whether the browser's storage failed, so that pending actions end with their tab. */
  hasStorageFailed(): boolean {
    return this.#hasStorageFailed;
  }

  /** Ends timers and listeners; stored actions stay stored. */
  close(): void {
    this.#ending.abort();
    for (const stop of this.#stops) stop?.();
    this.#timer?.cancel();
    this.#tabs?.close();
  }

  get #hasEnded(): boolean {
    return this.#ending.signal.aborted;
  }

  #createId(): string {
    return Array.from(this.#options.platform.random.bytes(12), (byte) => byte.toString(36)).join('');
  }

  #isOwn({ senderId }: PendingAction): boolean {
    return senderId === this.#state.senderId;
  }

  #withPayload(action: PendingAction, act: (topic: OutboxTopic<unknown>, payload: unknown) => void): void {
    const topic = this.#topics.get(action.topic);
    const payload = topic?.parse(action.payload) ?? null;
    if (topic && payload !== null) act(topic, payload);
  }

  #add(added: Pick<PendingAction, 'topic' | 'keys' | 'payload' | 'isUndoable'>): AddedAction {
    if (this.#hasEnded) return endedAction;
    const { userId, storage, notify, platform } = this.#options;
    this.#becomeSender();
    const id = this.#createId();
    const action: PendingAction = {
      ...added,
      id,
      userId,
      addedAtMs: platform.clock.now(),
      order: (this.#state.pending.at(-1)?.order ?? 0) + 1,
      senderId: this.#state.senderId,
    };
    const settled = new Promise<OutboxOutcome>((resolve) => this.#added.set(id, resolve));
    this.#store(storage.put(action));
    this.#dispatch({ type: 'added', actions: [action] });
    this.#post({ type: 'added', actions: [action] });
    const release = () => this.#dispatch({ type: 'released', id });
    const undoTimer = added.isUndoable ? platform.clock.setTimer(release, undoMs) : null;
    void settled.then(() => undoTimer?.cancel());
    return {
      settled,
      release,
      undo: (inverse) => {
        if (canUndo(this.#state, id)) this.#remove([id], { type: 'undone' });
        else if (inverse) inverse();
        else notify({ type: 'too-late' });
      },
    };
  }

  #dispatch(event: OutboxEvent, outcome: OutboxOutcome = { type: 'undone' }): void {
    if (event.type === 'removed')
      for (const endedIds of this.#readings) event.ids.forEach((id) => endedIds.add(id));
    const { pending } = this.#state;
    this.#state = step(this.#state, event);
    if (this.#state.pending !== pending) this.#onPending(pending, outcome);
    const next = selectDelayed(this.#state);
    const shown = this.#delayed.getSnapshot();
    if (next.length !== shown.length || next.some((action, at) => action !== shown[at]))
      this.#delayed.set(next);
    this.#sendDue();
  }

  #onPending(earlier: readonly PendingAction[], outcome: OutboxOutcome): void {
    const before = new Set(idsOf(earlier));
    const after = new Set(idsOf(this.#state.pending));
    for (const action of earlier) if (!after.has(action.id)) this.#end(action, outcome);
    for (const action of this.#state.pending) {
      if (!this.#isOwn(action)) this.#senders.watch(action.senderId);
      if (!before.has(action.id))
        this.#withPayload(action, (topic, payload) => topic.show(action.id, payload));
    }
    const hasOwn = (actions: readonly PendingAction[]) => actions.some((action) => this.#isOwn(action));
    const { pending, senderId } = this.#state;
    // The tab that gets the lock sends the stored actions: release it after the writes.
    if (hasOwn(earlier) && !hasOwn(pending))
      void Promise.allSettled(this.#writes).then(() => this.#senders.release(senderId));
  }

  #end(action: PendingAction, outcome: OutboxOutcome): void {
    this.#withPayload(action, (topic, payload) => topic.settle(action.id, payload, outcome));
    this.#added.get(action.id)?.(outcome);
    this.#added.delete(action.id);
  }

  /** Ends actions of this tab, in every tab. */
  #remove(ids: readonly string[], outcome: OutboxOutcome): void {
    if (ids.length === 0 || this.#hasEnded) return;
    this.#store(this.#options.storage.remove(ids));
    // Other tabs do not receive the response, because it contains rows.
    this.#post({ type: 'removed', ids, outcome: outcome.type });
    this.#dispatch({ type: 'removed', ids }, outcome);
  }

  #releaseAll(): void {
    this.#dispatch({ type: 'released', id: null });
  }

  #sendDue(): void {
    this.#timer?.cancel();
    if (this.#hasEnded) return;
    const { clock } = this.#options.platform;
    const nowMs = clock.monotonicMs();
    for (const action of selectDue(this.#state, nowMs)) {
      this.#state = step(this.#state, { type: 'sending', id: action.id });
      const ended = this.#send(action).finally(() => this.#requests.delete(action.id));
      this.#requests.set(action.id, ended);
    }
    const { retryAtMs } = this.#state;
    if (retryAtMs > nowMs) this.#timer = clock.setTimer(() => this.#sendDue(), retryAtMs - nowMs);
  }

  async #send(action: PendingAction): Promise<void> {
    const { platform, isRetryable } = this.#options;
    try {
      const topic = this.#topics.get(action.topic);
      const payload = topic?.parse(action.payload) ?? null;
      const outcome = topic && payload !== null ? await topic.send(payload) : { type: 'refused' as const };
      this.#settle(action, outcome);
    } catch (problem) {
      if (this.#hasEnded) return;
      platform.report(problem);
      if (!isRetryable(problem)) return this.#settle(action, { type: 'refused' });
      const delayMs = backoffDelayMs(this.#state.failures + 1, backoff, platform.random.number());
      this.#dispatch({ type: 'failed', id: action.id, nowMs: platform.clock.monotonicMs(), delayMs });
    }
  }

  #settle(action: PendingAction, outcome: OutboxOutcome): void {
    if (this.#hasEnded) return;
    this.#remove([action.id], outcome);
    const { type } = outcome;
    if (type === 'sent' || type === 'undone') return;
    const repeat = () => this.#withPayload(action, (topic, payload) => topic.repeat(payload));
    this.#options.notify({ type, repeat });
  }

  /** Neither display nor sending waits for the storage. */
  #store(write: Promise<unknown>): void {
    this.#writes.add(write);
    write
      .catch((problem: unknown) => {
        this.#hasStorageFailed = true;
        this.#options.platform.report(problem);
      })
      .finally(() => this.#writes.delete(write));
  }

  /** Lists the stored actions, without those that end while the storage is read. */
  async #list(): Promise<readonly PendingAction[]> {
    const endedIds = new Set<string>();
    this.#readings.add(endedIds);
    try {
      return (await this.#options.storage.list()).filter(({ id }) => !endedIds.has(id));
    } catch (problem) {
      this.#options.platform.report(problem);
      return noActions;
    } finally {
      this.#readings.delete(endedIds);
    }
  }

  /** Gives this tab a new sender id with a new lock, unless actions of its current id are pending. */
  #becomeSender(): void {
    if (this.#state.pending.some((action) => this.#isOwn(action))) return;
    this.#dispatch({ type: 'sender', senderId: this.#createId() });
    this.#senders.hold(this.#state.senderId);
  }

  /** Takes over the actions of a closed tab, if no other tab did. */
  async #adopt(from: string): Promise<void> {
    if (!this.#state.pending.some(({ senderId }) => senderId === from)) return;
    const left = (await this.#list()).filter(({ senderId }) => senderId === from);
    if (this.#hasEnded) return;
    if (left.length > 0) this.#becomeSender();
    const { senderId } = this.#state;
    const actions = left.map((action): PendingAction =>
      Object.assign({}, action, { senderId, isUndoable: false }),
    );
    const stored = actions.map((action) => this.#options.storage.put(action));
    stored.forEach((write) => this.#store(write));
    if (actions.length > 0) this.#post({ type: 'adopted', from, actions });
    this.#dispatch({ type: 'adopted', from, actions });
    await Promise.allSettled(stored);
  }

  async #discardOwn(ids: readonly string[]): Promise<void> {
    const own = this.#state.pending.filter((action) => ids.includes(action.id) && this.#isOwn(action));
    const inFlight = own.filter(({ id }) => this.#requests.has(id));
    // Remove those first that would be sent after the requests in flight.
    this.#remove(idsOf(own.filter((action) => !inFlight.includes(action))), { type: 'undone' });
    await Promise.all(inFlight.map(({ id }) => this.#requests.get(id) ?? Promise.resolve()));
    const left = inFlight.filter(({ id }) => this.#state.pending.some((action) => action.id === id));
    this.#remove(idsOf(left), { type: 'undone' });
    if (left.length < inFlight.length) this.#options.notify({ type: 'too-late' });
  }

  #post(message: TabMessage): void {
    // Post only with the lock held: other tabs take over the actions of a tab that holds no lock.
    void this.#senders.whenHeld(this.#state.senderId).then(() => this.#hasEnded || this.#tabs?.post(message));
  }

  #receive(message: TabMessage): void {
    if (message.type === 'removed')
      this.#dispatch({ type: 'removed', ids: message.ids }, { type: message.outcome });
    else if (message.type === 'discard') void this.#discardOwn(message.ids);
    else if (message.type === 'flush') this.#releaseAll();
    else this.#dispatch(message);
  }

  #onPageSignal(signal: PageSignal): void {
    if (signal === 'online' || signal === 'offline')
      this.#dispatch({ type: 'connection', isOnline: signal === 'online' });
    if (signal !== 'pagehide') return;
    // Requests can no longer start afterwards, and responses may never arrive.
    this.#releaseAll();
    const { pending, sendingIds } = this.#state;
    const once = pending.filter(({ id, keys }) => keys === null && sendingIds.has(id));
    if (once.length > 0) this.#store(this.#options.storage.remove(idsOf(once)));
  }
}

const idsOf = (actions: readonly PendingAction[]): readonly string[] => actions.map(({ id }) => id);
