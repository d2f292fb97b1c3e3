import { createClient } from '@supabase/supabase-js';
import { beforeAll } from 'vitest';
import { WebSocket } from 'ws';
import type { LocalSupabase } from '../../src/server/server.ts';
import { ada, grace, signIn } from '../../../test/support/local-supabase.ts';

/** The vendor's storage client over a port, as an independent check of the protocol, for the users of the seed and the service. */
export function useVendorStorage(supabase: () => LocalSupabase) {
  const tokens = new Map<string, string>();
  beforeAll(async () => {
    for (const { email } of [ada, grace]) tokens.set(email, await signIn(supabase(), email));
  });
  return {
    tokens,
    /** The client of a user, or of the service. */
    storageOf(email?: string) {
      const { url, anonKey, serviceRoleKey } = supabase();
      const token = email === undefined ? serviceRoleKey : (tokens.get(email) ?? '');
      return createClient(url, email === undefined ? serviceRoleKey : anonKey, {
        accessToken: () => Promise.resolve(token),
        realtime: { transport: WebSocket as never },
      }).storage;
    },
  };
}
