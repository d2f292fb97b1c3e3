import { randomBytes } from '@noble/hashes/utils.js';
import { encodeBase64Url } from './base64.ts';

/** A secret of so many random bytes, in base64url. */
export const createSecret = (bytes: number): string => encodeBase64Url(randomBytes(bytes));

const BASE32 = 'abcdefghijklmnopqrstuvwxyz234567';

/** Random characters of lower-case base32, as GoTrue's tokens have them. */
export const createBase32Text = (length: number): string =>
  Array.from(randomBytes(length), (byte) => BASE32[byte % 32]).join('');

/** The largest multiple of 10 within a byte: larger bytes would favor low digits. */
const FAIR_BYTES = 250;

/** A random code of so many digits. */
export function createDigits(length: number): string {
  let digits = '';
  while (digits.length < length) {
    const [byte = 0] = randomBytes(1);
    if (byte < FAIR_BYTES) digits += String(byte % 10);
  }
  return digits;
}
