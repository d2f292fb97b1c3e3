/** Decodes UTF-8, by percent-encoding where the runtime has no `TextDecoder`, as React Native. @throws if the bytes are not UTF-8. */
export function decodeUtf8(bytes: Uint8Array): string {
  if (typeof TextDecoder === 'function') return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  return decodeURIComponent(Array.from(bytes, (byte) => `%${byte.toString(16).padStart(2, '0')}`).join(''));
}
