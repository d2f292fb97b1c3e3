/** For servers that handle the session's cookies themselves. `createServerClients` of `/server` does it for a whole request. */
import type { Platform } from '../../platform/platform.ts';
import { serviceUrl } from '../../platform/service.ts';
import { AuthError } from '../errors.ts';
import { refreshActionFor } from '../refresh/refresh-outcome.ts';
import { parseStoredSession } from '../session/session-store.ts';
import type { StoredSession } from '../session/session.ts';
import { type Cookie, decodeCookies } from '../storage/cookie-codec.ts';
import { parseCookieHeader } from '../storage/cookie-store.ts';
import { token } from '../wire/endpoints.ts';
import { type CallOptions, createSend } from '../wire/request.ts';
import { parseTokenResponse } from '../wire/responses.ts';
import { type CookieScope, type CookieToSet, cookiesToSet, serializeCookie } from './cookies-to-set.ts';

/** Cookies for a response, and the headers that it must carry, so that no cache hands one user's session to another. */
export interface SessionReply {
  /** The cookies, in the form that frameworks take. */
  readonly cookies: readonly CookieToSet[];
  /** The same as values of `Set-Cookie`. */
  readonly setCookies: readonly string[];
  /** Headers that forbid caching. */
  readonly headers: typeof NO_STORE_HEADERS;
}

/** Headers that forbid every cache to store a response (RFC 9111 §5.2). */
export const NO_STORE_HEADERS = {
  'Cache-Control': 'private, no-cache, no-store, must-revalidate, max-age=0',
  Expires: '0',
  Pragma: 'no-cache',
} as const;

/**
 * Reads the session from a request's cookies.
 *
 * @param cookies the `Cookie` header, or the parsed cookies.
 * @returns the unverified session; null without one, or if its chunks do not fit together.
 */
export function readSessionCookies(
  cookies: string | readonly Cookie[],
  storageKey: string,
): StoredSession | null {
  const byName = new Map(toList(cookies).map(({ name, value }) => [name, value]));
  try {
    const text = decodeCookies(storageKey, (name) => byName.get(name));
    return text ? parseStoredSession(text) : null;
  } catch {
    return null;
  }
}

/** Which cookies `writeSessionCookies` writes. */
export interface WriteSessionOptions extends CookieScope {
  /** The session's key, the cookies' name. */
  readonly storageKey: string;
  /** The request's cookies: chunks among them that the new session does not need are removed. */
  readonly existing: string | readonly Cookie[];
}

/** Returns the cookies that store a session in the browser, or remove it (null). */
export function writeSessionCookies(
  session: object | null,
  { storageKey, existing, ...scope }: WriteSessionOptions,
): SessionReply {
  const text = session && JSON.stringify(session);
  const cookies = cookiesToSet(storageKey, text, toList(existing), scope);
  return { cookies, setCookies: cookies.map(serializeCookie), headers: NO_STORE_HEADERS };
}

function toList(cookies: string | readonly Cookie[]): readonly Cookie[] {
  return typeof cookies === 'string' ? parseCookieHeader(cookies) : cookies;
}

/** The project whose session `refreshOnServer` refreshes. */
export interface ServerRefresh {
  /** The project's URL. */
  readonly url: string;
  /** The project's publishable key. */
  readonly apiKey: string;
  /** The runtime's fetch and clock. */
  readonly platform: Pick<Platform, 'fetch' | 'clock'>;
}

/**
 * Refreshes the session of a request with one attempt, because the browser retries.
 *
 * @returns the new session; null if the auth server has ended this one: remove its cookies.
 * @throws {AuthError} for any other failure: leave the cookies unchanged.
 * @example
 * ```ts
 * import {
 *   readSessionCookies,
 *   refreshOnServer,
 *   writeSessionCookies,
 * } from 'supabase-protocol-clients/server';
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
  const endpoint = token('refresh_token', { refresh_token: session.refresh_token });
  try {
    return await send(endpoint, parseTokenResponse, options);
  } catch (problem) {
    // The browser may have refreshed in parallel: then its cookies are newer than those of this request.
    const mayBeOutdated = problem instanceof AuthError && problem.serverCode === 'refresh_token_already_used';
    if (refreshActionFor(problem) === 'drop' && !mayBeOutdated) return null;
    throw problem;
  }
}
