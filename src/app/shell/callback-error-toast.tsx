import { useEffect } from 'react';
import { useLocation } from 'wouter';
import { toasts } from '../../ui/overlay/toasts.ts';
import { useAuthErrorText } from '../../shared/auth-problem/auth-problem.ts';
import { useAuth } from '../../react/index.ts';
import { paths, plainPath } from '../../shared/routes.ts';

/** Callback errors that were already shown, here or on /account. */
const shown = new WeakSet<object>();

/** Shows a failed mail link or provider callback as a toast; /account shows it in its own place. */
export function CallbackErrorToast() {
  const { callbackError } = useAuth();
  const [path] = useLocation();
  const isOnAccountPage = plainPath(path) === paths.account;
  const isNew = callbackError !== null && !isOnAccountPage && !shown.has(callbackError);
  const text = useAuthErrorText(isNew ? callbackError.code : undefined);
  useEffect(() => {
    if (callbackError === null || shown.has(callbackError) || !(isOnAccountPage || text !== null)) return;
    let isGone = false;
    // Deferred: a layout that unmounts in this commit would clear its toasts.
    queueMicrotask(() => {
      if (isGone) return;
      shown.add(callbackError);
      if (text !== null) toasts.show(text, { tone: 'error' });
    });
    return () => {
      isGone = true;
    };
  }, [callbackError, isOnAccountPage, text]);
  return null;
}
