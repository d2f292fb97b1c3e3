import { decodeBase64Url, encodeBase64Url } from '../../platform/base64.ts';
import { decodeUtf8 } from '../../platform/utf8.ts';

/** The longest value of one cookie (conformance/protocol/auth.md#cookies). */
export const CHUNK_LENGTH = 3180;
const PREFIX = 'base64-';

export interface Cookie {
  readonly name: string;
  readonly value: string;
}

/** One cookie, or numbered chunks: the layout of `@supabase/ssr` (conformance/protocol/auth.md#cookies). */
export function encodeCookies(key: string, text: string): Cookie[] {
  const value = PREFIX + encodeBase64Url(new TextEncoder().encode(text));
  if (value.length <= CHUNK_LENGTH) return [{ name: key, value }];
  return Array.from({ length: Math.ceil(value.length / CHUNK_LENGTH) }, (_, index) => ({
    name: `${key}.${index}`,
    value: value.slice(index * CHUNK_LENGTH, (index + 1) * CHUNK_LENGTH),
  }));
}

/**
 * @returns null if no cookie has the key.
 * @throws if the cookies do not form one value: chunks of different writes, or a truncated chunk.
 */
export function decodeCookies(key: string, read: (name: string) => string | undefined): string | null {
  const value = read(key) || joinChunks(key, read);
  if (!value) return null;
  if (!value.startsWith(PREFIX)) return value;
  const text = decodeUtf8(decodeBase64Url(value.slice(PREFIX.length)));
  JSON.parse(text);
  return text;
}

/** Joins the numbered chunks of a key; empty without chunks. */
function joinChunks(key: string, read: (name: string) => string | undefined): string {
  let value = '';
  for (let index = 0; ; index += 1) {
    const chunk = read(`${key}.${index}`);
    if (!chunk) return value;
    value += chunk;
    // Only the last chunk is shorter; later chunks are left over from a longer value.
    if (value.startsWith(PREFIX) && chunk.length < CHUNK_LENGTH) return value;
  }
}

/** Whether a cookie is the key's own, or one of its chunks. */
export function isCookieOf(key: string, name: string): boolean {
  return name === key || (name.startsWith(`${key}.`) && /^(0|[1-9]\d*)$/.test(name.slice(key.length + 1)));
}
