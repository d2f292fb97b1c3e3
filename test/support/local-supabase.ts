import { afterAll, beforeAll } from 'vitest';
import { createDatabasePool, createLocalSupabase } from 'local-supabase';
import type { Database, LocalSupabase, LocalSupabaseOptions } from 'local-supabase';
import { projectFunctions } from '../../scripts/project-functions.ts';

/** The accounts of `supabase/seed.sql`. */
export const ada = { id: 'ada00000-0000-4000-8000-000000000001', email: 'ada@example.com' };
export const grace = { id: '9eace000-0000-4000-8000-000000000002', email: 'grace@example.com' };
export const seedPassword = 'inbox-development';

/** A worker runs many files: each begins with the database of an earlier one, in the state of its start. */
const databases = createDatabasePool();

/** What `test/mutants` does with each database, before and after the tests of a file. */
export const databaseHooks: {
  begin?: (database: Database) => Promise<void>;
  end?: (database: Database) => Promise<void>;
} = {};

/**
 * An embedded Supabase for the tests of a file, in memory; it starts before the first and ends after the last. Its
 * passwords are hashed at the lowest cost, those of the seed too: a sign-in takes milliseconds.
 *
 * @returns a function that gives it, once it has started.
 */
export function useLocalSupabase(options: LocalSupabaseOptions = {}): () => LocalSupabase {
  let started: LocalSupabase | undefined;
  beforeAll(async () => {
    started = await createLocalSupabase({
      config: false,
      databases,
      functions: projectFunctions,
      ...options,
      auth: { bcryptCost: 4, mailResponseMs: 0, ...options.auth },
    });
    await started.database.query(
      "update auth.users set encrypted_password = extensions.crypt($1, extensions.gen_salt('bf', 4))",
      [seedPassword],
    );
    // The seed's passwords are as old as their accounts. A project of another schema does not keep when they were set.
    await started.database.exec(
      `do $$ begin if to_regclass('private.credentials_set') is not null then delete from private.credentials_set; end if; end $$`,
    );
    await databaseHooks.begin?.(started.database);
  });
  afterAll(async () => {
    if (started) await databaseHooks.end?.(started.database);
    await started?.close();
  });
  return () => {
    if (!started) throw new Error('The embedded Supabase has not started yet');
    return started;
  };
}

export interface ApiRequest {
  readonly method?: string;
  /** An access token; default: none, the API key alone. */
  readonly token?: string;
  /** Default: the legacy anonymous key. */
  readonly apiKey?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  readonly body?: unknown;
}

/** Sends a request to the gateway as a client would. */
export function requestApi(
  supabase: LocalSupabase,
  path: string,
  request: ApiRequest = {},
): Promise<Response> {
  const { method = 'GET', token, apiKey = supabase.anonKey, headers = {}, body } = request;
  return supabase.fetch(supabase.url + path, {
    method,
    redirect: 'manual',
    headers: {
      apikey: apiKey,
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
}

/** Signs in by password through the auth service and returns the access token. */
export async function signIn(
  supabase: LocalSupabase,
  email: string,
  password = seedPassword,
): Promise<string> {
  const response = await requestApi(supabase, '/auth/v1/token?grant_type=password', {
    method: 'POST',
    body: { email, password },
  });
  const body = (await response.json()) as { access_token?: string };
  if (!body.access_token) throw new Error(`${email} cannot sign in: ${JSON.stringify(body)}`);
  return body.access_token;
}

export interface TestUser {
  readonly id: string;
  readonly email: string;
  readonly token: string;
}

/** Creates a confirmed user with the service key, and signs in as them. */
export async function createUser(supabase: LocalSupabase, email: string, name?: string): Promise<TestUser> {
  const response = await requestApi(supabase, '/auth/v1/admin/users', {
    method: 'POST',
    apiKey: supabase.serviceRoleKey,
    token: supabase.serviceRoleKey,
    body: { email, password: seedPassword, email_confirm: true, user_metadata: name ? { name } : {} },
  });
  const user = (await response.json()) as { id?: string };
  if (!user.id) throw new Error(`${email} cannot be created: ${JSON.stringify(user)}`);
  return { id: user.id, email, token: await signIn(supabase, email) };
}
