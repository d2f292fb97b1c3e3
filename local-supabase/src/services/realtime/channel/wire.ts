import { concatBytes } from '@noble/hashes/utils.js';
import { decodeUtf8, encodeUtf8 } from '../../../platform/bytes.ts';
import { isRecord } from '../subscription/term.ts';
import { parsePersistence, type Persistence } from './stored-messages.ts';

/** The versions of the frame format: 1.0.0 has objects, 2.0.0 arrays and binary broadcasts. */
export type WireVersion = '1.0.0' | '2.0.0';

export type Ref = string | number | null;

export interface UserBroadcast {
  readonly event: string;
  readonly encoding: 'json' | 'binary';
  readonly data: Uint8Array;
  /** The id of the message in `realtime.messages`. */
  readonly id?: string;
  readonly isReplayed?: boolean;
  /** The metadata of a client's frame, parsed from JSON. */
  readonly metadata?: unknown;
}

/** A frame from a client. A binary broadcast has `broadcast` instead of a payload. */
export interface InboundFrame {
  readonly joinRef: Ref;
  readonly ref: Ref;
  /** Any JSON value; only a string can name a channel. */
  readonly topic: unknown;
  readonly event: string;
  /** Any JSON value, or the bytes of a binary push; only an object is valid in most events. */
  readonly payload: unknown;
  readonly broadcast?: UserBroadcast;
}

/** A frame to a client. The payload is JSON text, so that no number loses digits. */
export interface OutboundFrame {
  readonly joinRef?: Ref;
  readonly ref?: Ref;
  readonly topic: unknown;
  readonly event: string;
  readonly payload: string;
}

const PUSH = 0;
const BROADCAST = 2;
const USER_BROADCAST_PUSH = 3;
const USER_BROADCAST = 4;

/** Parses the version of a handshake: any patch of 1.0 and 2.0; null for another version. */
export function parseVersion(requested: string | null): WireVersion | null {
  if (requested === null) return '1.0.0';
  const [, major] = /^([12])\.0\.\d+$/.exec(requested) ?? [];
  return major === undefined ? null : major === '1' ? '1.0.0' : '2.0.0';
}

/** Parses a text frame; null for invalid text. */
export function parseTextFrame(version: WireVersion, text: string): InboundFrame | null {
  const value = parseJson(text);
  if (version === '2.0.0') {
    if (!Array.isArray(value) || value.length < 5) return null;
    const [joinRef, ref, topic, event, payload] = value as unknown[];
    return frameOf(joinRef, ref, topic, event, payload);
  }
  if (!isRecord(value)) return null;
  const { topic, event, payload, ref } = value;
  if (topic === undefined || payload === undefined || ref === undefined) return null;
  return frameOf(value['join_ref'], ref, topic, event, payload);
}

/** Parses a binary frame of kind 0 or 3; null for other frames, and in version 1.0.0. */
export function parseBinaryFrame(version: WireVersion, bytes: Uint8Array): InboundFrame | null {
  if (version === '1.0.0') return null;
  if (bytes[0] === PUSH) {
    const { texts, data } = readTexts(bytes, 5, bytes.subarray(1, 5));
    const [joinRef = '', ref = '', topic = '', event = ''] = texts;
    return data && { joinRef, ref, topic, event, payload: data };
  }
  if (bytes[0] !== USER_BROADCAST_PUSH) return null;
  const { texts, data } = readTexts(bytes, 7, bytes.subarray(1, 6));
  const [joinRef = '', ref = '', topic = '', event = '', metadata = ''] = texts;
  const encoding = bytes[6] === 0 ? 'binary' : 'json';
  return (
    data && {
      joinRef,
      ref,
      topic,
      event: 'broadcast',
      payload: {},
      broadcast: { event, encoding, data, metadata: metadata === '' ? {} : parseJson(metadata) },
    }
  );
}

/** Reads texts of these sizes and the data after them, which is null in a frame that is cut off. */
function readTexts(bytes: Uint8Array, start: number, sizes: Uint8Array) {
  let offset = start;
  const texts = Array.from(sizes, (size) => decodeUtf8(bytes.subarray(offset, (offset += size))));
  return { texts, data: offset > bytes.length ? null : bytes.subarray(offset) };
}

/** Parses how long the client's metadata asks to keep a broadcast. */
export function persistenceOf({ metadata }: UserBroadcast): Persistence | null {
  const persist = isRecord(metadata) ? metadata['persist'] : undefined;
  return parsePersistence(persist, isRecord(persist) ? persist['ttl'] : undefined);
}

export function encodeFrame(version: WireVersion, frame: OutboundFrame): string {
  const { joinRef = null, ref = null, topic, event, payload } = frame;
  const [topicText, eventText, refText] = [topic, event, ref].map((part) => JSON.stringify(part));
  return version === '2.0.0'
    ? `[${JSON.stringify(joinRef)},${refText},${topicText},${eventText},${payload}]`
    : `{"ref":${refText},"topic":${topicText},"event":${eventText},"payload":${payload}}`;
}

/**
 * Encodes the frame of a user's broadcast (kind 4, or text in version 1.0.0) or of bytes (kind 2); null if it cannot be
 * encoded.
 */
export function encodeUserBroadcast(
  version: WireVersion,
  topic: string,
  broadcast: UserBroadcast | Uint8Array,
): Uint8Array | string | null {
  if (broadcast instanceof Uint8Array)
    return version === '2.0.0' ? encodeBinary(BROADCAST, [topic, 'broadcast'], [], broadcast) : null;
  if (version === '2.0.0') return encodeBinaryBroadcast(topic, broadcast);
  const text = decodeUtf8(broadcast.data);
  // The text is embedded in the frame: text that is not JSON could end the frame and forge another.
  if (broadcast.encoding === 'binary' || parseJson(text) === undefined) return null;
  const meta = broadcast.id === undefined ? '' : `,"meta":${encodeMetadata(broadcast.id)}`;
  const payload = `{"type":"broadcast","event":${JSON.stringify(broadcast.event)},"payload":${text}${meta}}`;
  return encodeFrame(version, { topic, event: 'broadcast', payload });
}

export const encodeMetadata = (id: string, isReplayed = false): string =>
  JSON.stringify(isReplayed ? { id, replayed: true } : { id });

function encodeBinaryBroadcast(
  topic: string,
  { event, encoding, data, id, isReplayed }: UserBroadcast,
): Uint8Array | null {
  const metadata = id === undefined ? '' : encodeMetadata(id, isReplayed);
  return encodeBinary(USER_BROADCAST, [topic, event, metadata], [encoding === 'json' ? 1 : 0], data);
}

/** Encodes a kind, the lengths of texts, flags, the texts and data; null for a text whose length takes more than a byte. */
function encodeBinary(
  kind: number,
  texts: readonly string[],
  flags: readonly number[],
  data: Uint8Array,
): Uint8Array | null {
  const parts = texts.map((part) => encodeUtf8(part));
  if (parts.some(({ length }) => length > 255)) return null;
  const head = [kind, ...parts.map(({ length }) => length), ...flags];
  return concatBytes(Uint8Array.from(head), ...parts, data);
}

function frameOf(joinRef: unknown, ref: unknown, topic: unknown, event: unknown, payload: unknown) {
  if (typeof event !== 'string') return null;
  return { joinRef: refOf(joinRef), ref: refOf(ref), topic, event, payload };
}

const refOf = (value: unknown): Ref =>
  typeof value === 'string' || typeof value === 'number' ? value : null;

/** Undefined for invalid JSON. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
