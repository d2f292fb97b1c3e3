import { randomBytes } from '@noble/hashes/utils.js';
import { encodeBase64Url } from './base64.ts';

/** A base64url secret of this many random bytes. */
export const createSecret = (bytes: number): string => encodeBase64Url(randomBytes(bytes));

const BASE32 = 'abcdefghijklmnopqrstuvwxyz234567';

/** Random characters of lower-case base32, as in GoTrue's tokens. */
export const createBase32Text = (length: number): string =>
  Array.from(randomBytes(length), (byte) => BASE32[byte % 32]).join('');

/** Reject bytes from the largest multiple of 10 on, because they would favor low digits. */
const FAIR_BYTES = 250;

export function createDigits(length: number): string {
  let digits = '';
  while (digits.length < length) {
    const [byte = 0] = randomBytes(1);
    if (byte < FAIR_BYTES) digits += String(byte % 10);
  }
  return digits;
}
