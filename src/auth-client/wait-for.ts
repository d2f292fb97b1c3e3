import { withinDeadline } from '../platform/http.ts';
import type { Clock } from '../platform/platform.ts';
import { authErrorOf, type CallOptions } from './request.ts';

/** As long as a timer can be set for. */
const FOREVER_MS = 2 ** 31 - 1;

/** Stops waiting, not the work: what was sent may change the session, and its reply is needed. */
export function waitFor<T>(
  work: Promise<T>,
  { signal, timeoutMs = FOREVER_MS }: CallOptions,
  clock: Clock,
): Promise<T> {
  return withinDeadline(clock, timeoutMs, signal, () => work).catch((problem: unknown) => {
    throw authErrorOf(problem);
  });
}
