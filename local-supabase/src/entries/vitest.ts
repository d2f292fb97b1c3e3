/** `local-supabase/vitest`: an instance for the tests of a file. */
import { afterAll, beforeAll } from 'vitest';
import { createDatabasePool } from '../project/database-pool.ts';
import type { LocalSupabaseOptions } from '../project/options.ts';
import { createLocalSupabase, type LocalSupabase } from '../server/server.ts';

/** A caller of the API: its token, and `fetch` with its headers. */
export interface Caller {
  readonly token: string;
  /** @param path relative to the project's URL, such as `/rest/v1/todos`. */
  fetch(path: string, init?: RequestInit): Promise<Response>;
}

export interface TestSupabase extends LocalSupabase {
  /** Restores the initial state: rows, users, files, mails, faults and the clock. An instance with a port keeps it. */
  reset(): Promise<void>;
  /**
   * Calls the API as the user with this email, or with any claims.
   *
   * @throws {Error} if no user has the email.
   */
  asUser(who: string | Readonly<Record<string, unknown>>): Promise<Caller>;
}

/** The first start in a worker compiles PostgreSQL, which takes more than Vitest's ten seconds on a busy machine. */
const hookTimeoutMs = 60_000;

/** A Vitest worker runs several files; each gets a pooled database that was reset to its initial state. */
const databases = createDatabasePool();

/**
 * Starts an in-memory instance before the first test of a file, and ends it after the last. Passwords are hashed at the
 * lowest cost.
 *
 * @returns a function that returns the instance, once it has started.
 */
export function useLocalSupabase(options: LocalSupabaseOptions = {}): () => TestSupabase {
  let started: LocalSupabase | undefined;
  const start = async (more: LocalSupabaseOptions = {}) => {
    started = await createLocalSupabase({
      databases,
      ...options,
      ...more,
      auth: { bcryptCost: 4, mailResponseMs: 0, ...options.auth },
    });
  };
  beforeAll(() => start(), hookTimeoutMs);
  afterAll(async () => started?.close(), hookTimeoutMs);
  const instance = () => {
    if (!started) throw new Error('The local Supabase has not started yet');
    return started;
  };
  const reset = async () => {
    const { url, close } = instance();
    await close();
    await start(typeof options.port === 'number' ? { port: Number(new URL(url).port) } : {});
  };
  return () => ({ ...instance(), reset, asUser: (who) => signInAs(instance(), who) });
}

async function signInAs(
  { database, keys, clock, url, anonKey, fetch }: LocalSupabase,
  who: string | Readonly<Record<string, unknown>>,
): Promise<Caller> {
  const issuedAt = Math.floor(clock.now() / 1000);
  const token = await keys.sign({
    aud: 'authenticated',
    role: 'authenticated',
    iss: `${url}/auth/v1`,
    iat: issuedAt,
    exp: issuedAt + 3600,
    ...(typeof who === 'string' ? await claimsOf(database, who) : who),
  });
  return {
    token,
    fetch: (path, init = {}) => {
      const headers = new Headers(init.headers);
      headers.set('apikey', anonKey);
      headers.set('authorization', `Bearer ${token}`);
      return fetch(url + path, { ...init, headers });
    },
  };
}

/** Creates a session of the user, and returns the claims that the auth service would issue for it. */
async function claimsOf(
  database: LocalSupabase['database'],
  email: string,
): Promise<Readonly<Record<string, unknown>>> {
  const [user] = await database.query(
    `with found as (select * from auth.users where email = lower($1)),
       opened as (insert into auth.sessions (id, user_id, created_at, updated_at, aal)
         select gen_random_uuid(), id, now(), now(), 'aal1' from found returning id)
     select found.id as sub, email, coalesce(phone, '') as phone, raw_app_meta_data as app_metadata,
       raw_user_meta_data as user_metadata, opened.id as session_id, 'aal1' as aal, false as is_anonymous
     from found, opened`,
    [email],
  );
  if (!user)
    throw new Error(
      `No user has the email ${email}: sign one up, insert one in supabase/seed.sql, or pass claims such as { sub: crypto.randomUUID() }`,
    );
  return user;
}
