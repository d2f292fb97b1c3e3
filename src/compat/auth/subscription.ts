import type { AuthClient } from '../../auth-client/index.ts';
import { type AuthChangeEvent, readSession, type Session } from './session.ts';

/** What `onAuthStateChange` returns. */
export interface Subscription {
  /** Distinguishes subscriptions. */
  id: symbol;
  /** The listener. */
  callback: (event: AuthChangeEvent, session: Session | null) => unknown;
  /** Ends the subscription. */
  unsubscribe: () => void;
}

/**
 * Calls a listener with the session that the client begins with, and with each event. As the vendor's client does, a listener of
 * a client that has not begun hears first what has become of the stored session: it counts as a sign-in unless something else has.
 */
export function follow(auth: AuthClient, callback: Subscription['callback']): Subscription {
  let isStarted = false;
  let isEnded = false;
  const waiting: AuthChangeEvent[] = [];
  const tell = (event: AuthChangeEvent) => {
    if (isEnded) return;
    try {
      Promise.resolve(callback(event, readSession(auth))).catch(auth.core.platform.report);
    } catch (problem) {
      auth.core.platform.report(problem);
    }
  };
  const stop = auth.onEvent(({ name }) => {
    if (name === 'INITIAL_SESSION') return;
    if (isStarted) tell(name);
    else waiting.push(name);
  });
  const isEarly = auth.getSnapshot().status === 'loading';
  const begin = () => {
    isStarted = true;
    if (isEarly && waiting.length === 0 && readSession(auth)) waiting.push('SIGNED_IN');
    [...waiting, 'INITIAL_SESSION' as const].forEach(tell);
  };
  auth.start().then(begin, auth.core.platform.report);
  return {
    id: Symbol('subscription'),
    callback,
    unsubscribe() {
      isEnded = true;
      stop();
    },
  };
}
