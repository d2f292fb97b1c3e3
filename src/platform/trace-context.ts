import type { Random } from './platform.ts';

/**
 * A new `traceparent` header (W3C Trace Context §3.2): version 00, a random trace and span, sampled. Where the application
 * already has a trace, pass that trace's own header instead.
 */
export function createTraceparent(random: Pick<Random, 'bytes'>): string {
  return `00-${hex(random.bytes(16))}-${hex(random.bytes(8))}-01`;
}

/** An identifier of zeros only is invalid; 64 random bits make it improbable enough. */
const hex = (bytes: Uint8Array) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
