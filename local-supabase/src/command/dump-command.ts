import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { StartError } from '../platform/start-error.ts';

export interface DumpOptions {
  /** Default: the standard output. */
  readonly file?: string | undefined;
  /** Rows instead of the schema. Default false. */
  readonly isDataOnly?: boolean;
  /** Default: all but those of the services and of extensions. */
  readonly schemas?: readonly string[] | undefined;
}

/** The schemas of the services and of extensions, which every project has or whose extension creates them. */
const ownSchemas = [
  'auth',
  'cron',
  'dbdev',
  'extensions',
  'graphql',
  'graphql_public',
  'local_supabase',
  'net',
  'pgmq',
  'pgsodium',
  'pgtle',
  'realtime',
  'repack',
  'storage',
  'supabase_functions',
  'supabase_migrations',
  'vault',
];

/**
 * Runs PostgreSQL's `pg_dump`.
 *
 * @returns its exit code.
 * @throws {StartError} if it is not installed.
 */
export async function dumpDatabase(
  url: string,
  { file, isDataOnly = false, schemas }: DumpOptions = {},
): Promise<number> {
  const args = [
    `--dbname=${url}`,
    '--quote-all-identifiers',
    isDataOnly ? '--data-only' : '--schema-only',
    ...(schemas
      ? schemas.map((schema) => `--schema=${schema}`)
      : ownSchemas.map((schema) => `--exclude-schema=${schema}`)),
    ...(file === undefined ? [] : [`--file=${file}`]),
  ];
  const dump = spawn('pg_dump', args, { stdio: ['ignore', 'inherit', 'inherit'] });
  try {
    const [code] = (await once(dump, 'close')) as [number | null];
    return code ?? 1;
  } catch (problem) {
    throw new StartError(
      'pg_dump cannot be run. It comes with the client programs of PostgreSQL 17 or later',
      problem,
    );
  }
}
