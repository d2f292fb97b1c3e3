import { useSyncExternalStore } from 'react';
import { createObservable } from 'supabase-protocol-clients/platform';

/** Whether the server responds. False while requests hang although the browser reports a network. */
export const serverReachable = createObservable(true);

function subscribe(listener: () => void): () => void {
  addEventListener('online', listener);
  addEventListener('offline', listener);
  const stop = serverReachable.subscribe(listener);
  return () => {
    removeEventListener('online', listener);
    removeEventListener('offline', listener);
    stop();
  };
}

/** Whether there is a network, as far as the browser knows (`navigator.onLine`), and the server responds. */
export function useOnline(): boolean {
  return useSyncExternalStore(subscribe, () => navigator.onLine && serverReachable.getSnapshot());
}
