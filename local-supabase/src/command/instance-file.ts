import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { StartError } from '../http/start-error.ts';
import { makePrivateFolder } from '../project/data-folder.ts';
import type { LocalSupabase } from '../server.ts';

/** What a running `local-supabase start` tells the other commands. */
export interface InstanceFile {
  readonly pid: number;
  /** Where it takes commands, with the token that it demands. */
  readonly controlUrl: string;
  readonly controlToken: string;
  /** Names and values as the vendor's CLI prints them by `status -o env`. */
  readonly environment: Readonly<Record<string, string>>;
}

const pathIn = (dataDir: string): string => join(dataDir, 'instance.json');

/** Writes the file for its owner only: it has the service key. */
export function saveInstance(dataDir: string, instance: InstanceFile): void {
  makePrivateFolder(dataDir);
  writeFileSync(pathIn(dataDir), JSON.stringify(instance), { mode: 0o600 });
}

export const removeInstance = (dataDir: string): void => rmSync(pathIn(dataDir), { force: true });

/** The environment of an instance, under the names of the vendor's CLI (`internal/status/status.go`). */
export function environmentOf(supabase: LocalSupabase): Readonly<Record<string, string>> {
  const { url, databaseUrl, mailboxUrl, keys } = supabase;
  return {
    API_URL: url,
    REST_URL: `${url}/rest/v1`,
    FUNCTIONS_URL: `${url}/functions/v1`,
    ...(databaseUrl !== null && { DB_URL: databaseUrl }),
    ...(mailboxUrl !== null && { MAILPIT_URL: mailboxUrl, INBUCKET_URL: mailboxUrl }),
    PUBLISHABLE_KEY: keys.publishableKey,
    SECRET_KEY: keys.secretKey,
    ANON_KEY: keys.anonKey,
    SERVICE_ROLE_KEY: keys.serviceRoleKey,
    JWT_SECRET: keys.jwtSecret,
  };
}

/** @throws {StartError} where none runs. */
export async function findInstance(dataDir: string): Promise<InstanceFile> {
  const none = new StartError(`No local Supabase runs in ${dataDir}: local-supabase start`);
  let instance: InstanceFile;
  try {
    instance = JSON.parse(readFileSync(pathIn(dataDir), 'utf8')) as InstanceFile;
  } catch {
    throw none;
  }
  await command(instance, 'GET', '/').catch(() => {
    throw none;
  });
  return instance;
}

/**
 * Sends a command to a running instance.
 *
 * @throws {StartError} with its reason, where it refuses.
 */
export async function command(
  { controlUrl, controlToken }: InstanceFile,
  method: 'GET' | 'POST',
  path: string,
): Promise<Response> {
  const response = await fetch(controlUrl + path, {
    method,
    headers: { authorization: `Bearer ${controlToken}` },
  });
  if (!response.ok) throw new StartError(await response.text());
  return response;
}
