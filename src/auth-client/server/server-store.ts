import type { Locks } from '../../platform/platform.ts';
import { createRealmLocks } from '../../platform/realm-locks.ts';
import { type Cookie, decodeCookies } from '../storage/cookie-codec.ts';
import type { AuthStore } from '../storage/store.ts';
import { parseCookieHeader } from '../storage/cookie-store.ts';
import { parseStoredSession } from '../session/session-store.ts';
import type { StoredSession } from '../session/session.ts';
import { type CookieScope, type CookieToSet, NO_STORE_HEADERS, cookiesToSet } from './cookies-to-set.ts';

/** The cookies of one request and its response. */
export interface ServerCookies {
  /** Returns the cookies of the request, decoded. */
  readonly getAll: () => readonly Cookie[] | Promise<readonly Cookie[]>;
  /**
   * Adds cookies to the response, and headers that forbid caching it, which only the first call has. Default: the response
   * cannot have cookies (a Next Server Component); a session that is refreshed then lasts for this request only.
   */
  readonly setAll?:
    | ((cookies: readonly CookieToSet[], headers: Readonly<Record<string, string>>) => unknown)
    | undefined;
}

/** The state that the clients of one request share, because they write the same cookies. */
export interface RequestState {
  /** Written values by name, because the request's cookies do not change. An empty value is a removed cookie. */
  readonly written: Map<string, string>;
  /** Locks among the calls of one request. */
  readonly locks: Locks;
  hasHeaders: boolean;
}

export const createRequestState = (): RequestState => ({
  written: new Map(),
  locks: createRealmLocks(),
  hasHeaders: false,
});

/** The session storage of one request: reads its cookies, and writes those of its response. */
export function createServerStore(
  { getAll, setAll }: ServerCookies,
  state: RequestState,
  scope: CookieScope,
  report: (problem: unknown) => void,
): AuthStore {
  const { written } = state;

  const list = async () => {
    const byName = new Map((await getAll()).map(({ name, value }) => [name, value]));
    for (const [name, value] of written) byName.set(name, value);
    return byName;
  };
  const write = async (key: string, text: string | null) => {
    const present = Array.from(await list(), ([name, value]) => ({ name, value }));
    const changes = cookiesToSet(
      key,
      text,
      present.filter(({ value }) => value !== ''),
      scope,
    );
    for (const { name, value } of changes) written.set(name, value);
    if (changes.length === 0 || !setAll) return;
    // Once: SvelteKit refuses to set a header a second time.
    const headers = state.hasHeaders ? {} : NO_STORE_HEADERS;
    state.hasHeaders = true;
    try {
      const result = setAll(changes, headers);
      // Fastify's reply, which its setters return, is thenable, and ends only with the response.
      if (result instanceof Promise) await result;
    } catch (problem) {
      // The response has already begun: the session lasts for this request.
      report(problem);
    }
  };
  return {
    isShared: false,
    async get(key) {
      const byName = await list();
      try {
        return decodeCookies(key, (name) => byName.get(name) || undefined);
      } catch {
        // The chunks are of different sessions, or one is truncated.
        return null;
      }
    },
    set: write,
    remove: (key) => write(key, null),
  };
}

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
  const list = typeof cookies === 'string' ? parseCookieHeader(cookies) : cookies;
  const byName = new Map(list.map(({ name, value }) => [name, value]));
  try {
    const text = decodeCookies(storageKey, (name) => byName.get(name));
    return text ? parseStoredSession(text) : null;
  } catch {
    return null;
  }
}
