import type { Refusal } from '../protocol/refusal.ts';

/**
 * What is known about the joins of one socket. The server replies to a refused join after 5 s and processes nothing
 * else of the socket meanwhile, so joins that may be refused wait for those that are expected to succeed.
 */
export interface JoinsState {
  /** The topics of which the server has refused a join on this socket, and accepted none since. */
  readonly refused: ReadonlySet<string>;
  /** Maximum number of concurrent joins: 1 until the server has accepted one, and after a refusal. */
  readonly turns: number;
  /** The turns that the next accepted join allows. */
  readonly laterTurns: number;
  /** The highest number of topics that were joined at once. */
  readonly maxJoined: number;
  /** The maximum number of topics, once the server has refused a further one. */
  readonly capacity: number;
}

/** `joined`: how many topics are joined, an accepted one included. */
export type JoinsEvent = { readonly topic: string; readonly joined: number } & (
  | { readonly type: 'accepted' }
  | { readonly type: 'refused'; readonly refusal: Refusal }
);

/** A topic that waits for its turn (`queued`), has it, or is joined. */
export interface JoiningTopic {
  readonly topic: string;
  readonly isPrivate: boolean;
  readonly state: {
    readonly type: string;
    /** Failed joins in a row. */
    readonly attempt: number;
  };
}

/** @param parallelJoins maximum number of concurrent joins while the server refuses none. */
export const initialJoins = (parallelJoins: number): JoinsState => ({
  refused: new Set(),
  turns: 1,
  laterTurns: parallelJoins,
  maxJoined: 0,
  capacity: Infinity,
});

export function stepJoins(state: JoinsState, event: JoinsEvent): JoinsState {
  const { topic, joined } = event;
  const refused = new Set(state.refused);
  if (event.type === 'accepted') {
    refused.delete(topic);
    return { ...state, refused, maxJoined: Math.max(state.maxJoined, joined), turns: state.laterTurns };
  }
  // A renewed token serves every topic, so this refusal does not affect other joins.
  if (event.refusal === 'token') return { ...state, turns: 1 };
  const after = { ...state, turns: 1, laterTurns: 1, refused: refused.add(topic) };
  if (event.refusal !== 'channel-limit') return after;
  // The server may still count a topic that was just left: only the second such refusal is the limit.
  return { ...after, maxJoined: joined, capacity: joined < state.maxJoined ? state.capacity : joined };
}

export function hasTurn({ state: { type } }: JoiningTopic): boolean {
  return type === 'authorizing' || type === 'joining';
}

/**
 * The queued topics that may join now: public ones first, because policies refuse private ones only, last those that were
 * refused before; among these the one with the fewest failures.
 */
export function nextTurns<Topic extends JoiningTopic>(
  { refused, turns }: JoinsState,
  topics: readonly Topic[],
): readonly Topic[] {
  const rankOf = ({ topic, isPrivate }: Topic) => (isPrivate ? 1 : 0) + (refused.has(topic) ? 2 : 0);
  return topics
    .filter(({ state }) => state.type === 'queued')
    .sort((a, b) => rankOf(a) - rankOf(b) || a.state.attempt - b.state.attempt)
    .slice(0, Math.max(0, turns - topics.filter(hasTurn).length));
}
