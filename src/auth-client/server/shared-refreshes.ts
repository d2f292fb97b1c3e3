import type { Clock } from '../../platform/platform.ts';
import type { ReceivedTokens, ShareRefresh } from '../refresh/refresher.ts';

/** How long later requests with the old cookies get the result of a refresh, in milliseconds. */
const SHARED_FOR_MS = 10_000;

interface SharedRefresh {
  readonly tokens: Promise<ReceivedTokens>;
  readonly startedMs: number;
}

/** Refreshes of this process by auth server and refresh token: a page sends several requests with one expired session. */
const refreshes = new Map<string, SharedRefresh>();

/** Lets all clients of this process share the request that refreshes a session. A failed request is not kept. */
export function createShareRefresh(baseUrl: string, clock: Clock): ShareRefresh {
  return (refreshToken, request) => {
    const nowMs = clock.monotonicMs();
    for (const [key, { startedMs }] of refreshes) {
      if (nowMs - startedMs > SHARED_FOR_MS) refreshes.delete(key);
    }
    const key = `${baseUrl} ${refreshToken}`;
    const known = refreshes.get(key);
    if (known) return known.tokens;
    const started = { tokens: request(), startedMs: nowMs };
    refreshes.set(key, started);
    started.tokens.catch(() => {
      if (refreshes.get(key) === started) refreshes.delete(key);
    });
    return started.tokens;
  };
}
