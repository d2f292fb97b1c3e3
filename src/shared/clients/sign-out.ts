import { navigate } from 'wouter/use-browser-location';
import type { AuthClient } from '../../auth-client/index.ts';
import { confirmSignOut } from '../outbox/sign-out-question.ts';
import type { Clients } from './clients-context.ts';
import { type EntranceNotice, isPublicPath, paths } from '../routes.ts';

/** What the next screen says if the server could not end the sessions of a scope. */
export const signOutNotices = {
  global: 'sign-out-failed',
  local: 'local-sign-out-failed',
} as const satisfies Record<string, EntranceNotice>;

/** Signs out here, unless the user decides to keep changes that are not sent yet. If the server could not end the sessions, the screen that the gate then shows says so. */
export async function signOutHere(auth: AuthClient, scope: 'local' | 'global'): Promise<void> {
  if (!(await confirmSignOut())) return;
  const { revoked } = await auth.signOut({ scope });
  // The response may come after the user has signed in again.
  if (revoked || auth.getSnapshot().status !== 'signed-out') return;
  const { pathname, search } = location;
  const path = isPublicPath(pathname) ? pathname + search : paths.login;
  navigate(path, { replace: true, state: signOutNotices[scope] });
}

/** Signs out all other devices. @throws {AuthError} if the server could not end their sessions. */
export async function signOutOthers(clients: Clients): Promise<void> {
  const result = await clients.auth.signOut({ scope: 'others' });
  if (!result.revoked) throw result.cause;
  await announceEndedSessions(clients);
}

/** Tells the user's other devices that their sessions have ended, so that they close at once and not at the next refresh. */
export async function announceEndedSessions({ loadRest, platform }: Clients): Promise<void> {
  try {
    const rest = await loadRest();
    await rest.rpc('end_other_sessions').execute();
  } catch (problem) {
    // Their access tokens still end within the hour.
    platform.report(problem);
  }
}
