import { type Bytes, decodeLatin1, encodeUtf8 } from './bytes.ts';

const bytesOf = (content: Uint8Array | string): Uint8Array =>
  typeof content === 'string' ? encodeUtf8(content) : content;

/** @param content a text is encoded as UTF-8. */
export const encodeBase64 = (content: Uint8Array | string): string => btoa(decodeLatin1(bytesOf(content)));

/** Without padding. @param content a text is encoded as UTF-8. */
export const encodeBase64Url = (content: Uint8Array | string): string =>
  encodeBase64(content).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');

/**
 * Decodes the valid part of base64 in either alphabet, with or without padding: skips characters outside the alphabets,
 * and ignores everything after padding.
 */
export function decodeBase64(text: string): Bytes {
  const digits = text
    .replace(/=.*$/s, '')
    .replaceAll('-', '+')
    .replaceAll('_', '/')
    .replaceAll(/[^a-zA-Z\d+/]/g, '');
  // A single remaining digit is less than a byte.
  const complete = digits.length % 4 === 1 ? digits.slice(0, -1) : digits;
  return Uint8Array.from(atob(complete), (character) => character.charCodeAt(0));
}
