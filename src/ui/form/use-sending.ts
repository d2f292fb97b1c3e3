import { useState } from 'react';
import type { FormProblem } from './use-form.ts';

/** How long the auth service waits between two messages to one person, unless it says otherwise. */
const sendAgainAfterMs = 60_000;

export interface Sending {
  readonly pending: boolean;
  /** Whether the last one was sent from here. */
  readonly hasSent: boolean;
  readonly problem: string | undefined;
  /** Until when (epoch milliseconds) the next one has to wait; null: it need not. */
  readonly nextAtMs: number | null;
  /** @param request resolves with what the server has against it. Anything thrown is the caller's bug. */
  send(request: () => Promise<FormProblem<never> | undefined>): Promise<void>;
}

/**
 * Sending a mail or a message once more, with the time that the server wants in between.
 *
 * @param wasJustSent one is on its way already, so that the next one has to wait. Default false.
 */
export function useSending(wasJustSent = false): Sending {
  const [state, setState] = useState(() => ({
    pending: false,
    hasSent: false,
    problem: undefined as string | undefined,
    nextAtMs: wasJustSent ? Date.now() + sendAgainAfterMs : null,
  }));
  return {
    ...state,
    async send(request) {
      setState((current) => ({ ...current, pending: true, problem: undefined }));
      const problem = await request();
      const waitMs = problem ? (problem.retryAfterSeconds ?? 0) * 1000 : sendAgainAfterMs;
      setState({
        pending: false,
        hasSent: problem === undefined,
        problem: problem?.message,
        nextAtMs: waitMs > 0 ? Date.now() + waitMs : null,
      });
    },
  };
}
