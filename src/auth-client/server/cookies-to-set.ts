import { type Cookie, encodeCookies, isCookieOf } from '../storage/cookie-codec.ts';
import { COOKIE_MAX_AGE_SECONDS } from '../storage/cookie-store.ts';

/** The attributes of a cookie in a response (RFC 6265 §4.1). */
export interface CookieAttributes {
  /** The `Path` attribute. */
  readonly path: string;
  /** The `SameSite` attribute. */
  readonly sameSite: 'lax' | 'strict' | 'none';
  /** `HttpOnly`: false, because the browser's client reads the session too. */
  readonly httpOnly: boolean;
  /** `Max-Age` in seconds; 0 removes the cookie. */
  readonly maxAge: number;
  /** The `Secure` attribute: browsers send the cookie over https only. Default false. */
  readonly secure?: boolean;
  /** `Domain`. Default: the host alone. */
  readonly domain?: string;
}

/** A cookie for a response, in the form that frameworks take. */
export interface CookieToSet extends Cookie {
  /** The cookie's attributes. */
  readonly options: CookieAttributes;
}

/** How the cookies of a response are scoped. */
export interface CookieScope {
  /** Whether the cookies are sent over https only. */
  readonly secure?: boolean | undefined;
  /** Default: the host alone. */
  readonly domain?: string | undefined;
  /** Default `lax`. */
  readonly sameSite?: CookieAttributes['sameSite'] | undefined;
}

/** Headers that forbid every cache to store a response (RFC 9111 §5.2). */
export const NO_STORE_HEADERS = {
  'Cache-Control': 'private, no-cache, no-store, must-revalidate, max-age=0',
  Expires: '0',
  Pragma: 'no-cache',
} as const;

/** Returns the cookies that set `key` to `text` in the browser; null removes it. */
export function cookiesToSet(
  key: string,
  text: string | null,
  sent: readonly Cookie[],
  { secure, domain, sameSite = 'lax' }: CookieScope,
): readonly CookieToSet[] {
  const next = text === null ? [] : encodeCookies(key, text);
  const withAttributes = (cookies: readonly Cookie[], maxAge: number, scope: string | undefined) =>
    cookies.map(({ name, value }): CookieToSet => {
      const shared = { path: '/', sameSite, httpOnly: false, maxAge };
      return {
        name,
        value,
        options: { ...shared, ...(secure && { secure }), ...(scope && { domain: scope }) },
      };
    });
  const previous = sent.filter(({ name }) => isCookieOf(key, name)).map(({ name }) => ({ name, value: '' }));
  const stale = previous.filter(({ name }) => !next.some((cookie) => cookie.name === name));
  return [
    // A cookie of the host alone would hide the domain's cookie of the same name.
    ...(domain ? withAttributes(previous, 0, undefined) : []),
    ...withAttributes(stale, 0, domain),
    ...withAttributes(next, COOKIE_MAX_AGE_SECONDS, domain),
  ];
}

/** Returns the value of the `Set-Cookie` header for a cookie (RFC 6265 §4.1). */
export function serializeCookie({ name, value, options }: CookieToSet): string {
  const { path, sameSite, maxAge, secure, domain, httpOnly } = options;
  return [
    `${name}=${value}`,
    `Max-Age=${maxAge}`,
    `Path=${path}`,
    `SameSite=${sameSite.charAt(0).toUpperCase()}${sameSite.slice(1)}`,
    ...(domain ? [`Domain=${domain}`] : []),
    ...(secure ? ['Secure'] : []),
    ...(httpOnly ? ['HttpOnly'] : []),
  ].join('; ');
}
