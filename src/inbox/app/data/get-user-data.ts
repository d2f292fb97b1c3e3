import type { Clients } from '../../shared/clients/clients-context.ts';
import type { Configuration } from '../../shared/clients/env.ts';
import type { RestClient } from 'supabase-protocol-clients/rest-client';
import type { Database } from '../../database.types.ts';
import { readSessionId } from '../../shared/token-claims.ts';
import { saveMissingLocale } from './save-locale.ts';
import { UserData } from './user-data.ts';

const current = new WeakMap<Clients, UserData>();

/** The signed-in user's data: created on first use, shared by all pages, closed at sign-out. */
export function getUserData(
  clients: Clients,
  rest: RestClient<Database>,
  configuration: Pick<Configuration, 'usesBroadcasts' | 'pushPublicKey'>,
  userId: string,
): UserData {
  const known = current.get(clients);
  if (known?.userId === userId) return known;
  const { session } = clients.auth.getSnapshot();
  const sessionId = session ? readSessionId(session) : '';
  const { auth, loadRealtime, platform } = clients;
  const made = new UserData({
    rest,
    loadRealtime,
    configuration,
    userId,
    sessionId,
    platform,
    completeAccount: () => saveMissingLocale(document.documentElement.lang, auth),
    checkSession: () =>
      auth.getUser().catch((problem: unknown) => {
        // A missing session is the result of the check and no failure: the client has signed out.
        if (auth.getSnapshot().session) throw problem;
      }),
  });
  current.set(clients, made);
  const stop = clients.auth.subscribe(() => {
    const { status, user } = clients.auth.getSnapshot();
    if (status === 'loading' || user?.id === userId) return;
    stop();
    if (current.get(clients) === made) current.delete(clients);
    void made.close();
  });
  return made;
}

/** Closes the data as a sign-out does, for tests, in which a page ends but not its realm. */
export async function closeUserData(clients: Clients): Promise<void> {
  const opened = current.get(clients);
  current.delete(clients);
  await opened?.close();
}
