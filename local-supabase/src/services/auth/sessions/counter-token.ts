import { hmac } from '@noble/hashes/hmac.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, concatBytes, hexToBytes } from '@noble/hashes/utils.js';

import { decodeBase64, encodeBase64Url } from '../../../platform/base64.ts';
import { isEqualBytes } from '../../../platform/bytes.ts';
import type { Call } from '../http/call.ts';
import type { Session } from '../rows/session.ts';

/** A parsed refresh token of version 2, not yet verified. */
export interface CounterToken {
  readonly sessionId: string;
  readonly counter: number;
  readonly signedPart: Uint8Array;
  readonly signature: Uint8Array;
}

const signatureBytes = 16;
const checksumBytes = 4;
const headBytes = 17;
const shortestBytes = headBytes + 1 + signatureBytes + checksumBytes;

const sign = (part: Uint8Array, key: string): Uint8Array =>
  hmac(sha256, decodeBase64(key), part).subarray(0, signatureBytes);
const checksum = (part: Uint8Array): Uint8Array => sha256(part).subarray(0, checksumBytes);

function encodeVarint(value: number): Uint8Array {
  const bytes: number[] = [];
  let rest = value;
  while (rest >= 0x80) {
    bytes.push((rest % 0x80) + 0x80);
    rest = Math.floor(rest / 0x80);
  }
  return Uint8Array.of(...bytes, rest);
}

function decodeVarint(bytes: Uint8Array): { readonly value: number; readonly length: number } | null {
  let value = 0;
  for (const [index, byte] of bytes.entries()) {
    if (index > 7) return null;
    value += (byte % 0x80) * 0x80 ** index;
    if (byte < 0x80) return { value, length: index + 1 };
  }
  return null;
}

/** Encodes the session's current counter: base64url of version, session, counter, signature, checksum. */
export function encodeCounterToken(session: Session): string {
  if (session.refresh_token_hmac_key === null || session.refresh_token_counter === null)
    throw new Error('The session has no refresh token counter');
  const id = hexToBytes(session.id.replaceAll('-', ''));
  const part = concatBytes(Uint8Array.of(0), id, encodeVarint(session.refresh_token_counter));
  const signed = concatBytes(part, sign(part, session.refresh_token_hmac_key));
  return encodeBase64Url(concatBytes(signed, checksum(signed)));
}

/** Encodes the session's current counter for a response, whose header names the counter. */
export function issueCounterToken(call: Call, session: Session): string {
  call.responseHeaders.set('sb-auth-refresh-token-counter', String(session.refresh_token_counter));
  return encodeCounterToken(session);
}

/** Parses a version 2 token; null for any other text. */
export function parseCounterToken(token: string): CounterToken | null {
  if (!/^[\w-]+$/.test(token)) return null;
  const bytes = decodeBase64(token);
  if (bytes.length < shortestBytes || bytes[0] !== 0) return null;
  const signed = bytes.subarray(0, -checksumBytes);
  if (!isEqualBytes(checksum(signed), bytes.subarray(-checksumBytes))) return null;
  const counter = decodeVarint(signed.subarray(headBytes));
  if (counter === null || signed.length !== headBytes + counter.length + signatureBytes) return null;
  const id = bytesToHex(signed.subarray(1, headBytes));
  return {
    sessionId: id.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-'),
    counter: counter.value,
    signedPart: signed.subarray(0, -signatureBytes),
    signature: signed.subarray(-signatureBytes),
  };
}

/** True when the token was issued for this session. */
export function isSignedFor(token: CounterToken, session: Session): boolean {
  if (session.refresh_token_hmac_key === null) return false;
  return isEqualBytes(sign(token.signedPart, session.refresh_token_hmac_key), token.signature);
}
