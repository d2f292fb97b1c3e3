import { type Cookie, decodeCookies } from '../storage/cookie-codec.ts';
import type { Store } from '../storage/store.ts';
import { type CookieScope, type CookieToSet, cookiesToSet } from './cookies-to-set.ts';
import { NO_STORE_HEADERS } from './server.ts';

/** The cookies of one request and its response. */
export interface ServerCookies {
  /** Returns the cookies of the request, decoded. */
  readonly getAll: () => readonly Cookie[] | Promise<readonly Cookie[]>;
  /**
   * Adds cookies to the response, and headers that forbid caching it. Default: the response cannot have cookies (a Next Server
   * Component); a session that is refreshed then lasts for this request only.
   */
  readonly setAll?:
    | ((cookies: readonly CookieToSet[], headers: Readonly<Record<string, string>>) => unknown)
    | undefined;
}

/** A store for one request: reads its cookies, and writes those of its response. */
export function createServerStore(
  { getAll, setAll }: ServerCookies,
  scope: CookieScope,
  report: (problem: unknown) => void,
): Store {
  /** Written values by name, because the request's cookies do not change. An empty value is a removed cookie. */
  const written = new Map<string, string>();

  const list = async () => {
    const byName = new Map((await getAll()).map(({ name, value }) => [name, value]));
    for (const [name, value] of written) byName.set(name, value);
    return byName;
  };
  const write = async (key: string, text: string | null) => {
    const present = Array.from(await list(), ([name, value]) => ({ name, value }));
    const cookies = cookiesToSet(
      key,
      text,
      present.filter(({ value }) => value !== ''),
      scope,
    );
    for (const { name, value } of cookies) written.set(name, value);
    try {
      const result = cookies.length > 0 && setAll?.(cookies, NO_STORE_HEADERS);
      // Fastify's reply, which its setters return, is thenable, and ends only with the response.
      if (result instanceof Promise) await result;
    } catch (problem) {
      // The response has already begun: the session lasts for this request.
      report(problem);
    }
  };
  return {
    async get(key) {
      const byName = await list();
      try {
        return decodeCookies(key, (name) => byName.get(name) || undefined);
      } catch {
        // Chunks of different sessions, or a cut one.
        return null;
      }
    },
    set: write,
    remove: (key) => write(key, null),
  };
}
