import type { Clients, DataClients } from '../../shared/clients/clients-context.ts';
import { readSessionId } from '../../shared/token-claims.ts';
import { createUserData } from './user-data.ts';
import type { UserData } from './user-data.ts';

const current = new WeakMap<Clients, UserData>();

/**
 * The signed-in user's data: created on first use, shared by all pages, closed at sign-out.
 */
export function userDataOf(clients: Clients, data: DataClients, userId: string): UserData {
  const known = current.get(clients);
  if (known?.userId === userId) return known;
  const { session } = clients.auth.getSnapshot();
  const sessionId = session ? readSessionId(session) : '';
  const made = createUserData({ ...data, userId, sessionId, platform: clients.platform });
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
