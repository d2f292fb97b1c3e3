import { serviceUrl } from '../../platform/service.ts';
import { isRecord } from '../json.ts';
import type { ProtocolFeatures } from './protocol-features.ts';
import type { Message, ProtocolVersion } from './message.ts';

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

/** Encodes a message; a broadcast of bytes, or one that is stored, by the client's binary frames. */
export function encodeMessage(
  message: Message,
  vsn: ProtocolVersion,
  { binaryFrames }: Pick<ProtocolFeatures, 'binaryFrames'>,
): string | Uint8Array<ArrayBuffer> {
  const { joinRef, ref, topic, event, payload } = message;
  const isBinary =
    isRecord(payload) && (payload['payload'] instanceof Uint8Array || payload['persist'] !== undefined);
  if (binaryFrames && isBinary) return binaryFrames.encode(message, payload, vsn);
  return JSON.stringify(
    vsn === '1.0.0'
      ? { topic, event, payload, ref, join_ref: joinRef }
      : [joinRef, ref, topic, event, payload],
  );
}

/** Parses a frame; null if it is malformed. Never throws. */
export function parseMessage(
  frame: unknown,
  { binaryFrames, postgresChanges }: Pick<ProtocolFeatures, 'binaryFrames' | 'postgresChanges'>,
): Message | null {
  try {
    if (frame instanceof ArrayBuffer) return binaryFrames?.parse(frame) ?? null;
    if (typeof frame !== 'string') return null;
    const [joinRef, ref, topic, event, payload] = fieldsOf(JSON.parse(frame));
    if (typeof topic !== 'string' || typeof event !== 'string') return null;
    const part = event === 'postgres_changes' ? postgresChanges : event === 'broadcast' ? binaryFrames : null;
    return {
      joinRef: parseRef(joinRef),
      ref: parseRef(ref),
      topic,
      event,
      payload: part ? part.withExactIntegers(payload, frame) : payload,
    };
  } catch {
    return null;
  }
}

/** The five members of a message, by the order of version 2.0.0 or by the names of 1.0.0. */
export function fieldsOf(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  return isRecord(value)
    ? [value['join_ref'], value['ref'], value['topic'], value['event'], value['payload']]
    : [];
}

function parseRef(value: unknown): string | null {
  return typeof value === 'string' || typeof value === 'number' ? `${value}` : null;
}
