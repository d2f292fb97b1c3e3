/**
 * Orders the joins of one socket. The server answers a refused join after about 5 s and processes nothing else of the
 * socket meanwhile, so joins wait for each other instead of timing out behind a refused one.
 */
export interface JoinQueue {
  /** Whether the server refused a further channel while as many were joined as now. */
  readonly isFull: boolean;
  /** Calls `onTurn` when the topic may join, possibly at once. The turn lasts until `release`. */
  request(topic: string, onTurn: () => void): void;
  /** Ends the topic's turn or its wait for one. */
  release(topic: string): void;
  /** The server accepted the join: more joins at a time may follow. */
  accepted(topic: string): void;
  /** The server refused a join: back to one at a time. */
  refused(isChannelLimit: boolean): void;
  /** The topic is no longer joined. */
  left(topic: string): void;
  /** The socket was lost: no topic is joined, and the next socket may have other limits. */
  reset(): void;
}

/** @param parallelJoins most turns at a time once the server accepted a join. */
export function createJoinQueue(parallelJoins: number): JoinQueue {
  const waiting = new Map<string, () => void>();
  const active = new Set<string>();
  const joined = new Set<string>();
  let turns = 1;
  let capacity = Infinity;
  const grant = () => {
    for (const [topic, onTurn] of waiting) {
      if (active.size >= turns) return;
      waiting.delete(topic);
      active.add(topic);
      onTurn();
    }
  };
  return {
    get isFull() {
      return joined.size >= capacity;
    },
    request(topic, onTurn) {
      waiting.set(topic, onTurn);
      grant();
    },
    release(topic) {
      waiting.delete(topic);
      if (active.delete(topic)) grant();
    },
    accepted(topic) {
      joined.add(topic);
      turns = parallelJoins;
      grant();
    },
    refused(isChannelLimit) {
      turns = 1;
      if (isChannelLimit) capacity = joined.size;
    },
    left: (topic) => void joined.delete(topic),
    reset() {
      joined.clear();
      turns = 1;
      capacity = Infinity;
    },
  };
}
