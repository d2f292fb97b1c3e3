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

/** Frames of bytes, which only broadcasts use: their entries bring the code for them. */
export interface BinaryFrames {
  /** Encodes a broadcast of bytes. @throws {RangeError} if the version has none, or a name is longer than 255 bytes. */
  encode(message: Message, event: string, payload: Uint8Array, vsn: ProtocolVersion): Uint8Array<ArrayBuffer>;
  /** Parses a broadcast; null for another kind of frame. @throws for a malformed one. */
  parse(frame: ArrayBuffer): Message | null;
}

/** The frames of bytes of one client; null until a feature needs them. */
export interface BinaryFramesSlot {
  frames: BinaryFrames | null;
}

/** Encodes a message; a broadcast of bytes by the client's binary frames. */
export function encodeMessage(
  message: Message,
  vsn: ProtocolVersion,
  binary: BinaryFrames | null = null,
): string | Uint8Array<ArrayBuffer> {
  const { joinRef, ref, topic, event, payload } = message;
  if (binary && isRecord(payload) && payload['payload'] instanceof Uint8Array)
    return binary.encode(message, String(payload['event']), payload['payload'], vsn);
  return JSON.stringify(
    vsn === '1.0.0'
      ? { topic, event, payload, ref, join_ref: joinRef }
      : [joinRef, ref, topic, event, payload],
  );
}

/** Parses a frame; null if it is malformed. Never throws. */
export function parseMessage(frame: unknown, binary: BinaryFrames | null = null): Message | null {
  try {
    if (frame instanceof ArrayBuffer) return binary?.parse(frame) ?? null;
    if (typeof frame !== 'string') return null;
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

function fieldsOf(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  return isRecord(value)
    ? [value['join_ref'], value['ref'], value['topic'], value['event'], value['payload']]
    : [];
}

function parseRef(value: unknown): string | null {
  return typeof value === 'string' || typeof value === 'number' ? `${value}` : null;
}
