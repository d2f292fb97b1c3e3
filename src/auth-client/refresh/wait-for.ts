import { withinDeadline } from '../../platform/http.ts';
import type { Clock } from '../../platform/platform.ts';
import { authErrorOf, type CallOptions } from '../wire/request.ts';

/** What `setTimeout` takes at most. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Stops waiting, not the work: what was sent may change the session, and its reply is needed. */
export function waitFor<T>(work: Promise<T>, { signal, timeoutMs }: CallOptions, clock: Clock): Promise<T> {
  // Nearly every request waits for a token, and hardly any can be ended: those take no timer and no listener.
  if (!signal && timeoutMs === undefined) return work;
  return withinDeadline(clock, timeoutMs ?? LONGEST_TIMER_MS, signal, () => work).catch(
    (problem: unknown) => {
      throw authErrorOf(problem);
    },
  );
}
