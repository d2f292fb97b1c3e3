import { connectLocalSupabase, type StartProgress, type WorkerSupabase } from 'local-supabase/browser';

/** The output folder of `scripts/site/build-playground.ts`. */
const folder = new URL(`${SITE_BASE}playground-files/`, location.origin);

/**
 * Starts the project in a worker that all tabs share; in a browser without shared workers, one tab at a time runs it.
 * Its data and keys stay in this browser.
 */
export async function startProject(onProgress: (progress: StartProgress) => void): Promise<WorkerSupabase> {
  const script = new URL('worker.js', folder);
  const options = { type: 'module', name: 'local-supabase' } as const;
  const isShared = typeof SharedWorker === 'function';
  const worker = isShared ? new SharedWorker(script, options).port : new Worker(script, options);
  keepForOffline();
  return connectLocalSupabase(worker, { onProgress });
}

/** After the first start, the playground and the demo also open offline. */
function keepForOffline(): void {
  if (!('serviceWorker' in navigator)) return;
  void navigator.serviceWorker.register(`${SITE_BASE}playground-sw.js`).catch((problem: unknown) => {
    console.warn('The playground will need the network next time', problem);
  });
}
