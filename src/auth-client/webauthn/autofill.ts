import type { Clock, Page, Platform } from '../../platform/platform.ts';
import { AuthError } from '../errors.ts';
import type { CredentialJson } from './credential-json.ts';
import type { TimedChallenge } from './unused-challenge.ts';

/** The two steps of a request, which the caller provides. */
export interface AutofillSteps<Challenge> {
  takeChallenge(signal: AbortSignal): Promise<TimedChallenge<Challenge>>;
  /** Waits for the person. Rejects when the signal aborts. */
  requestCredential(challenge: Challenge, signal: AbortSignal): Promise<CredentialJson>;
}

export interface AutofillRequest<Challenge> {
  /** Rejects with `aborted` upon `end` or the caller's signal. */
  readonly response: Promise<{ readonly challenge: Challenge; readonly credential: CredentialJson }>;
  end(): void;
}

/** Offers the passkeys until the person chooses one; renews the challenge before it expires, in a visible page only. */
export function requestInAutofill<Challenge>(
  { clock, page }: Pick<Platform, 'clock' | 'page'>,
  signal: AbortSignal | undefined,
  steps: AutofillSteps<Challenge>,
): AutofillRequest<Challenge> {
  const ending = new AbortController();
  const end = () => ending.abort(new AuthError('aborted', 'Aborted', { cause: signal?.reason }));
  if (signal?.aborted) end();
  signal?.addEventListener('abort', end);
  const response = async () => {
    try {
      for (;;) {
        const { challenge, usableUntilMs } = await steps.takeChallenge(ending.signal);
        const credential = await offer(challenge, usableUntilMs - clock.now());
        if (credential) return { challenge, credential };
        await untilVisible(page, ending.signal);
      }
    } finally {
      signal?.removeEventListener('abort', end);
    }
  };
  /** Resolves with null once the challenge has to be renewed. */
  const offer = async (challenge: Challenge, useMs: number): Promise<CredentialJson | null> => {
    const { signal: offerSignal, stop, hasExpired } = limitUse(clock, ending.signal, useMs);
    try {
      return await steps.requestCredential(challenge, offerSignal);
    } catch (problem) {
      if (hasExpired()) return null;
      throw problem;
    } finally {
      stop();
    }
  };
  return { response: response(), end };
}

/** A signal that aborts with another one, or once the time of use is over. */
function limitUse(clock: Clock, outer: AbortSignal, useMs: number) {
  const controller = new AbortController();
  let expired = false;
  const abort = () => controller.abort(outer.reason);
  if (outer.aborted) abort();
  outer.addEventListener('abort', abort);
  const timer = clock.setTimer(() => {
    expired = true;
    controller.abort();
  }, useMs);
  return {
    signal: controller.signal,
    hasExpired: () => expired && !outer.aborted,
    stop() {
      timer.cancel();
      outer.removeEventListener('abort', abort);
    },
  };
}

/** A hidden page needs no challenge: it would request one every few minutes. @throws the signal's reason if it aborts. */
function untilVisible(page: Page, signal: AbortSignal): Promise<void> {
  if (page.isVisible()) return Promise.resolve();
  return new Promise((resolve, reject) => {
    const end = () => {
      unsubscribe();
      signal.removeEventListener('abort', end);
      if (signal.aborted) reject(signal.reason);
      else resolve();
    };
    const unsubscribe = page.subscribe((name) => {
      if (name === 'visible') end();
    });
    signal.addEventListener('abort', end);
  });
}
