import { hasLongDigits, isRecord, parseWithExactIntegers, withExactColumns } from '../json.ts';
import { serviceUrl } from '../../platform/service.ts';

/** The supported protocol versions. Frames of 1.0.0 do not name the join that they belong to. */
export type ProtocolVersion = '1.0.0' | '2.0.0';

/** A Phoenix message. */
export interface Message {
  /** The ref of the join that the message belongs to. */
  readonly joinRef: string | null;
  readonly ref: string | null;
  readonly topic: string;
  readonly event: string;
  readonly payload: unknown;
}

/** The websocket's URL. It carries the public key, because a browser cannot set headers on a websocket. */
export function encodeSocketUrl(
  projectUrl: string,
  apiKey: string,
  vsn: ProtocolVersion,
  params: Readonly<Record<string, string>> = {},
): string {
  const url = new URL(`${serviceUrl(projectUrl, 'realtime')}/websocket`);
  url.protocol = url.protocol.replace('http', 'ws');
  url.search = `${new URLSearchParams({ ...params, apikey: apiKey, vsn })}`;
  return url.href;
}

export function encodeMessage(message: Message, vsn: ProtocolVersion): string | Uint8Array<ArrayBuffer> {
  const { joinRef, ref, topic, event, payload } = message;
  if (isRecord(payload) && payload['payload'] instanceof Uint8Array)
    return encodeBinary(message, String(payload['event']), payload['payload'], vsn);
  return JSON.stringify(
    vsn === '1.0.0'
      ? { topic, event, payload, ref, join_ref: joinRef }
      : [joinRef, ref, topic, event, payload],
  );
}

/**
 * A broadcast of bytes, kind 3: the lengths of join ref, ref, topic, event and metadata, the encoding (0: bytes), then
 * these strings and the payload.
 *
 * @throws {RangeError} if the version has no binary frames, or a name is longer than 255 bytes.
 */
function encodeBinary(
  { joinRef, ref, topic }: Message,
  event: string,
  payload: Uint8Array,
  vsn: ProtocolVersion,
): Uint8Array<ArrayBuffer> {
  const names = [joinRef ?? '', ref ?? '', topic, event].map((name) => new TextEncoder().encode(name));
  if (vsn === '1.0.0') throw new RangeError('Protocol version 1.0.0 has no binary frames');
  if (names.some(({ length }) => length > 255)) throw new RangeError('The topic or event is too long');
  const head = [3, ...names.map(({ length }) => length), 0, 0, ...names.flatMap((name) => Array.from(name))];
  const frame = new Uint8Array(head.length + payload.length);
  frame.set(head);
  frame.set(payload, head.length);
  return frame;
}

/** Parses a frame; null if it is malformed. Never throws. */
export function parseMessage(frame: unknown): Message | null {
  try {
    if (typeof frame !== 'string') return frame instanceof ArrayBuffer ? parseBroadcast(frame) : null;
    const [joinRef, ref, topic, event, payload] = fieldsOf(JSON.parse(frame));
    if (typeof topic !== 'string' || typeof event !== 'string') return null;
    const message = { joinRef: parseRef(joinRef), ref: parseRef(ref), topic, event, payload };
    if (event !== 'postgres_changes' || !isRecord(payload) || !hasLongDigits(frame)) return message;
    const exact = fieldsOf(parseWithExactIntegers(frame))[4];
    const data = withExactColumns(payload['data'], isRecord(exact) ? exact['data'] : null);
    return { ...message, payload: { ...payload, data } };
  } catch {
    return null;
  }
}

/** Most digits of an int8. */
const int8Digits = 19;

function fieldsOf(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  return isRecord(value)
    ? [value['join_ref'], value['ref'], value['topic'], value['event'], value['payload']]
    : [];
}

function parseRef(value: unknown): string | null {
  return typeof value === 'string' || typeof value === 'number' ? `${value}` : null;
}

/** A broadcast from the database has an id and may contain int8 values; one of a client has JavaScript's numbers. */
function parsePayload(text: string, isFromDatabase: boolean): unknown {
  return isFromDatabase && hasLongDigits(text) ? parseWithExactIntegers(text, int8Digits) : JSON.parse(text);
}

/** Kind 4: three lengths and an encoding, then topic, event, metadata and payload (a broadcast of a user). */
function parseBroadcast(frame: ArrayBuffer): Message | null {
  const [kind, topicSize = 0, eventSize = 0, metaSize = 0, encoding] = new Uint8Array(frame);
  if (kind !== 4) return null;
  let at = 5;
  const take = (size?: number) => {
    const bytes = new Uint8Array(frame, at, size);
    at += bytes.length;
    return bytes;
  };
  const text = (size?: number) => new TextDecoder('utf-8', { fatal: true }).decode(take(size));
  const topic = text(topicSize);
  const event = text(eventSize);
  const meta: unknown = metaSize ? JSON.parse(text(metaSize)) : {};
  const payload: unknown =
    encoding === 1 ? parsePayload(text(), isRecord(meta) && 'id' in meta) : take().slice();
  return {
    joinRef: null,
    ref: null,
    topic,
    event: 'broadcast',
    payload: { type: 'broadcast', event, meta, payload },
  };
}
