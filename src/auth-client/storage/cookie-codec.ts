import { decodeBase64Url, encodeBase64Url } from '../../platform/base64.ts';

/** Specification §9: chunks of about 3180 characters. */
export const CHUNK_LENGTH = 3180;
const PREFIX = 'base64-';

export interface Cookie {
  readonly name: string;
  readonly value: string;
}

/** One cookie, or numbered chunks: the layout of `@supabase/ssr` (protocol document §2). */
export function encodeCookies(key: string, text: string): Cookie[] {
  const value = PREFIX + encodeBase64Url(new TextEncoder().encode(text));
  if (value.length <= CHUNK_LENGTH) return [{ name: key, value }];
  return Array.from({ length: Math.ceil(value.length / CHUNK_LENGTH) }, (_, index) => ({
    name: `${key}.${index}`,
    value: value.slice(index * CHUNK_LENGTH, (index + 1) * CHUNK_LENGTH),
  }));
}

/**
 * @returns null if there is nothing.
 * @throws if what is there is no text of ours: chunks of different writes, or a truncated one.
 */
export function decodeCookies(key: string, read: (name: string) => string | undefined): string | null {
  let value = read(key) ?? '';
  for (let index = 0, chunk; !read(key) && (chunk = read(`${key}.${index}`)); index += 1) {
    value += chunk;
    // Only the last chunk is shorter; what follows it is a longer value's leftover.
    if (value.startsWith(PREFIX) && chunk.length < CHUNK_LENGTH) break;
  }
  if (!value) return null;
  if (!value.startsWith(PREFIX)) return value;
  const text = new TextDecoder('utf-8', { fatal: true }).decode(decodeBase64Url(value.slice(PREFIX.length)));
  JSON.parse(text);
  return text;
}

/** Whether a cookie is the key's own, or one of its chunks. */
export function isCookieOf(key: string, name: string): boolean {
  return name === key || (name.startsWith(`${key}.`) && /^(0|[1-9]\d*)$/.test(name.slice(key.length + 1)));
}
