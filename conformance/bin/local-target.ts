import type { LocalSupabase } from 'local-supabase';
import type { ClientAdapter } from '../src/target/client-adapter.ts';
import type { ConformanceTarget } from '../src/target/target.ts';

/** The clients of `supabase-protocol-clients`, loaded when an audit opens one. */
export const ownClient: ClientAdapter = {
  name: 'supabase-protocol-clients',
  open: async (project) =>
    (await import('../src/clients/our-adapter.ts')).createClientAdapter().open(project),
};

/** The embedded Supabase as a target; it must have ports. */
export function createLocalTarget({
  url,
  anonKey,
  serviceRoleKey,
  mailboxUrl,
  database,
}: LocalSupabase): ConformanceTarget {
  return {
    authUrl: `${url}/auth/v1`,
    restUrl: `${url}/rest/v1`,
    storageUrl: `${url}/storage/v1`,
    realtimeUrl: `${url.replace(/^http/, 'ws')}/realtime/v1/websocket`,
    anonKey,
    serviceKey: serviceRoleKey,
    mailboxUrl,
    smsInMailbox: true,
    redirectTo: 'http://localhost:5173/home',
    fetch: (input, init) => fetch(input, init),
    query: database.query,
    createsTables: true,
    client: ownClient,
  };
}

/** @throws {Error} if the optional package local-supabase is not installed. */
export async function startLocalSupabase(): Promise<LocalSupabase> {
  const { createLocalSupabase } = await import('local-supabase').catch((cause: unknown) => {
    throw new Error('Name a server with --url, or install local-supabase to audit an embedded one.', {
      cause,
    });
  });
  return createLocalSupabase({ config: false, port: 0, mailboxPort: 0, auth: { bcryptCost: 4 } });
}
