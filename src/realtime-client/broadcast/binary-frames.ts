import { decodeUtf8 } from '../../platform/utf8.ts';
import { parseWithExactIntegers } from '../../platform/exact-integers.ts';
import { hasLongDigits } from '../changes/exact-integers.ts';
import { isRecord } from '../json.ts';
import { fieldsOf } from '../protocol/wire.ts';
import type { BinaryFrames } from '../protocol/protocol-features.ts';
import type { Message, ProtocolVersion } from '../protocol/message.ts';

export const binaryFrames: BinaryFrames = { withExactIntegers, encode, parse };

/**
 * A broadcast, kind 3: the lengths of join ref, ref, topic, event and metadata, the encoding (0: bytes, 1: JSON), then these
 * strings and the payload. The metadata says whether the server stores it.
 *
 * @throws {RangeError} if the version has no binary frames, or a name is longer than 255 bytes.
 */
function encode(
  { joinRef, ref, topic }: Message,
  { event, payload, persist }: Readonly<Record<string, unknown>>,
  vsn: ProtocolVersion,
): Uint8Array<ArrayBuffer> {
  const encoder = new TextEncoder();
  const isBytes = payload instanceof Uint8Array;
  const data = isBytes ? payload : encoder.encode(JSON.stringify(payload));
  const metadata = persist === undefined ? '' : JSON.stringify({ persist });
  const names = [joinRef ?? '', ref ?? '', topic, String(event), metadata].map((name) =>
    encoder.encode(name),
  );
  if (vsn === '1.0.0' || names.some(({ length }) => length > 255))
    throw new RangeError('Such a broadcast needs protocol version 2.0.0 and names of at most 255 bytes');
  const encoding = isBytes ? 0 : 1;
  const head = [
    3,
    ...names.map(({ length }) => length),
    encoding,
    ...names.flatMap((name) => Array.from(name)),
  ];
  const frame = new Uint8Array(head.length + data.length);
  frame.set(head);
  frame.set(data, head.length);
  return frame;
}

const int8Digits = 19;

/** A broadcast from the database has an id and may contain int8 values; one of a client has JavaScript's numbers. */
function parsePayload(text: string, isFromDatabase: boolean): unknown {
  return isFromDatabase && hasLongDigits(text) ? parseWithExactIntegers(text, int8Digits) : JSON.parse(text);
}

function withExactIntegers(payload: unknown, frame: string): unknown {
  const isFromDatabase = isRecord(payload) && isRecord(payload['meta']) && 'id' in payload['meta'];
  return isFromDatabase && hasLongDigits(frame)
    ? fieldsOf(parseWithExactIntegers(frame, int8Digits))[4]
    : payload;
}

/** Kind 4: three lengths and an encoding, then topic, event, metadata and payload (a broadcast of a user). */
function parse(frame: ArrayBuffer): Message | null {
  const [kind, topicSize = 0, eventSize = 0, metaSize = 0, encoding] = new Uint8Array(frame);
  if (kind !== 4) return null;
  let offset = 5;
  const take = (size?: number) => {
    const bytes = new Uint8Array(frame, offset, size);
    offset += bytes.length;
    return bytes;
  };
  const text = (size?: number) => decodeUtf8(take(size));
  const topic = text(topicSize);
  const event = text(eventSize);
  const meta: unknown = JSON.parse(text(metaSize) || '{}');
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
