/** The versions of the frame format. 1.0.0 has objects and no join_ref; 2.0.0 has arrays and binary broadcasts. */
export type WireVersion = '1.0.0' | '2.0.0';

export type Ref = string | number | null;

export interface UserBroadcast {
  readonly event: string;
  readonly encoding: 'json' | 'binary';
  readonly data: Buffer;
}

/** A frame from a client. A binary broadcast has `broadcast` instead of a payload. */
export interface InboundFrame {
  readonly joinRef: Ref;
  readonly ref: Ref;
  readonly topic: string;
  readonly event: string;
  readonly payload: Record<string, unknown>;
  readonly broadcast?: UserBroadcast;
}

/** A frame to a client. The payload is JSON text already, so that no number loses digits on the way. */
export interface OutboundFrame {
  readonly joinRef?: Ref;
  readonly ref?: Ref;
  readonly topic: string;
  readonly event: string;
  readonly payload: string;
}

const USER_BROADCAST_PUSH = 3;
const USER_BROADCAST = 4;

/** Reads a text frame; null for what is not one. */
export function parseTextFrame(version: WireVersion, text: string): InboundFrame | null {
  const value = parseJson(text);
  if (version === '2.0.0') {
    if (!Array.isArray(value) || value.length < 5) return null;
    const [joinRef, ref, topic, event, payload] = value as unknown[];
    return frameOf(joinRef, ref, topic, event, payload);
  }
  if (!isRecord(value)) return null;
  const { topic, event, payload, ref } = value;
  const joinRef = value['join_ref'] ?? (event === 'phx_join' ? ref : null);
  return frameOf(joinRef, ref, topic, event, payload);
}

/** Reads a binary frame of kind 3; null for what is not one, and for version 1.0.0, which has none. */
export function parseBinaryFrame(version: WireVersion, bytes: Buffer): InboundFrame | null {
  if (version === '1.0.0' || bytes.length < 7 || bytes[0] !== USER_BROADCAST_PUSH) return null;
  const [, joinRefSize = 0, refSize = 0, topicSize = 0, eventSize = 0, metadataSize = 0, encoding] = bytes;
  let offset = 7;
  const take = (size: number) => bytes.toString('utf8', offset, (offset += size));
  const joinRef = take(joinRefSize);
  const ref = take(refSize);
  const topic = take(topicSize);
  const event = take(eventSize);
  offset += metadataSize;
  if (offset > bytes.length) return null;
  return {
    joinRef: joinRef || null,
    ref: ref || null,
    topic,
    event: 'broadcast',
    payload: {},
    broadcast: { event, encoding: encoding === 0 ? 'binary' : 'json', data: bytes.subarray(offset) },
  };
}

export function encodeFrame(version: WireVersion, frame: OutboundFrame): string {
  const { joinRef = null, ref = null, topic, event, payload } = frame;
  const [topicText, eventText, refText] = [topic, event, ref].map((part) => JSON.stringify(part));
  return version === '2.0.0'
    ? `[${JSON.stringify(joinRef)},${refText},${topicText},${eventText},${payload}]`
    : `{"ref":${refText},"topic":${topicText},"event":${eventText},"payload":${payload}}`;
}

/** A user's broadcast as a receiver of `version` gets it: kind 4, or text, or nothing if it cannot be written so. */
export function encodeUserBroadcast(
  version: WireVersion,
  topic: string,
  broadcast: UserBroadcast,
): Buffer | string | null {
  if (version === '2.0.0') return encodeBinaryBroadcast(topic, broadcast);
  const text = broadcast.data.toString();
  // The sender's text becomes a part of the frame: what is no JSON could end it and begin another.
  if (broadcast.encoding === 'binary' || parseJson(text) === undefined) return null;
  const payload = `{"type":"broadcast","event":${JSON.stringify(broadcast.event)},"payload":${text}}`;
  return encodeFrame(version, { topic, event: 'broadcast', payload });
}

function encodeBinaryBroadcast(topic: string, { event, encoding, data }: UserBroadcast): Buffer | null {
  const [topicBytes, eventBytes] = [Buffer.from(topic), Buffer.from(event)];
  if (topicBytes.length > 255 || eventBytes.length > 255) return null;
  const head = [USER_BROADCAST, topicBytes.length, eventBytes.length, 0, encoding === 'json' ? 1 : 0];
  return Buffer.concat([Buffer.from(head), topicBytes, eventBytes, data]);
}

function frameOf(joinRef: unknown, ref: unknown, topic: unknown, event: unknown, payload: unknown) {
  if (typeof topic !== 'string' || typeof event !== 'string') return null;
  return {
    joinRef: refOf(joinRef),
    ref: refOf(ref),
    topic,
    event,
    payload: isRecord(payload) ? payload : {},
  };
}

const refOf = (value: unknown): Ref =>
  typeof value === 'string' || typeof value === 'number' ? value : null;

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Undefined for what is no JSON. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
