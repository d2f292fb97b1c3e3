import { withinDeadline } from '../../platform/http.ts';
import type { Clock } from '../../platform/platform.ts';
import { DEFAULT_TIMEOUT_MS } from './request.ts';

type Outcome<T> = { readonly value: T } | { readonly problem: unknown };

/** A request whose outcome several callers get. */
export interface SharedRequest<T> {
  /** Rejects only where the runtime has ended the request. */
  readonly outcome: Promise<Outcome<T>>;
  readonly startedMs: number;
}

/** Holds the request that callers share; null without one. */
export interface SharedRequestSlot<T> {
  shared: SharedRequest<T> | null;
}

/**
 * Returns the result of the slot's request, or starts one. On Cloudflare Workers a request ends with the incoming request that
 * began it, and its promise then never settles, or rejects with an error of the runtime: another request replaces it.
 *
 * @param longestMs the longest time that the request takes, in milliseconds.
 */
export async function shareRequest<T>(
  clock: Clock,
  slot: SharedRequestSlot<T>,
  start: () => Promise<T>,
  longestMs = DEFAULT_TIMEOUT_MS,
): Promise<T> {
  const shared = (slot.shared ??= {
    outcome: start().then(
      (value) => ({ value }),
      (problem: unknown) => ({ problem }),
    ),
    startedMs: clock.monotonicMs(),
  });
  const remainingMs = shared.startedMs + longestMs - clock.monotonicMs();
  const outcome = await withinDeadline(clock, remainingMs, undefined, () => shared.outcome).catch(() => null);
  if (!outcome) {
    if (slot.shared === shared) slot.shared = null;
    return shareRequest(clock, slot, start, longestMs);
  }
  if ('problem' in outcome) throw outcome.problem;
  return outcome.value;
}
