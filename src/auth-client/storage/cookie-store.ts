import { type Cookie, decodeCookies, encodeCookies, isCookieOf } from './cookie-codec.ts';
import type { SyncAuthStore } from './store.ts';

/** 400 days, the longest that browsers allow (conformance/protocol/auth.md#cookies). */
export const COOKIE_MAX_AGE_SECONDS = 34_560_000;
/** Servers and proxies commonly refuse 8 kB of headers; this leaves room for other cookies. */
const LARGE_BYTES = 6_000;

/** The options of `createCookieStore`. */
export interface CookieStoreOptions {
  /** `document`, or anything whose `cookie` reads all cookies and takes one at a time. */
  readonly jar: { cookie: string };
  /** `Secure`: true on https pages. */
  readonly secure: boolean;
  /** Default: the host alone. With a domain, cookies of the host alone are deleted before each write. */
  readonly domain?: string | undefined;
  /** Default `/`. */
  readonly path?: string | undefined;
  /** Default `lax`. */
  readonly sameSite?: 'lax' | 'strict' | 'none' | undefined;
  /** Called with the size in bytes when one key's cookies approach the limits of browsers and servers. */
  readonly onLarge?: ((bytes: number) => void) | undefined;
}

/** Cookies that `@supabase/ssr` reads and writes as well. Not HttpOnly: the page itself refreshes. */
export function createCookieStore(options: CookieStoreOptions): SyncAuthStore {
  const { jar, secure, domain, path = '/', sameSite = 'lax', onLarge } = options;
  const list = () => parseCookieHeader(jar.cookie);
  const put = ({ name, value }: Cookie, maxAge: number, scope: string | undefined) => {
    jar.cookie = `${name}=${value}; Max-Age=${maxAge}; Path=${path}; SameSite=${sameSite}${
      scope ? `; Domain=${scope}` : ''
    }${secure ? '; Secure' : ''}`;
  };
  const write = (key: string, cookies: readonly Cookie[]) => {
    for (const { name } of list()) {
      if (!isCookieOf(key, name)) continue;
      if (domain) put({ name, value: '' }, 0, undefined);
      if (!cookies.some((cookie) => cookie.name === name)) put({ name, value: '' }, 0, domain);
    }
    for (const cookie of cookies) put(cookie, COOKIE_MAX_AGE_SECONDS, domain);
  };
  const get = (key: string) => {
    const cookies = new Map(list().map(({ name, value }) => [name, value]));
    try {
      return decodeCookies(key, (name) => cookies.get(name));
    } catch {
      // Remove chunks of different writes: the next read would join them again.
      write(key, []);
      return null;
    }
  };
  return {
    get,
    set(key, value) {
      const cookies = encodeCookies(key, value);
      const bytes = cookies.reduce((sum, cookie) => sum + cookie.name.length + cookie.value.length + 3, 0);
      if (bytes > LARGE_BYTES) onLarge?.(bytes);
      write(key, cookies);
      // Browsers reject cookies silently.
      if (get(key) !== value) throw new Error('The browser did not keep the cookies');
    },
    remove: (key) => write(key, []),
  };
}

/** `Cookie` header or `document.cookie` → cookies, the first of each name (RFC 6265 §5.4). */
export function parseCookieHeader(header: string): Cookie[] {
  const cookies = new Map<string, string>();
  for (const pair of header.split(/; */)) {
    const at = pair.indexOf('=');
    const name = pair.slice(0, at).trim();
    if (at > 0 && !cookies.has(name)) cookies.set(name, decode(pair.slice(at + 1).trim()));
  }
  return Array.from(cookies, ([name, value]) => ({ name, value }));
}

function decode(value: string): string {
  const bare = value.startsWith('"') ? value.slice(1, -1) : value;
  try {
    return decodeURIComponent(bare);
  } catch {
    return bare;
  }
}
