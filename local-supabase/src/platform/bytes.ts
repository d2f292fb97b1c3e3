/** Bytes that `Response` and `crypto.subtle` accept. */
export type Bytes = Uint8Array<ArrayBuffer>;

const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

export const encodeUtf8 = (text: string): Bytes => encoder.encode(text);

/** Decodes UTF-8; a byte order mark is kept, and bytes that are not UTF-8 become U+FFFD. */
export const decodeUtf8 = (bytes: AllowSharedBufferSource): string => decoder.decode(bytes);

export const utf8Length = (text: string): number => encoder.encode(text).length;

/** More arguments in one call would overflow the stack. */
const CHUNK = 8192;

/** Returns one character per byte. */
export function decodeLatin1(bytes: Uint8Array): string {
  let text = '';
  for (let start = 0; start < bytes.length; start += CHUNK)
    text += String.fromCharCode(...bytes.subarray(start, start + CHUNK));
  return text;
}

/** Percent-decodes a text (RFC 3986) to the bytes of its UTF-8; a `%` without two hexadecimal digits is kept. */
export function decodePercent(text: string): Uint8Array {
  const bytes = encodeUtf8(text);
  let length = 0;
  for (let index = 0; index < bytes.length; index += 1) {
    const code = decodeLatin1(bytes.subarray(index + 1, index + 3));
    const isEscape = bytes[index] === 0x25 && /^[\da-fA-F]{2}$/.test(code);
    bytes[length] = isEscape ? Number.parseInt(code, 16) : (bytes[index] ?? 0);
    if (isEscape) index += 2;
    length += 1;
  }
  return bytes.subarray(0, length);
}

/** Orders texts by the bytes of their UTF-8; for `toSorted`. */
export function compareUtf8(left: string, right: string): number {
  const [a, b] = [encoder.encode(left), encoder.encode(right)];
  const position = a.findIndex((byte, index) => byte !== b[index]);
  return position === -1 || position >= b.length
    ? a.length - b.length
    : (a[position] ?? 0) - (b[position] ?? 0);
}

/** Compares secrets in a time that depends only on their length. */
export function isEqualBytes(left: Uint8Array, right: Uint8Array): boolean {
  if (left.length !== right.length) return false;
  let difference = 0;
  for (const [index, byte] of left.entries()) difference |= byte ^ (right[index] ?? 0);
  return difference === 0;
}

/** Compares secret texts in a time that depends only on their length. */
export const isEqualText = (left: string, right: string): boolean =>
  isEqualBytes(encodeUtf8(left), encodeUtf8(right));
