import { binaryFrames } from './broadcast/binary-frames.ts';
import type { Message, ProtocolVersion } from './protocol/message.ts';
import { encodeMessage, encodeSocketUrl, parseMessage } from './protocol/wire.ts';

export type { Message, ProtocolVersion } from './protocol/message.ts';

/** Where the socket of a project is. */
export interface EndpointOptions {
  /** The project's URL, `http` or `https`, without `/realtime/v1`. */
  readonly url: string;
  /** The project's public key, which the URL carries. */
  readonly apiKey: string;
  /** Protocol version. Default `2.0.0`. */
  readonly vsn?: ProtocolVersion;
  /** Further parameters of the URL. Default: none. */
  readonly params?: Readonly<Record<string, string>>;
}

/**
 * The URL of a project's websocket.
 *
 * @example
 * ```ts
 * import { decodeFrame, encodeFrame, endpointUrl } from 'supabase-protocol-clients/realtime-client/frames';
 *
 * console.log(endpointUrl({ url, apiKey }));
 * const frame = encodeFrame({ joinRef: null, ref: '1', topic: 'phoenix', event: 'heartbeat', payload: {} });
 * console.log(decodeFrame(frame)?.event);
 * ```
 */
export function endpointUrl({ url, apiKey, vsn = '2.0.0', params }: EndpointOptions): string {
  return encodeSocketUrl(url, apiKey, vsn, params);
}

/**
 * A message as the socket carries it: text, or bytes for a broadcast whose payload is a `Uint8Array`. For proxies, recorders and
 * tests; the client encodes its own messages.
 *
 * @throws {RangeError} for bytes in version 1.0.0, and names of more than 255 bytes beside them.
 */
export function encodeFrame(
  message: Message,
  vsn: ProtocolVersion = '2.0.0',
): string | Uint8Array<ArrayBuffer> {
  return encodeMessage(message, vsn, { binaryFrames });
}

/** The message in a frame of either version; null for a malformed one. Large integers stay as `JSON.parse` rounds them. */
export function decodeFrame(frame: string | ArrayBuffer | Uint8Array<ArrayBuffer>): Message | null {
  const data =
    frame instanceof Uint8Array
      ? frame.buffer.slice(frame.byteOffset, frame.byteOffset + frame.byteLength)
      : frame;
  return parseMessage(data, { binaryFrames, postgresChanges: null });
}
