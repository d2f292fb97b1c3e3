import { Pool } from 'pg';
import type { LocalSupabase } from 'local-supabase';

/** The Supabase under a storm. */
export interface StormTarget {
  readonly url: string;
  readonly secretKey: string;
  readonly anonKey: string;
  readonly fetch: typeof fetch;
  /** Runs statements. */
  exec(sql: string): Promise<unknown>;
  query(sql: string): Promise<readonly unknown[]>;
  readonly faults: readonly (() => unknown)[];
  /** Ends the faults. */
  recover(): Promise<void>;
  close(): Promise<void>;
}

export function embeddedTarget(supabase: LocalSupabase): StormTarget {
  const { url, secretKey, anonKey, fetch, database, realtime } = supabase;
  const { faults } = realtime;
  const recover = async () => {
    faults.refuseUpgrades(null);
    faults.limitEvents(null);
    await faults.setDatabaseAvailable(true);
    faults.setMessageReplication(true);
  };
  return {
    url,
    secretKey,
    anonKey,
    fetch,
    exec: (sql) => database.exec(sql),
    query: async (sql) => await database.query(sql),
    faults: [
      () => faults.dropSockets(),
      () => faults.swallowFrames(),
      () => faults.crashChannels(),
      () => faults.requestDisconnect(),
      () => faults.expireTokens(),
      () => faults.refuseUpgrades(503),
      () => faults.refuseUpgrades(null),
      () => faults.limitEvents(1),
      () => faults.limitEvents(null),
      () => faults.setDatabaseAvailable(false),
      () => faults.setDatabaseAvailable(true),
      () => faults.setSlot('ended'),
      () => faults.setSlot('waiting'),
      () => faults.setSlot('refused'),
      () => faults.setSlot('available'),
      () => faults.setMessageReplication(false),
      () => faults.setMessageReplication(true),
    ],
    recover,
    close: recover,
  };
}

/**
 * A running Supabase that is named by `STORM_URL`, `STORM_SECRET_KEY`, `STORM_ANON_KEY` and `STORM_DATABASE_URL` (a superuser);
 * null without them. The storm leaves its tables, and a publication that sends deletions.
 */
export async function runningTarget(): Promise<StormTarget | null> {
  const { STORM_URL, STORM_SECRET_KEY, STORM_ANON_KEY, STORM_DATABASE_URL } = process.env;
  if (!STORM_URL || !STORM_SECRET_KEY || !STORM_ANON_KEY || !STORM_DATABASE_URL) return null;
  const pool = new Pool({ connectionString: STORM_DATABASE_URL });
  const query = async (sql: string) => (await pool.query<object>(sql)).rows;
  const terminate = (condition: string) => () =>
    query(`select pg_terminate_backend(pid) from pg_stat_activity where ${condition}`);
  return {
    url: STORM_URL,
    secretKey: STORM_SECRET_KEY,
    anonKey: STORM_ANON_KEY,
    fetch,
    exec: query,
    query,
    faults: [
      // The sender of broadcasts, and the reader of changes with its slot.
      terminate("backend_type = 'walsender'"),
      terminate("application_name like 'realtime%' and query like '%list_changes%'"),
      terminate("application_name like 'realtime%'"),
    ],
    recover: async () => {},
    close: () => pool.end(),
  };
}
