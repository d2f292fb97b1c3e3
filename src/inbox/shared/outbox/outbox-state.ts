/** An action of the user without a response so far. */
export interface PendingAction {
  readonly id: string;
  readonly userId: string;
  /** The feature that sends it. */
  readonly topic: string;
  readonly payload: unknown;
  /** What the action changes, such as the ids of rows; null: any row of its topic. */
  readonly keys: readonly string[] | null;
  /** Epoch milliseconds. */
  readonly addedAtMs: number;
  /** Greater than that of each action that its tab knew; with the id it orders the actions of all tabs. */
  readonly order: number;
  /** The tab that sends it, by the name of a lock that the tab holds. */
  readonly senderId: string;
  /** Whether it is kept back for an undo. */
  readonly isUndoable: boolean;
}

/** How an action ended. */
export interface OutboxOutcome<Response = unknown> {
  readonly type: /** The server applied it. */
    | 'sent'
    /** Another device has changed rows since; the action was not applied to them. */
    | 'changed'
    /** Rows no longer exist. */
    | 'deleted'
    /** The server refused it permanently. */
    | 'refused'
    /** It was undone or discarded before it was sent. */
    | 'undone';
  /** The server's response; undefined in other tabs, and without one. */
  readonly response?: Response;
}

/** The outbox as one tab knows it: the actions of all tabs, of which each tab sends its own. */
export interface OutboxState {
  /** The actions in the order in which they are sent. */
  readonly pending: readonly PendingAction[];
  readonly senderId: string;
  readonly isOnline: boolean;
  /** Topics whose feature is loaded. */
  readonly topics: ReadonlySet<string>;
  /** Actions whose request is in flight. */
  readonly sendingIds: ReadonlySet<string>;
  /** Actions that this tab has sent at least once: the server may have them. */
  readonly attemptedIds: ReadonlySet<string>;
  readonly failures: number;
  /** Monotonic time in milliseconds of the next attempt after a failure. */
  readonly retryAtMs: number;
  /** Whether actions had to wait for the connection or the server, and not all of them are sent yet. */
  readonly isDelayed: boolean;
}

export type OutboxEvent =
  /** Actions of this tab, of another one, or of an earlier visit. */
  | { readonly type: 'added'; readonly actions: readonly PendingAction[] }
  /** The tab `from` is closed: another one sends those of its actions that were stored. */
  | { readonly type: 'adopted'; readonly from: string; readonly actions: readonly PendingAction[] }
  /** This tab sends with another id from now on. It has no pending actions. */
  | { readonly type: 'sender'; readonly senderId: string }
  /** The time to undo has passed; null: for every action of this tab. */
  | { readonly type: 'released'; readonly id: string | null }
  /** Completed, undone or discarded. */
  | { readonly type: 'removed'; readonly ids: readonly string[] }
  | { readonly type: 'connection'; readonly isOnline: boolean }
  | { readonly type: 'topic'; readonly topic: string }
  | { readonly type: 'sending'; readonly id: string }
  /** The request failed and may succeed after `delayMs` milliseconds. */
  | { readonly type: 'failed'; readonly id: string; readonly nowMs: number; readonly delayMs: number };

/** Maximum number of requests of one tab at the same time, while nothing is delayed. */
export const maxRequests = 6;

const noFailure = { failures: 0, retryAtMs: 0 } as const;

export function initialState(isOnline: boolean): OutboxState {
  const none: ReadonlySet<string> = new Set();
  return {
    pending: [],
    senderId: '',
    isOnline,
    topics: none,
    sendingIds: none,
    attemptedIds: none,
    ...noFailure,
    isDelayed: false,
  };
}

/** Pure. Unknown ids change nothing. */
export function step(state: OutboxState, event: OutboxEvent): OutboxState {
  const next = reduce(state, event);
  if (next === state) return state;
  const isStuck = state.isDelayed || !next.isOnline || next.failures > 0;
  return { ...next, isDelayed: isStuck && next.pending.some(({ isUndoable }) => !isUndoable) };
}

function reduce(state: OutboxState, event: OutboxEvent): OutboxState {
  switch (event.type) {
    case 'added':
      return add(state, event.actions);
    case 'adopted': {
      const ids = state.pending.filter(({ senderId }) => senderId === event.from).map(({ id }) => id);
      return add(remove(state, ids), event.actions);
    }
    case 'sender':
      return { ...state, senderId: event.senderId };
    case 'released':
      return release(state, (action) =>
        event.id === null ? action.senderId === state.senderId : action.id === event.id,
      );
    case 'removed':
      return remove(state, event.ids);
    case 'connection':
      // A new connection is tried at once.
      return { ...state, isOnline: event.isOnline, ...noFailure };
    case 'topic':
      return { ...state, topics: new Set([...state.topics, event.topic]) };
    case 'sending':
      return {
        ...state,
        sendingIds: new Set([...state.sendingIds, event.id]),
        attemptedIds: new Set([...state.attemptedIds, event.id]),
      };
    case 'failed':
      return fail(state, event);
  }
}

/** A new action ends the undo of earlier ones that it depends on. */
function add(state: OutboxState, actions: readonly PendingAction[]): OutboxState {
  const known = new Set(state.pending.map(({ id }) => id));
  const added = actions.filter(({ id }) => !known.has(id));
  if (added.length === 0) return state;
  const pending = [...state.pending, ...added].toSorted(compareOrder);
  return release({ ...state, pending }, (action) =>
    added.some((later) => compareOrder(action, later) < 0 && doConflict(action, later)),
  );
}

function remove(state: OutboxState, ids: readonly string[]): OutboxState {
  const removed = new Set(ids);
  const pending = state.pending.filter(({ id }) => !removed.has(id));
  if (pending.length === state.pending.length) return state;
  const without = (all: ReadonlySet<string>) => new Set([...all].filter((id) => !removed.has(id)));
  return {
    ...state,
    pending,
    sendingIds: without(state.sendingIds),
    attemptedIds: without(state.attemptedIds),
    ...noFailure,
  };
}

function release(state: OutboxState, isMeant: (action: PendingAction) => boolean): OutboxState {
  if (!state.pending.some((action) => action.isUndoable && isMeant(action))) return state;
  return {
    ...state,
    pending: state.pending.map((action) =>
      action.isUndoable && isMeant(action) ? { ...action, isUndoable: false } : action,
    ),
  };
}

/** Requests that were in flight together count as one failure. */
function fail(state: OutboxState, event: Extract<OutboxEvent, { type: 'failed' }>): OutboxState {
  if (!state.sendingIds.has(event.id)) return state;
  const sendingIds = new Set([...state.sendingIds].filter((id) => id !== event.id));
  return state.retryAtMs > event.nowMs
    ? { ...state, sendingIds }
    : { ...state, sendingIds, failures: state.failures + 1, retryAtMs: event.nowMs + event.delayMs };
}

/**
 * The actions to send now: those of this tab that no earlier action conflicts with, several at a time. While actions are delayed
 * they are sent one after another, so that a failure delays those after it.
 */
export function selectDue(state: OutboxState, nowMs: number): readonly PendingAction[] {
  if (!state.isOnline || state.retryAtMs > nowMs) return [];
  const free = (state.isDelayed ? 1 : maxRequests) - state.sendingIds.size;
  const due: PendingAction[] = [];
  const earlier = createConflictIndex();
  for (const action of state.pending) {
    if (due.length >= free) break;
    const isFree =
      action.senderId === state.senderId &&
      !action.isUndoable &&
      !state.sendingIds.has(action.id) &&
      state.topics.has(action.topic);
    if (isFree && !earlier.conflictsWith(action)) due.push(action);
    earlier.add(action);
  }
  return due;
}

/** The actions that wait for a connection or the server; actions in flight, or with an undo, are not included. */
export function selectDelayed(state: OutboxState): readonly PendingAction[] {
  if (!state.isOnline) return state.pending;
  return state.isDelayed ? state.pending.filter(({ isUndoable }) => !isUndoable) : [];
}

/** Whether removing the action undoes it: the server cannot have it, and no later one assumes it. */
export function canUndo(state: OutboxState, id: string): boolean {
  const at = state.pending.findIndex((action) => action.id === id);
  const action = state.pending[at];
  return (
    action !== undefined &&
    action.senderId === state.senderId &&
    !state.attemptedIds.has(id) &&
    !state.pending.slice(at + 1).some((later) => doConflict(action, later))
  );
}

/** Adds the later actions that depend on the given ones, because they are on the same rows. */
export function withDependents(
  pending: readonly PendingAction[],
  ids: readonly string[],
): readonly PendingAction[] {
  const keys = new Set<string>();
  return pending.filter((action) => {
    const own = (action.keys ?? []).map((key) => `${action.topic} ${key}`);
    const isMeant = ids.includes(action.id) || own.some((key) => keys.has(key));
    if (isMeant) for (const key of own) keys.add(key);
    return isMeant;
  });
}

/** Whether the two actions must reach the server in their order. */
function doConflict(one: PendingAction, other: PendingAction): boolean {
  const index = createConflictIndex();
  index.add(one);
  return index.conflictsWith(other);
}

/** The topics and keys of actions, for many comparisons in linear time. */
function createConflictIndex() {
  const topics = new Map<string, { isWhole: boolean; readonly keys: Set<string> }>();
  return {
    add({ topic, keys }: PendingAction): void {
      const known = topics.get(topic) ?? { isWhole: false, keys: new Set() };
      topics.set(topic, known);
      if (keys === null) known.isWhole = true;
      else for (const key of keys) known.keys.add(key);
    },
    conflictsWith({ topic, keys }: PendingAction): boolean {
      const known = topics.get(topic);
      if (!known) return false;
      return known.isWhole || keys === null || keys.some((key) => known.keys.has(key));
    },
  };
}

function compareOrder(one: PendingAction, other: PendingAction): number {
  return one.order - other.order || (one.id < other.id ? -1 : Number(one.id > other.id));
}
