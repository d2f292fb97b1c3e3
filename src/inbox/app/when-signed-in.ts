import type { AuthClient } from 'supabase-protocol-clients/auth-client';

/** Runs `task` once: now if a user is signed in, else after the next sign-in. */
export function whenSignedIn(auth: Pick<AuthClient, 'getSnapshot' | 'subscribe'>, task: () => void): void {
  const isSignedIn = () => auth.getSnapshot().status === 'signed-in';
  if (isSignedIn()) return task();
  const stop = auth.subscribe(() => {
    if (!isSignedIn()) return;
    stop();
    task();
  });
}
