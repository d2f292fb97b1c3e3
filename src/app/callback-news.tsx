import { useEffect } from 'react';
import { useLocation } from 'wouter';
import { toasts } from '../ui/toasts.ts';
import { useAuthErrorText } from './auth-problem.ts';
import { useAuthState } from './clients-context.ts';
import { paths } from './routes.ts';

/** Tells a person who is signed in that the link they followed did nothing. The account tells it in its own place. */
export function CallbackNews() {
  const { callbackError } = useAuthState();
  const [path] = useLocation();
  const text = useAuthErrorText(path === paths.account ? undefined : callbackError?.code);
  useEffect(() => {
    if (text !== null) toasts.show(text, { tone: 'error' });
  }, [text]);
  return null;
}
