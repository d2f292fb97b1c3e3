import type { Clients } from './clients-context.ts';

/** Signs out all other devices. @throws {AuthError} if the server could not end their sessions. */
export async function signOutOthers(clients: Clients): Promise<void> {
  const result = await clients.auth.signOut({ scope: 'others' });
  if (!result.revoked) throw result.cause;
  await announceEndedSessions(clients);
}

/**
 * Notifies the user's other devices that their sessions have ended, so that they close at once and not at the next refresh.
 */
export async function announceEndedSessions({ loadRest, platform }: Clients): Promise<void> {
  try {
    const rest = await loadRest();
    await rest.rpc('end_other_sessions').execute();
  } catch (problem) {
    // The other sessions' access tokens still expire within the hour.
    platform.report(problem);
  }
}
