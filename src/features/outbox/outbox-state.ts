/** A change that waits in the outbox. */
export interface OutboxEntry {
  readonly id: string;
  /** The order of all entries of this device. */
  readonly sequence: number;
  readonly userId: string;
  readonly topic: string;
  readonly payload: unknown;
  /** Wall-clock time in milliseconds: the entry is not sent earlier. */
  readonly heldUntilMs: number;
  /** Whether a tab has begun to send it: it can no longer be withdrawn. */
  readonly isClaimed: boolean;
}

/** The outbox as one tab knows it. Only the tab that holds the lock sends. */
export interface OutboxState {
  /** Oldest first. */
  readonly entries: readonly OutboxEntry[];
  readonly isOnline: boolean;
  /** Whether this tab holds the lock of the sender. */
  readonly isSender: boolean;
  /** The entry whose request is in flight. */
  readonly sendingId: string | null;
  /** Failures in a row of the oldest entry. */
  readonly failures: number;
  /** Wall-clock time in milliseconds of the next attempt after a failure. */
  readonly retryAtMs: number;
}

export type OutboxEvent =
  /** The stored entries, as read under the lock or after a message of another tab. */
  | { readonly type: 'loaded'; readonly entries: readonly OutboxEntry[] }
  | { readonly type: 'added'; readonly entry: OutboxEntry }
  | { readonly type: 'released'; readonly id: string }
  /** Withdrawn, or settled by any tab. */
  | { readonly type: 'removed'; readonly id: string }
  | { readonly type: 'connection'; readonly isOnline: boolean }
  | { readonly type: 'lock'; readonly isSender: boolean }
  | { readonly type: 'sending'; readonly id: string }
  /** The request failed and may succeed later. */
  | { readonly type: 'failed'; readonly id: string; readonly retryAtMs: number };

/** What the sender does next. */
export type OutboxCommand =
  | { readonly type: 'send'; readonly entry: OutboxEntry }
  | { readonly type: 'wait'; readonly untilMs: number }
  /** Nothing to do before the next event. */
  | { readonly type: 'idle' };

export function initialState(isOnline: boolean): OutboxState {
  return { entries: [], isOnline, isSender: false, sendingId: null, failures: 0, retryAtMs: 0 };
}

/** Pure. Unknown ids change nothing. */
export function step(state: OutboxState, event: OutboxEvent): OutboxState {
  switch (event.type) {
    case 'loaded':
      return withEntries(state, sorted(event.entries));
    case 'added':
      return state.entries.some(({ id }) => id === event.entry.id)
        ? state
        : withEntries(state, sorted([...state.entries, event.entry]));
    case 'released':
      return {
        ...state,
        entries: state.entries.map((entry) =>
          entry.id === event.id && entry.heldUntilMs > 0 ? { ...entry, heldUntilMs: 0 } : entry,
        ),
      };
    case 'removed': {
      const entries = state.entries.filter(({ id }) => id !== event.id);
      return entries.length === state.entries.length ? state : withEntries(state, entries);
    }
    case 'connection':
      // A new connection is tried at once.
      return { ...state, isOnline: event.isOnline, failures: 0, retryAtMs: 0 };
    case 'lock':
      return { ...state, isSender: event.isSender, sendingId: null };
    case 'sending':
      return { ...state, sendingId: event.id };
    case 'failed':
      return state.sendingId === event.id
        ? { ...state, sendingId: null, failures: state.failures + 1, retryAtMs: event.retryAtMs }
        : state;
  }
}

/** Sends strictly in order: an entry that is delayed or has failed blocks those after it. */
export function nextCommand(state: OutboxState, nowMs: number): OutboxCommand {
  const [oldest] = state.entries;
  if (!state.isOnline || !state.isSender || state.sendingId !== null || !oldest) return { type: 'idle' };
  const untilMs = Math.max(oldest.heldUntilMs, state.retryAtMs);
  return untilMs > nowMs ? { type: 'wait', untilMs } : { type: 'send', entry: oldest };
}

function withEntries(state: OutboxState, entries: readonly OutboxEntry[]): OutboxState {
  const isSameHead = entries[0]?.id === state.entries[0]?.id;
  return {
    ...state,
    entries,
    sendingId: entries.some(({ id }) => id === state.sendingId) ? state.sendingId : null,
    ...(isSameHead ? {} : { failures: 0, retryAtMs: 0 }),
  };
}

function sorted(entries: readonly OutboxEntry[]): readonly OutboxEntry[] {
  return entries.toSorted((one, other) => one.sequence - other.sequence);
}
