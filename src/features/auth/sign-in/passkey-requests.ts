import type { AuthClient } from '../../../auth-client/index.ts';
import type { PasskeySignIn } from '../../../auth-client/features/passkeys.ts';
import { attempt } from '../../../shared/auth-problem/auth-problem.ts';
import { createStore, type Store } from '../../../ui/state/store.ts';

export interface PasskeyState {
  /** The browser prompts, or the server verifies the passkey. */
  readonly pending: boolean;
  readonly problem: string | undefined;
}

/** The sign-in screen's requests for a passkey, one at a time as the browser allows. After a success the gate redirects. */
export interface PasskeyRequests {
  readonly state: Pick<Store<PasskeyState>, 'subscribe' | 'getSnapshot'>;
  /** Offers passkeys in the autofill of the email field, unless a request runs. Fails silently until one is chosen. */
  readonly offer: () => Promise<void>;
  /** Prompts for a passkey. @param captchaToken where the project requires one. */
  readonly prompt: (captchaToken: string | undefined) => Promise<void>;
  readonly stop: () => void;
}

const idle: PasskeyState = { pending: false, problem: undefined };
const busy: PasskeyState = { pending: true, problem: undefined };

/** @param offersAutofill false where the project requires a captcha, whose answer belongs to what the person submits. */
export function createPasskeyRequests(auth: AuthClient, offersAutofill: boolean): PasskeyRequests {
  const state = createStore(idle);
  let running: AbortController | null = null;

  const stop = () => {
    running?.abort();
    running = null;
    state.set(idle);
  };
  /** Resolves with the text of a failure; undefined after a success, or if the request was stopped. */
  const run = async (request: PasskeySignIn): Promise<string | undefined> => {
    running?.abort();
    const controller = new AbortController();
    running = controller;
    const { signal } = controller;
    const failure = await attempt([], async () => {
      const { createPasskeys } = await import('../../../auth-client/features/passkeys.ts');
      await createPasskeys(auth).signInWithPasskey(request, { signal });
    });
    if (signal.aborted) return undefined;
    running = null;
    return failure?.message;
  };
  const offer = async (): Promise<void> => {
    if (!offersAutofill || running) return;
    let isChosen = false;
    const onChosen = () => {
      isChosen = true;
      state.set(busy);
    };
    const problem = await run({ mediation: 'conditional', onChosen });
    // The form works without autofill: a failure concerns the person only after the choice of a passkey.
    if (isChosen && problem !== undefined) await fail(problem);
  };
  const fail = (problem: string) => {
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
