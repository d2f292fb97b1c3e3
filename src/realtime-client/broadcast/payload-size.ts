import { RealtimeError } from '../errors.ts';

/**
 * The bytes of a payload, as JSON unless it is bytes.
 *
 * @throws {RealtimeError} `invalid-payload`, if it is not serializable.
 */
export function payloadBytes(payload: unknown): number {
  if (payload instanceof Uint8Array) return payload.length;
  try {
    return new TextEncoder().encode(JSON.stringify(payload) ?? '').length;
  } catch (cause) {
    throw new RealtimeError('invalid-payload', 'The payload cannot be serialized', { cause });
  }
}

/** The free plan's limit of a payload. */
export const defaultMaxPayloadBytes = 256_000;

/** @throws {RealtimeError} `payload-too-large`, `invalid-payload` */
export function checkPayloadSize(event: string, payload: unknown, maxPayloadBytes: number): void {
  if (payloadBytes(payload) > maxPayloadBytes)
    throw new RealtimeError('payload-too-large', `A payload of ${event} exceeds ${maxPayloadBytes} bytes`);
}
