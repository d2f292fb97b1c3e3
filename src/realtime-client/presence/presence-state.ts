import { isRecord } from '../json.ts';

/** The entries of one key by `phx_ref`, the server's unique id of an entry. */
export type PresenceRefs = ReadonlyMap<string, Readonly<Record<string, unknown>>>;

/**
 * The present keys, merged from full states and diffs by `phx_ref` (a CRDT: applying a message twice changes nothing).
 * Immutable.
 */
export interface PresenceState {
  readonly keys: ReadonlyMap<string, PresenceRefs>;
  /** Whether the full state of the current join has arrived. */
  readonly isSynced: boolean;
  /** Diffs that arrived before the full state. */
  readonly pending: readonly PresenceDiff[];
  /**
   * Keys that were present before a rejoin and are missing after it, with the monotonic time (ms) at which they count as
   * gone. When the server restarts, all clients join again, one after another.
   */
  readonly departing: ReadonlyMap<string, number>;
}

interface PresenceDiff {
  readonly joins: ReadonlyMap<string, PresenceRefs>;
  readonly leaves: ReadonlyMap<string, PresenceRefs>;
}

export type PresenceEvent =
  /** The channel is no longer joined. */
  | { readonly type: 'interrupted' }
  /** The user changed, or the channel was left. */
  | { readonly type: 'reset' }
  /** A message of the server. */
  | { readonly type: 'presence_state' | 'presence_diff'; readonly payload: unknown }
  | { readonly type: 'timer' };

/** The next state, and the keys that appeared and disappeared. */
export interface PresenceStep {
  readonly state: PresenceState;
  readonly joined: readonly string[];
  readonly left: readonly string[];
}

/** Maximum number of diffs that are kept before a full state, which contains the others. */
const maxPending = 1_000;

export const initialPresence: PresenceState = {
  keys: new Map(),
  isSynced: false,
  pending: [],
  departing: new Map(),
};

/** @param graceMs how long a key that is missing after a rejoin still counts as present. */
export function stepPresence(
  state: PresenceState,
  event: PresenceEvent,
  nowMs: number,
  graceMs: number,
): PresenceStep {
  const after = { ...state, ...changeOf(state, event, nowMs, graceMs) };
  const missingIn = (one: PresenceState, other: PresenceState) =>
    [...other.keys.keys()].filter((key) => !one.keys.has(key));
  return { state: after, joined: missingIn(state, after), left: missingIn(after, state) };
}

function changeOf(
  { keys: before, departing: leaving, isSynced, pending }: PresenceState,
  event: PresenceEvent,
  nowMs: number,
  graceMs: number,
): Partial<PresenceState> {
  const departing = new Map(leaving);
  switch (event.type) {
    case 'interrupted':
      return { isSynced: false, pending: [] };
    case 'reset':
      return initialPresence;
    case 'presence_state': {
      const keys = pending.reduce(applyDiff, parseKeys(event.payload));
      departing.clear();
      for (const [key, refs] of before) {
        if (keys.has(key)) continue;
        keys.set(key, refs);
        departing.set(key, leaving.get(key) ?? nowMs + graceMs);
      }
      return { keys, departing, isSynced: true, pending: [] };
    }
    case 'presence_diff': {
      const diff = parseDiff(event.payload);
      if (!isSynced) return { pending: [...pending, diff].slice(-maxPending) };
      const keys = applyDiff(before, diff);
      // A key that returns is not departing; its old entries are superseded.
      for (const [key, refs] of diff.joins) if (departing.delete(key)) keys.set(key, refs);
      return { keys, departing };
    }
    case 'timer': {
      const keys = new Map(before);
      for (const [key, atMs] of leaving) if (atMs <= nowMs && departing.delete(key)) keys.delete(key);
      return { keys, departing };
    }
  }
}

/** Adds the joins first: an update of an entry leaves the old ref and joins the new one in the same diff. */
function applyDiff(
  before: ReadonlyMap<string, PresenceRefs>,
  { joins, leaves }: PresenceDiff,
): Map<string, PresenceRefs> {
  const keys = new Map(before);
  for (const [key, refs] of joins) keys.set(key, new Map([...(keys.get(key) ?? []), ...refs]));
  for (const [key, refs] of leaves) {
    const remaining = new Map([...(keys.get(key) ?? [])].filter(([ref]) => !refs.has(ref)));
    if (remaining.size > 0) keys.set(key, remaining);
    else keys.delete(key);
  }
  return keys;
}

function parseDiff(payload: unknown): PresenceDiff {
  const { joins, leaves } = isRecord(payload) ? payload : {};
  return { joins: parseKeys(joins), leaves: parseKeys(leaves) };
}

function parseKeys(value: unknown): Map<string, PresenceRefs> {
  const entries = isRecord(value) ? Object.entries(value) : [];
  return new Map(entries.map(([key, presence]) => [key, parseRefs(presence)]));
}

function parseRefs(presence: unknown): PresenceRefs {
  const metas: readonly unknown[] =
    isRecord(presence) && Array.isArray(presence['metas']) ? presence['metas'] : [];
  return new Map(
    metas.filter(isRecord).map((meta) => {
      const { phx_ref: ref, phx_ref_prev: _previous, ...payload } = meta;
      return [String(ref), payload];
    }),
  );
}

/** The state in the form of the server's `presence_state`. */
export function encodePresence({ keys }: PresenceState): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Array.from(keys, ([key, refs]) => [
      key,
      { metas: Array.from(refs, ([ref, payload]) => Object.assign({ phx_ref: ref }, payload)) },
    ]),
  );
}
