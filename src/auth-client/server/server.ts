import type { Platform } from '../../platform/platform.ts';
import { type Cookie, decodeCookies, encodeCookies, isCookieOf } from '../storage/cookie-codec.ts';
import { COOKIE_MAX_AGE_SECONDS, parseCookieHeader } from '../storage/cookie-store.ts';
import { token } from '../wire/endpoints.ts';
import { classifyRefreshError, refreshActions } from '../refresh/refresh-outcome.ts';
import { type CallOptions, createSend } from '../wire/request.ts';
import { parseTokenResponse } from '../wire/responses.ts';
import { parseStoredSession } from '../session/session-store.ts';
import type { StoredSession } from '../session/session.ts';
import { serviceUrl } from '../../platform/service.ts';

/** For servers: what a request's cookies say, and the cookies of a reply. Pure but for `refreshOnServer`. */
export interface CookieAttributes {
  readonly path: string;
  readonly sameSite: 'lax' | 'strict' | 'none';
  readonly httpOnly: boolean;
  readonly maxAge: number;
  readonly secure?: boolean;
  readonly domain?: string;
}

/** A cookie of a reply, in the form that frameworks take. */
export interface CookieToSet extends Cookie {
  readonly options: CookieAttributes;
}

/** A reply with these cookies must carry these headers, or a cache hands one user's session to another. */
export interface SessionReply {
  readonly cookies: readonly CookieToSet[];
  /** The same as values of `Set-Cookie`. */
  readonly setCookies: readonly string[];
  readonly headers: typeof NO_STORE_HEADERS;
}

/** Headers that forbid every cache to keep an answer. */
export const NO_STORE_HEADERS = {
  'Cache-Control': 'private, no-cache, no-store, must-revalidate, max-age=0',
  Expires: '0',
  Pragma: 'no-cache',
} as const;

/**
 * @param cookies the `Cookie` header, or the cookies already parsed.
 * @returns the session as the browser sent it, unverified; null if there is none, or its chunks do not fit together.
 */
export function readSessionCookies(
  cookies: string | readonly Cookie[],
  storageKey: string,
): StoredSession | null {
  const list = typeof cookies === 'string' ? parseCookieHeader(cookies) : cookies;
  const byName = new Map(list.map(({ name, value }) => [name, value]));
  try {
    const text = decodeCookies(storageKey, (name) => byName.get(name));
    return text ? parseStoredSession(text) : null;
  } catch {
    return null;
  }
}

/** Which cookies to write, and as what. */
export interface WriteSessionOptions {
  readonly storageKey: string;
  /** The cookies of the request: chunks among them that the new value does not need are removed. */
  readonly existing: string | readonly Cookie[];
  /** True on https. Default false. */
  readonly secure?: boolean;
  readonly domain?: string;
  /** Default `lax`. */
  readonly sameSite?: CookieAttributes['sameSite'];
}

/** @param session the session to set, or null to remove it. */
export function writeSessionCookies(
  session: object | null,
  { storageKey, existing, secure, domain, sameSite = 'lax' }: WriteSessionOptions,
): SessionReply {
  const list = typeof existing === 'string' ? parseCookieHeader(existing) : existing;
  const wanted = session ? encodeCookies(storageKey, JSON.stringify(session)) : [];
  const give = (list: readonly Cookie[], maxAge: number, scope: string | undefined): CookieToSet[] => {
    const options: CookieAttributes = {
      path: '/',
      sameSite,
      httpOnly: false,
      maxAge,
      ...(secure && { secure }),
      ...(scope && { domain: scope }),
    };
    return list.map(({ name, value }) => ({ name, value, options }));
  };
  const known = list
    .filter(({ name }) => isCookieOf(storageKey, name))
    .map(({ name }) => ({ name, value: '' }));
  const stale = known.filter(({ name }) => !wanted.some((cookie) => cookie.name === name));
  const cookies = [
    // A cookie of the host alone would hide the domain's of the same name.
    ...(domain ? give(known, 0, undefined) : []),
    ...give(stale, 0, domain),
    ...give(wanted, COOKIE_MAX_AGE_SECONDS, domain),
  ];
  return { cookies, setCookies: cookies.map(encodeSetCookie), headers: NO_STORE_HEADERS };
}

/** RFC 6265 §4.1. */
function encodeSetCookie({ name, value, options }: CookieToSet): string {
  const { path, sameSite, maxAge, secure, domain } = options;
  const site = sameSite.replace(/^./, (letter) => letter.toUpperCase());
  return `${name}=${value}; Max-Age=${maxAge}; Path=${path}; SameSite=${site}${domain ? `; Domain=${domain}` : ''}${
    secure ? '; Secure' : ''
  }`;
}

/** The project whose session is refreshed. */
export interface ServerRefresh {
  readonly url: string;
  readonly apiKey: string;
  readonly platform: Pick<Platform, 'fetch' | 'clock' | 'random'>;
}

/**
 * Refreshes a request's session, once: the browser that sent it has the retries.
 *
 * @returns the new session to write, or null if the server has ended this one: remove its cookies.
 * @throws {AuthError} for any other failure: leave the cookies as they are.
 * @example
 * ```ts
 * import {
 *   readSessionCookies,
 *   refreshOnServer,
 *   writeSessionCookies,
 * } from 'supabase-protocol-clients/auth-client/server';
 *
 * const storageKey = 'sb-myproject-auth-token';
 *
 * // The session of a request, and the headers that the response must carry.
 * export async function getSession(request: Request) {
 *   const existing = request.headers.get('cookie') ?? '';
 *   const session = readSessionCookies(existing, storageKey);
 *   if (!session || (session.expires_at ?? 0) * 1000 > Date.now()) return { session, headers: new Headers() };
 *   const renewed = await refreshOnServer({ url, apiKey, platform }, session);
 *   const reply = writeSessionCookies(renewed, { storageKey, existing, secure: true });
 *   const headers = new Headers(reply.headers);
 *   for (const cookie of reply.setCookies) headers.append('Set-Cookie', cookie);
 *   return { session: renewed, headers };
 * }
 * ```
 */
export async function refreshOnServer(
  { url, apiKey, platform }: ServerRefresh,
  session: Pick<StoredSession, 'refresh_token'>,
  options?: CallOptions,
): Promise<StoredSession | null> {
  const send = createSend({ platform, baseUrl: serviceUrl(url, 'auth'), apiKey });
  try {
    return await send(
      token('refresh_token', { refresh_token: session.refresh_token }),
      parseTokenResponse,
      options,
    );
  } catch (problem) {
    const outcome = classifyRefreshError(problem);
    // The browser may have refreshed at this very moment: what it holds then is newer, and stays.
    if (outcome !== 'refresh_token_already_used' && refreshActions[outcome] === 'drop') return null;
    throw problem;
  }
}
