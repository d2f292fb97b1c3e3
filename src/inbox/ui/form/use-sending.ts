import { useState } from 'react';
import type { FormProblem } from './use-form.ts';

/** The auth server's default minimum interval between two messages to one user. */
const sendAgainAfterMs = 60_000;

export interface UseSendingResult {
  readonly pending: boolean;
  /** Whether the last message was sent successfully by this hook. */
  readonly hasSent: boolean;
  readonly problem: string | undefined;
  /** When (epoch milliseconds) the next message may be sent; null: now. */
  readonly nextAtMs: number | null;
  /** @param request resolves with the server's error, if any. Must not throw. */
  send(request: () => Promise<FormProblem<never> | undefined>): Promise<void>;
}

/**
 * Resends a mail or text message, respecting the server's minimum interval.
 *
 * @param wasJustSent a message was sent just now, so that the next one has to wait. Default false.
 */
export function useSending(wasJustSent = false): UseSendingResult {
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
