import { withinDeadline } from '../../platform/http.ts';
import type { Clock } from '../../platform/platform.ts';
import { AuthError } from '../errors.ts';
import { DEFAULT_TIMEOUT_MS } from './request.ts';

/** A request whose result several callers get. */
export interface SharedRequest<T> {
  readonly result: Promise<T>;
  readonly startedMs: number;
}

/** Holds the request that callers share; null without one. */
export interface SharedRequestSlot<T> {
  shared: SharedRequest<T> | null;
}

/**
 * Returns the result of the slot's request, or starts one. On Cloudflare Workers a request ends with the incoming request that
 * began it, and its promise then never settles, or rejects with an error of the runtime: another request replaces it.
 */
export async function shareRequest<T>(
  clock: Clock,
  slot: SharedRequestSlot<T>,
  start: () => Promise<T>,
): Promise<T> {
  const { shared } = slot;
  if (!shared) {
    const result = start();
    slot.shared = { result, startedMs: clock.monotonicMs() };
    return result;
  }
  const { result, startedMs } = shared;
  try {
    const remainingMs = startedMs + DEFAULT_TIMEOUT_MS - clock.monotonicMs();
    return await withinDeadline(clock, remainingMs, undefined, () => result);
  } catch (problem) {
    if (problem instanceof AuthError) throw problem;
    if (slot.shared === shared) slot.shared = null;
    return shareRequest(clock, slot, start);
  }
}
