/**
 * Connects a page to a project that runs in a worker of its site. See README.md.
 *
 * @example
 * ```ts
 * import { connectLocalSupabase } from 'local-supabase/browser';
 *
 * const worker = new Worker(new URL('./supabase-worker.ts', import.meta.url), { type: 'module' });
 * const supabase = await connectLocalSupabase(worker);
 * const response = await supabase.fetch(`${supabase.url}/rest/v1/todos`, { headers: { apikey: supabase.anonKey } });
 * ```
 */
export type { ProjectAddresses, StartProgress } from './browser/messages.ts';
export {
  connectLocalSupabase,
  type ConnectOptions,
  type WorkerSupabase,
  type WorkerTarget,
} from './browser/port-client.ts';
