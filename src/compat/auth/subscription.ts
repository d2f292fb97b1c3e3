import type { AuthClient } from '../../auth-client/index.ts';
import { type AuthChangeEvent, readSession, type Session } from './session.ts';

/** What `onAuthStateChange` returns. */
export interface Subscription {
  /** Distinguishes subscriptions. */
  id: symbol;
  /** Receives the events. */
  callback: (event: AuthChangeEvent, session: Session | null) => unknown;
  /** Ends the subscription. */
  unsubscribe: () => void;
}

/**
 * Calls a listener with the initial session and with each event. As in the vendor's client, a listener that is added before
 * the client has started first receives the event of the stored session: `SIGNED_IN` unless another event occurred.
 */
export function follow(auth: AuthClient, callback: Subscription['callback']): Subscription {
  let isStarted = false;
  let isEnded = false;
  const waiting: AuthChangeEvent[] = [];
  const notify = (event: AuthChangeEvent) => {
    if (isEnded) return;
    try {
      Promise.resolve(callback(event, readSession(auth))).catch(auth.core.platform.report);
    } catch (problem) {
      auth.core.platform.report(problem);
    }
  };
  const stop = auth.onEvent(({ name }) => {
    if (name === 'INITIAL_SESSION') return;
    if (isStarted) notify(name);
    else waiting.push(name);
  });
  const isEarly = auth.getSnapshot().status === 'loading';
  const begin = () => {
    isStarted = true;
    if (isEarly && waiting.length === 0 && readSession(auth)) waiting.push('SIGNED_IN');
    [...waiting, 'INITIAL_SESSION' as const].forEach(notify);
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
