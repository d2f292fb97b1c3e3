import type { Refusal } from '../protocol/refusal.ts';
import { next, type Step } from '../machine/machine.ts';

/**
 * The joins of one socket. The server answers a refused join after 5 s and processes nothing else of the socket
 * meanwhile, so joins that may be refused wait for those that are expected to succeed.
 */
export interface JoinsState {
  /** The topics that wait for a turn, by rank: the lowest is first. */
  readonly waiting: ReadonlyMap<string, number>;
  /** The topics that have a turn. */
  readonly active: ReadonlySet<string>;
  readonly joined: ReadonlySet<string>;
  /** The topics of which the server has refused a join on this socket. */
  readonly refused: ReadonlySet<string>;
  /** Most turns at a time: 1 until the server has accepted a join, and from a refusal on. */
  readonly turns: number;
  /** The turns that the next accepted join allows. */
  readonly laterTurns: number;
  /** Most topics that were joined at a time. */
  readonly mostJoined: number;
  /** As many topics as the server allows, once it has refused a further one. */
  readonly capacity: number;
}

export type JoinsEvent =
  | { readonly kind: 'request'; readonly topic: string; readonly isPrivate: boolean }
  /** `release`: the topic's turn, or its wait for one, is over. `left`: the topic is no longer joined. */
  | { readonly kind: 'release' | 'accepted' | 'left'; readonly topic: string }
  | { readonly kind: 'refused'; readonly topic: string; readonly refusal: Refusal }
  /** The socket was lost: topics request their turns again, and the next socket may have other limits. */
  | { readonly kind: 'lost' };

export interface JoinsEffect {
  readonly do: 'turn';
  readonly topic: string;
}

type JoinsStep = Step<JoinsState, JoinsEffect>;

/** @param parallelJoins most turns at a time while the server refuses none. */
export const initialJoins = (parallelJoins: number): JoinsState => ({
  waiting: new Map(),
  active: new Set(),
  joined: new Set(),
  refused: new Set(),
  turns: 1,
  laterTurns: parallelJoins,
  mostJoined: 0,
  capacity: Infinity,
});

/** How many more topics the server is known to allow. */
export const roomOf = ({ capacity, joined }: JoinsState): number => Math.max(0, capacity - joined.size);

/** @param parallelJoins as for {@link initialJoins}. */
export function stepJoins(state: JoinsState, event: JoinsEvent, parallelJoins: number): JoinsStep {
  switch (event.kind) {
    case 'request': {
      // A private topic may be refused by a policy; a topic that was refused before is likely to be refused again.
      const rank = (event.isPrivate ? 1 : 0) + (state.refused.has(event.topic) ? 2 : 0);
      return grant({ ...state, waiting: new Map(state.waiting).set(event.topic, rank) });
    }
    case 'release': {
      const waiting = new Map(state.waiting);
      const isWaiting = waiting.delete(event.topic);
      return isWaiting || state.active.has(event.topic)
        ? grant({ ...state, waiting, active: without(state.active, event.topic) })
        : next(state);
    }
    case 'accepted': {
      if (state.joined.has(event.topic)) return next(state);
      const joined = new Set(state.joined).add(event.topic);
      const mostJoined = Math.max(state.mostJoined, joined.size);
      const refused = without(state.refused, event.topic);
      return grant({ ...state, joined, refused, mostJoined, turns: state.laterTurns });
    }
    case 'refused':
      return next(refuse(state, event.topic, event.refusal));
    case 'left':
      return state.joined.has(event.topic)
        ? next({ ...state, joined: without(state.joined, event.topic) })
        : next(state);
    case 'lost':
      return next(initialJoins(parallelJoins));
  }
}

function grant(state: JoinsState): JoinsStep {
  const free = Math.max(0, state.turns - state.active.size);
  const turns = [...state.waiting].sort(([, a], [, b]) => a - b).slice(0, free);
  if (turns.length === 0) return next(state);
  const topics = turns.map(([topic]) => topic);
  const waiting = new Map([...state.waiting].filter(([topic]) => !topics.includes(topic)));
  const active = new Set([...state.active, ...topics]);
  return next({ ...state, waiting, active }, ...topics.map((topic) => ({ do: 'turn', topic }) as const));
}

function refuse(state: JoinsState, topic: string, refusal: Refusal): JoinsState {
  // Another token cures a refused one for all topics, so it says nothing about the other joins.
  if (refusal === 'token') return { ...state, turns: 1 };
  const after = { ...state, turns: 1, laterTurns: 1, refused: new Set(state.refused).add(topic) };
  if (refusal !== 'channel-limit') return after;
  // The server may still count a topic that was just left: only the second such refusal is the limit.
  const { size } = state.joined;
  return { ...after, mostJoined: size, capacity: size < state.mostJoined ? state.capacity : size };
}

function without(topics: ReadonlySet<string>, topic: string): ReadonlySet<string> {
  if (!topics.has(topic)) return topics;
  const rest = new Set(topics);
  rest.delete(topic);
  return rest;
}
