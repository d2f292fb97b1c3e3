import { useEffect } from 'react';
import { useLocation } from 'wouter';
import { toasts } from '../../ui/overlay/toasts.ts';
import { useAuthErrorText } from '../../shared/auth-problem/auth-problem.ts';
import { useAuthState } from '../../shared/clients/clients-context.ts';
import { paths, plainPath } from '../../shared/routes.ts';

/** What somebody was told already, here or on the account's page. */
const told = new WeakSet<object>();

/** Tells a person who is signed in that the link they followed did nothing. The account tells it in its own place. */
export function CallbackNews() {
  const { callbackError } = useAuthState();
  const [path] = useLocation();
  const isToldThere = plainPath(path) === paths.account;
  const isNews = callbackError !== null && !isToldThere && !told.has(callbackError);
  const text = useAuthErrorText(isNews ? callbackError.code : undefined);
  useEffect(() => {
    if (callbackError === null || told.has(callbackError) || !(isToldThere || text !== null)) return;
    let isGone = false;
    // Not at once: a layout that is about to be taken away takes its messages along.
    queueMicrotask(() => {
      if (isGone) return;
      told.add(callbackError);
      if (text !== null) toasts.show(text, { tone: 'error' });
    });
    return () => {
      isGone = true;
    };
  }, [callbackError, isToldThere, text]);
  return null;
}
