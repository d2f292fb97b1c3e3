import type { Refusal } from '../protocol/refusal.ts';
import { initialJoins, roomOf, stepJoins, type JoinsEvent } from './joins-state.ts';

/** Orders the joins of one socket, see `joins-state.ts`. */
export interface JoinQueue {
  /** How many more topics may be joined. */
  readonly room: number;
  /** Whether a topic has a turn, so that the server may be refusing its join. */
  readonly isJoining: boolean;
  /** Calls `onTurn` when the topic may join, possibly at once. The turn lasts until `release`. */
  request(topic: string, isPrivate: boolean, onTurn: () => void): void;
  /** Ends the topic's turn or its wait for one. */
  release(topic: string): void;
  /** The server accepted the join: more joins at a time may follow. */
  accepted(topic: string): void;
  /** The server refused a join: back to one at a time. */
  refused(topic: string, refusal: Refusal): void;
  /** The topic is no longer joined. */
  left(topic: string): void;
  /** The socket was lost. */
  reset(): void;
}

/** @param parallelJoins most turns at a time while the server refuses none. */
export function createJoinQueue(parallelJoins: number): JoinQueue {
  let state = initialJoins(parallelJoins);
  const turns = new Map<string, () => void>();
  const send = (event: JoinsEvent) => {
    const step = stepJoins(state, event, parallelJoins);
    state = step.state;
    for (const { topic } of step.effects) turns.get(topic)?.();
  };
  return {
    get room() {
      return roomOf(state);
    },
    get isJoining() {
      return state.active.size > 0;
    },
    request(topic, isPrivate, onTurn) {
      turns.set(topic, onTurn);
      send({ kind: 'request', topic, isPrivate });
    },
    release: (topic) => send({ kind: 'release', topic }),
    accepted: (topic) => send({ kind: 'accepted', topic }),
    refused: (topic, refusal) => send({ kind: 'refused', topic, refusal }),
    left: (topic) => send({ kind: 'left', topic }),
    reset: () => send({ kind: 'lost' }),
  };
}
