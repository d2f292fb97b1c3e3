import type { Unsubscribe } from 'supabase-protocol-clients/platform';
import type { Clients } from '../../shared/clients/clients-context.ts';
import { databaseNames } from '../../shared/open-store.ts';

/** Deletes the persisted data and the pending actions of all users. Open connections close by themselves on `versionchange`. */
export async function deletePersistedData(): Promise<void> {
  await Promise.all(Object.values(databaseNames).map(deleteDatabase));
}

function deleteDatabase(name: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const request = indexedDB.deleteDatabase(name);
    request.onsuccess = () => resolve();
    request.onerror = () => reject(request.error ?? new Error(`${name} was not deleted`));
  });
}

/** Unsubscribes this device from push messages, because the sign-out may not have reached the server. */
async function endPush(): Promise<void> {
  const registration = await globalThis.navigator?.serviceWorker?.getRegistration();
  await (await registration?.pushManager?.getSubscription())?.unsubscribe();
}

/**
 * Deletes the persisted data when the application starts signed out, and when the session ends on any page or in any tab. Unless
 * the user has signed out, pending actions stay for the next session of the same user.
 */
export function deleteWhenSignedOut({ auth, platform }: Clients): Unsubscribe {
  const attempt = (work: Promise<unknown>) => void work.catch(platform.report);
  const deleteCache = () => deleteDatabase(databaseNames.cache);
  void auth.start().then(({ status }) => {
    if (status === 'signed-out') attempt(deleteCache());
  });
  return auth.onEvent(({ name, reason }) => {
    if (name !== 'SIGNED_OUT') return;
    attempt(reason === 'call' ? deletePersistedData() : deleteCache());
    attempt(endPush());
  });
}
