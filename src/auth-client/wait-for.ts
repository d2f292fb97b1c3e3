import type { Clock, Timer } from '../platform/platform.ts';
import { untilAborted } from '../platform/until-aborted.ts';
import { AuthError } from './errors.ts';
import type { CallOptions } from './request.ts';

/** Stops waiting, not the work: what was sent may change the session, and its reply is needed. */
export function waitFor<T>(work: Promise<T>, { signal, timeoutMs }: CallOptions, clock: Clock): Promise<T> {
  let timer: Timer | undefined;
  const ended = (code: 'aborted' | 'timeout', cause?: unknown) =>
    new AuthError(code, `The call ended: ${code}`, { cause });
  const late = new Promise<never>((_, reject) => {
    if (timeoutMs) timer = clock.setTimer(() => reject(ended('timeout')), timeoutMs);
  });
  return untilAborted(Promise.race([work, late]), signal)
    .catch((problem: unknown) => {
      throw signal?.aborted && !(problem instanceof AuthError) ? ended('aborted', problem) : problem;
    })
    .finally(() => timer?.cancel());
}
