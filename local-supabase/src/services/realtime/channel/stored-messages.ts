import type { Database } from '../../../database/database.ts';
import { isDatabaseError } from '../../../database/database-error.ts';
import type { Timers } from '../timers.ts';

/** How long a broadcast is kept for replay, in seconds; null: as long as the service keeps any broadcast. */
export type Persistence = { readonly ttlSeconds: number | null };

export interface StorableMessage {
  readonly topic: string;
  readonly event: string;
  /** JSON text, or bytes. */
  readonly payload: string | Uint8Array;
}

/** Stores broadcasts of clients for replay. */
export interface StoredMessages {
  /**
   * Stores a broadcast of a private topic and returns its id, or null if PostgreSQL cannot store it. The replication does
   * not send it again.
   */
  store(message: StorableMessage, persistence: Persistence): Promise<string | null>;
  /** Whether a row of the replication was stored here and therefore already sent; true only once per row. */
  isSent(id: string): boolean;
}

/** Parses `persist` and the time to live from JSON or URL parameters; null if the message is not to be stored. */
export function parsePersistence(persist: unknown, ttl: unknown): Persistence | null {
  const seconds = Number(ttl);
  if (ttl !== undefined && ttl !== null && Number.isInteger(seconds) && seconds > 0)
    return { ttlSeconds: seconds };
  return persist === true || persist === 'true' || (typeof persist === 'object' && persist !== null)
    ? { ttlSeconds: null }
    : null;
}

/** The maximum time until the replication has read a row. */
const FORGET_MS = 60_000;

export function createStoredMessages(database: Database, timers: Timers): StoredMessages {
  const sent = new Set<string>();
  return {
    async store({ topic, event, payload }, { ttlSeconds }) {
      const id = crypto.randomUUID();
      sent.add(id);
      timers.after(FORGET_MS, () => sent.delete(id));
      const isText = typeof payload === 'string';
      try {
        await database.query(
          `insert into realtime.messages (id, topic, event, payload, binary_payload, private, extension, expires_at)
           values ($1, $2, $3, $4::jsonb, $5, true, 'broadcast',
             (now() at time zone 'utc') + make_interval(secs => $6::int))`,
          [id, topic, event, isText ? payload : null, isText ? null : payload, ttlSeconds],
        );
      } catch (problem) {
        sent.delete(id);
        // A data exception: a NUL character, half of a surrogate pair, a lifetime beyond an integer.
        if (isDatabaseError(problem) && problem.code.startsWith('22')) return null;
        throw problem;
      }
      return id;
    },
    isSent: (id) => sent.delete(id),
  };
}
