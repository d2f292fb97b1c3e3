/**
 * What the examples of docstrings and pages take for granted, so that each can be short: a project, its clients, and the
 * types of its tables. An example that makes one of them itself hides the one here.
 */
import type { SupabaseClient } from '@supabase/supabase-js';
import type { SupabaseClients, SupabaseConnection } from 'supabase-protocol-clients';
import type { StorageClient } from 'supabase-protocol-clients/storage-client';
import type { FunctionsClient } from 'supabase-protocol-clients/functions-client';
import type { Database as InboxDatabase } from '../../src/inbox/database.types.ts';

type Clients = SupabaseClients<InboxDatabase>;

declare global {
  type Database = InboxDatabase;
  const url: string;
  const apiKey: string;
  const userId: string;
  const auth: Clients['auth'];
  const rest: Clients['rest'];
  const realtime: Clients['realtime'];
  const platform: Clients['platform'];
  const connection: SupabaseConnection;
  const storage: StorageClient;
  const functions: FunctionsClient;
  /** The vendor's client, in the page for those who migrate. */
  const supabase: SupabaseClient<InboxDatabase>;
}
