import { http } from 'msw';
import { setupServer } from 'msw/node';
import { afterAll, afterEach, beforeAll } from 'vitest';
import type { LocalSupabase } from 'local-supabase';
import type { FetchFunction } from '../../../src/platform/platform.ts';

export interface WireFaults {
  /** Sends over the realm's own fetch, which injects the faults; other requests reach the embedded Supabase. */
  readonly fetch: FetchFunction;
  /** Handles requests of this method and path, until the test ends; undefined: as the embedded Supabase does. */
  readonly respond: (
    method: 'get' | 'head' | 'post' | 'patch',
    path: string,
    reply: () => Response | undefined,
  ) => void;
}

/** Replies that a healthy server never sends: a proxy's pages, cut bodies, limits, dropped connections. */
export function useWireFaults(supabase: () => LocalSupabase): WireFaults {
  const server = setupServer(
    http.all('http://local-supabase.test/*', ({ request }) => supabase().fetch(request)),
  );
  beforeAll(() => server.listen({ onUnhandledRequest: 'error' }));
  afterEach(() => server.resetHandlers());
  afterAll(() => server.close());
  return {
    fetch: (input, init) => globalThis.fetch(input, init),
    respond: (method, path, reply) => server.use(http[method](`http://local-supabase.test${path}`, reply)),
  };
}
