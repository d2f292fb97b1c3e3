import { AuthError, type AuthClient, type AuthErrorCode } from 'supabase-protocol-clients/auth-client';
import type { PasskeySignIn, Passkeys } from 'supabase-protocol-clients/auth-client/passkeys';
import { runFormAction } from '../../../shared/auth-problem/auth-problem.ts';
import { rememberPasskeyUse } from '../../../shared/known-passkey.ts';
import { createObservable, type Observable } from 'supabase-protocol-clients/platform';

/** `rate-limited`: the server hands out no more challenges to this network address for now. */
export type PasskeyProblem =
  | { readonly type: 'rate-limited' }
  | { readonly type: 'other'; readonly message: string };

export interface PasskeyState {
  /** Whether the browser prompts or the server verifies the passkey. */
  readonly pending: boolean;
  readonly problem: PasskeyProblem | undefined;
}

/** The sign-in screen's requests for a passkey, one at a time as the browser allows. After a success `App` redirects. */
export interface PasskeyRequests {
  readonly state: Pick<Observable<PasskeyState>, 'subscribe' | 'getSnapshot'>;
  /** Offers passkeys in the autofill of the email field, unless a request runs. Fails silently until one is chosen. */
  readonly offer: () => Promise<void>;
  /** Prompts for a passkey. @param captchaToken where the project requires one. */
  readonly prompt: (captchaToken: string | undefined) => Promise<void>;
  readonly stop: () => void;
}

const idle: PasskeyState = { pending: false, problem: undefined };
const busy: PasskeyState = { pending: true, problem: undefined };

/** One per client: the forms of the sign-in screen share the challenge that no passkey has used yet. */
const passkeysOf = new WeakMap<AuthClient, Promise<Passkeys>>();

function loadPasskeys(auth: AuthClient): Promise<Passkeys> {
  const known = passkeysOf.get(auth);
  if (known) return known;
  const loading = import('supabase-protocol-clients/auth-client/passkeys').then(({ createPasskeys }) =>
    createPasskeys(auth, { userVerification: 'required' }),
  );
  passkeysOf.set(auth, loading);
  // The next call loads the code again.
  loading.catch(() => passkeysOf.delete(auth));
  return loading;
}

/** @param offersAutofill false where the project requires a captcha, because its token belongs to the submitted form. */
export function createPasskeyRequests(auth: AuthClient, offersAutofill: boolean): PasskeyRequests {
  const state = createObservable(idle);
  let running: AbortController | null = null;
  let isRateLimited = false;

  const stop = () => {
    running?.abort();
    running = null;
    state.set(idle);
  };
  /** Resolves with the failure; undefined after a success, or if the request was stopped. */
  const run = async (request: PasskeySignIn): Promise<PasskeyProblem | undefined> => {
    running?.abort();
    const controller = new AbortController();
    running = controller;
    const { signal } = controller;
    let code: AuthErrorCode | undefined;
    const failure = await runFormAction([], async () => {
      try {
        const passkeys = await loadPasskeys(auth);
        await passkeys.signInWithPasskey(request, { signal });
        rememberPasskeyUse();
      } catch (problem) {
        if (problem instanceof AuthError) ({ code } = problem);
        throw problem;
      }
    });
    if (signal.aborted) return undefined;
    running = null;
    isRateLimited = code === 'over_request_rate_limit';
    if (isRateLimited) return { type: 'rate-limited' };
    return failure && { type: 'other', message: failure.message ?? '' };
  };
  const offer = async (): Promise<void> => {
    // After a refusal for the rate limit only the button retries: each focus would use up one more request.
    if (!offersAutofill || running || isRateLimited) return;
    let isChosen = false;
    const onChosen = () => {
      isChosen = true;
      state.set(busy);
    };
    const problem = await run({ mediation: 'conditional', onChosen });
    // The form works without autofill, so show a failure only after a passkey was chosen.
    if (isChosen && problem !== undefined) await fail(problem);
  };
  const fail = (problem: PasskeyProblem) => {
    state.set({ pending: false, problem });
    return offer();
  };
  return {
    state,
    offer,
    stop,
    async prompt(captchaToken) {
      state.set(busy);
      const problem = await run({ captchaToken });
      if (problem !== undefined) await fail(problem);
    },
  };
}
