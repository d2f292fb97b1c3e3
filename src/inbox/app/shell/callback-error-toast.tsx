import { useEffect } from 'react';
import { useLocation } from 'wouter';
import { toasts } from '../../ui/state/toasts.ts';
import { shownCallbackErrors, useAuthErrorText } from '../../shared/auth-problem/auth-problem.ts';
import { useAuth } from 'supabase-protocol-clients/react';
import { paths, plainPath } from '../../shared/routes.ts';

/** Shows a failed mail link or provider callback as a toast; /account shows it in its own place. */
export function CallbackErrorToast() {
  const { callbackError } = useAuth();
  const [path] = useLocation();
  const isOnAccountPage = plainPath(path) === paths.account;
  const isNew = callbackError !== null && !isOnAccountPage && !shownCallbackErrors.has(callbackError);
  const text = useAuthErrorText(isNew ? callbackError.code : undefined);
  useEffect(() => {
    if (callbackError === null || text === null) return;
    let isGone = false;
    // Deferred: a layout that unmounts in this commit would clear its toasts.
    queueMicrotask(() => {
      if (isGone) return;
      shownCallbackErrors.add(callbackError);
      toasts.show(text, { tone: 'error' });
    });
    return () => {
      isGone = true;
    };
  }, [callbackError, text]);
  return null;
}
