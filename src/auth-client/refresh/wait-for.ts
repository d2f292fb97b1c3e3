import { withinDeadline } from '../../platform/http.ts';
import type { Clock } from '../../platform/platform.ts';
import { toAuthError, type CallOptions } from '../wire/request.ts';

/** The longest delay that `setTimeout` takes. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Ends the waiting at the deadline or the signal, not the work: its response may be needed for the session. */
export function waitFor<T>(work: Promise<T>, { signal, timeoutMs }: CallOptions, clock: Clock): Promise<T> {
  // Nearly every request waits for a token, and few can be ended: the others take no timer and no listener.
  if (!signal && timeoutMs === undefined) return work;
  return withinDeadline(clock, timeoutMs ?? LONGEST_TIMER_MS, signal, () => work).catch(
    (problem: unknown) => {
      throw toAuthError(problem);
    },
  );
}
