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
  /** The entry whose request failed last; null: none, or it was removed. */
  readonly failedId: string | null;
  /** Failures in a row of that entry. */
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
  return { entries: [], isOnline, isSender: false, sendingId: null, ...noFailure };
}

/** Pure; events with unknown ids change nothing. */
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
      // Clear the failure, so that a new connection is tried at once.
      return { ...state, isOnline: event.isOnline, ...noFailure };
    case 'lock':
      return { ...state, isSender: event.isSender, sendingId: null };
    case 'sending':
      return { ...state, sendingId: event.id };
    case 'failed':
      return state.sendingId === event.id
        ? {
            ...state,
            sendingId: null,
            failedId: event.id,
            failures: state.failures + 1,
            retryAtMs: event.retryAtMs,
          }
        : state;
  }
}

/**
 * Sends in order: an entry that has failed blocks those after it. A held entry blocks none: a later change that depends on it
 * releases it first.
 */
export function nextCommand(state: OutboxState, nowMs: number): OutboxCommand {
  const { entries, retryAtMs } = state;
  if (!state.isOnline || !state.isSender || state.sendingId !== null || entries.length === 0)
    return { type: 'idle' };
  const due = entries.find((entry) => !isHeld(entry, nowMs));
  if (!due) return { type: 'wait', untilMs: Math.min(...entries.map(({ heldUntilMs }) => heldUntilMs)) };
  return isAhead(retryAtMs, nowMs) ? { type: 'wait', untilMs: retryAtMs } : { type: 'send', entry: due };
}

/** Whether the entry can still be undone: it is not sent yet. */
export function isHeld({ heldUntilMs }: OutboxEntry, nowMs: number): boolean {
  return isAhead(heldUntilMs, nowMs);
}

/** More than any delay: an undo takes a minute, a retry a minute and a half. */
const longestDelayMs = 120_000;

/**
 * Whether the time lies in the future. A time further ahead than any delay counts as past: the device's clock was set back.
 */
function isAhead(timeMs: number, nowMs: number): boolean {
  return timeMs > nowMs && timeMs - nowMs <= longestDelayMs;
}

const noFailure = { failedId: null, failures: 0, retryAtMs: 0 } as const;

function withEntries(state: OutboxState, entries: readonly OutboxEntry[]): OutboxState {
  const has = (id: string | null) => entries.some((entry) => entry.id === id);
  return {
    ...state,
    entries,
    sendingId: has(state.sendingId) ? state.sendingId : null,
    ...(has(state.failedId) ? {} : noFailure),
  };
}

function sorted(entries: readonly OutboxEntry[]): readonly OutboxEntry[] {
  return entries.toSorted((one, other) => one.sequence - other.sequence);
}
