import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { StartError } from '../platform/start-error.ts';
import { lockerOf, makePrivateFolder } from '../project/data-folder.ts';
import type { LocalSupabase } from '../server/server.ts';

/** What `local-supabase start` and the Vite plugin save for the other commands. */
export interface InstanceFile {
  readonly pid: number;
  /** The URL for commands, with the required token. */
  readonly controlUrl: string;
  readonly controlToken: string;
  /** Names and values that the vendor's CLI prints with `status -o env`. */
  readonly environment: Readonly<Record<string, string>>;
}

const pathIn = (dataDir: string): string => join(dataDir, 'instance.json');

/** Writes the file with owner-only permissions, because it contains the service key. */
export function saveInstance(dataDir: string, instance: InstanceFile): void {
  makePrivateFolder(dataDir);
  writeFileSync(pathIn(dataDir), JSON.stringify(instance), { mode: 0o600 });
}

export const removeInstance = (dataDir: string): void => rmSync(pathIn(dataDir), { force: true });

/** The environment of an instance, with the names of the vendor's CLI (`internal/status/status.go`). */
export function environmentOf(supabase: LocalSupabase): Readonly<Record<string, string>> {
  const { url, databaseUrl, mailboxUrl, keys } = supabase;
  return {
    API_URL: url,
    REST_URL: `${url}/rest/v1`,
    GRAPHQL_URL: `${url}/graphql/v1`,
    FUNCTIONS_URL: `${url}/functions/v1`,
    ...(databaseUrl !== null && { DB_URL: databaseUrl }),
    ...(mailboxUrl !== null && { MAILPIT_URL: mailboxUrl, INBUCKET_URL: mailboxUrl }),
    PUBLISHABLE_KEY: keys.publishableKey,
    SECRET_KEY: keys.secretKey,
    ANON_KEY: keys.anonKey,
    SERVICE_ROLE_KEY: keys.serviceRoleKey,
    JWT_SECRET: keys.jwtSecret,
    ...s3Names(url),
  };
}

/** The vendor's local credentials, so that an environment file is complete; S3 and GraphQL are not served. */
const s3Names = (url: string) => ({
  STORAGE_S3_URL: `${url}/storage/v1/s3`,
  S3_PROTOCOL_ACCESS_KEY_ID: '625729a08b95bf1b7ff351a663f3a23c',
  S3_PROTOCOL_ACCESS_KEY_SECRET: '850181e4652dd023b7a98c58ae0d2d34bd487ee0cc3254aed6eda37307425907',
  S3_PROTOCOL_REGION: 'local',
});

/** @throws {StartError} if no instance is running. */
export async function findInstance(dataDir: string): Promise<InstanceFile> {
  const locker = lockerOf(dataDir);
  const none = new StartError(
    locker === undefined
      ? `No local Supabase is running in ${dataDir}. Start one: \`local-supabase start\``
      : `The process ${locker} uses ${dataDir} and takes no commands: it is still starting, or a program such as a test has started it`,
  );
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
 * @throws {StartError} with the instance's reason if it rejects the command.
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
