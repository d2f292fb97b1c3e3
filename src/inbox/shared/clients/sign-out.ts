import { navigate } from 'wouter/use-browser-location';
import type { AuthClient } from 'supabase-protocol-clients/auth-client';
import { confirmSignOut } from './sign-out-question.ts';
import { type LoginNotice, isPublicPath, paths } from '../routes.ts';

/** The notice of the next screen if the server could not end the sessions of a scope. */
export const signOutNotices = {
  global: 'sign-out-failed',
  local: 'local-sign-out-failed',
} as const satisfies Record<string, LoginNotice>;

/**
 * Signs out on this device, unless the user decides to keep changes that are not sent yet. If the server could not end the
 * sessions, the next screen shows it.
 */
export async function signOutHere(auth: AuthClient, scope: 'local' | 'global'): Promise<void> {
  if (!(await confirmSignOut())) return;
  const { revoked } = await auth.signOut({ scope });
  // The response may arrive after the user has signed in again.
  if (revoked || auth.getSnapshot().status !== 'signed-out') return;
  const { pathname, search } = location;
  const path = isPublicPath(pathname) ? pathname + search : paths.login;
  navigate(path, { replace: true, state: signOutNotices[scope] });
}
