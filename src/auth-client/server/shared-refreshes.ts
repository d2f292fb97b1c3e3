import type { Clock } from '../../platform/platform.ts';
import type { ReceivedTokens, ShareRefresh } from '../refresh/refresher.ts';
import { shareRequest, type SharedRequestSlot } from '../wire/shared-request.ts';

/** How long later requests with the old cookies get the result of a refresh, in milliseconds. */
const SHARED_FOR_MS = 10_000;

/** Refreshes of this process by auth server and refresh token: a page sends several requests with one expired session. */
const refreshes = new Map<string, SharedRequestSlot<ReceivedTokens>>();

/** Lets all clients of this process share the request that refreshes a session. A failed request is not kept. */
export function createShareRefresh(baseUrl: string, clock: Clock): ShareRefresh {
  return (refreshToken, request) => {
    const nowMs = clock.monotonicMs();
    for (const [key, { shared }] of refreshes) {
      if (!shared || nowMs - shared.startedMs > SHARED_FOR_MS) refreshes.delete(key);
    }
    const key = `${baseUrl} ${refreshToken}`;
    const slot = refreshes.get(key) ?? { shared: null };
    refreshes.set(key, slot);
    return shareRequest(clock, slot, async () => {
      try {
        return await request();
      } catch (problem) {
        slot.shared = null;
        throw problem;
      }
    });
  };
}
