import { RealtimeError } from '../errors.ts';

/** The free plan's limit of a payload. */
export const defaultMaxPayloadBytes = 256_000;

/**
 * Refuses a payload that is too large as JSON, or in its bytes if it is binary.
 *
 * @param name of the payload in the error's message.
 * @throws {RealtimeError} `payload-too-large`; `invalid-payload` if it is not serializable
 */
export function checkPayloadSize(name: string, payload: unknown, maxPayloadBytes: number): void {
  if (payloadBytes(payload) > maxPayloadBytes)
    throw new RealtimeError('payload-too-large', `${name} exceeds ${maxPayloadBytes} bytes`);
}

function payloadBytes(payload: unknown): number {
  if (payload instanceof Uint8Array) return payload.length;
  try {
    return new TextEncoder().encode(JSON.stringify(payload) ?? '').length;
  } catch (cause) {
    throw new RealtimeError('invalid-payload', 'The payload cannot be serialized', { cause });
  }
}
