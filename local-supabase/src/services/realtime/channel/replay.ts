import { encodeUtf8 } from '../../../platform/bytes.ts';
import type { Database } from '../../../database/database.ts';
import { encodeMetadata } from './wire.ts';
import type { UserBroadcast } from './wire.ts';
import type { ReplayRequest } from './join-request.ts';

export interface ReplayedMessage {
  readonly id: string;
  readonly event: string | null;
  /** The JSON text of the payload; null for bytes. */
  readonly payload: string | null;
  readonly bytes: Uint8Array | null;
}

const HARD_LIMIT = 25;
/** The valid range of dates in JavaScript and in the real server. */
const MAX_TIME_MS = 8_640_000_000_000_000;

/** The latest broadcasts of a private topic since a time, oldest first; null for invalid parameters. */
export async function loadReplay(
  database: Database,
  topic: string,
  { sinceMs, limit }: ReplayRequest,
): Promise<readonly ReplayedMessage[] | null> {
  if (sinceMs === null || limit === null || Math.abs(sinceMs) > MAX_TIME_MS) return null;
  // The embedded database's clock has milliseconds: `xmin` and `cmin` order messages of the same millisecond, because
  // `ctid` is reused after deletions.
  const rows = await database.query<MessageRow>(
    `select id::text, event, payload::text, binary_payload
     from realtime.messages
     where topic = $1 and private and extension = 'broadcast'
       and inserted_at >= $2::timestamptz at time zone 'utc'
       and inserted_at < (now() at time zone 'utc') + interval '1 minute'
       and (expires_at is null or expires_at > now() at time zone 'utc')
     order by inserted_at desc, xmin::text::bigint desc, cmin::text::bigint desc, ctid desc limit $3`,
    [topic, new Date(sinceMs).toISOString(), Math.max(1, Math.min(limit, HARD_LIMIT))],
  );
  return rows.toReversed().map(replayedMessage);
}

interface MessageRow {
  readonly id: string;
  readonly event: string | null;
  readonly payload: string | null;
  readonly binary_payload: Uint8Array | null;
}

const replayedMessage = ({ id, event, payload, binary_payload }: MessageRow): ReplayedMessage => ({
  id,
  event,
  payload,
  bytes: binary_payload,
});

/** The payload of a replayed JSON broadcast, as JSON text. */
export const replayPayload = ({ id, event, payload }: ReplayedMessage): string =>
  `{"type":"broadcast","event":${JSON.stringify(event)},"payload":${payload},"meta":${encodeMetadata(id, true)}}`;

/** Loads a committed message as a broadcast; null for a message without a payload or an event. */
export async function loadMessage(
  database: Database,
  id: string,
  insertedAt: string,
): Promise<{ topic: string; isPrivate: boolean; broadcast: UserBroadcast & { id: string } } | null> {
  const [row] = await database.query<MessageRow & { topic: string; private: boolean | null }>(
    `select id::text, event, payload::text, binary_payload, topic, private
     from realtime.messages where id = $1::uuid and inserted_at = $2::timestamp`,
    [id, insertedAt],
  );
  if (!row || row.event === null || row.private === null) return null;
  const { event } = row;
  const { bytes, payload } = replayedMessage(row);
  const data = bytes ?? (payload === null ? null : encodeUtf8(payload));
  if (data === null) return null;
  return {
    topic: row.topic,
    isPrivate: row.private,
    broadcast: { event, encoding: bytes ? 'binary' : 'json', data, id: row.id },
  };
}
