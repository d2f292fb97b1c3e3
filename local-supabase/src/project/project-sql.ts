import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { supabaseFolder } from './project-folder.ts';

export interface Migration {
  /** The timestamp that begins the file's name. */
  readonly version: string;
  readonly name: string;
  readonly sql: string;
}

/** The schema of one of the services. */
export interface PlatformPart {
  readonly name: string;
  readonly sql: string;
  /** Changes when `sql` does. */
  readonly hash: string;
}

/** The SQL of a project: the platform's parts, then those of `supabase/`. */
export interface ProjectSql {
  /** The parts in the order in which they are applied. */
  readonly platform: readonly PlatformPart[];
  readonly migrations: readonly Migration[];
  readonly seed: string;
  /** Changes when any part or the version of PostgreSQL changes. */
  readonly hash: string;
}

const SERVICES = new URL('../', import.meta.url);
const PLATFORM_FILES = [
  'project/platform.sql',
  'auth/schema.sql',
  'realtime/schema.sql',
  'storage/schema.sql',
] as const;
const MIGRATION_NAME = /^(\d{14})_(.+)\.sql$/;

/** Reads the SQL of a project. @param folder a project's `supabase/`; default that of the working directory. */
export async function readProjectSql(folder: URL = supabaseFolder()): Promise<ProjectSql> {
  const platform = await Promise.all(PLATFORM_FILES.map(readPart));
  const migrations = await readMigrations(new URL('migrations/', folder));
  const seed = await readText(new URL('seed.sql', folder));
  return {
    platform,
    migrations,
    seed,
    hash: hashOf([
      pgliteVersion(),
      ...[...platform, ...migrations].map((part) => part.name + part.sql),
      seed,
    ]),
  };
}

async function readPart(name: string): Promise<PlatformPart> {
  const sql = await readText(new URL(name, SERVICES));
  return { name, sql, hash: hashOf([sql]) };
}

async function readMigrations(folder: URL): Promise<Migration[]> {
  const names = await readdir(fileURLToPath(folder)).catch(() => []);
  const migrations = names
    .toSorted((a, b) => (a < b ? -1 : 1))
    .map(async (file) => {
      const [, version, name] = MIGRATION_NAME.exec(file) ?? [];
      if (!version || !name) return [];
      return [{ version, name, sql: await readText(new URL(file, folder)) }];
    });
  return (await Promise.all(migrations)).flat();
}

/** A missing file is an empty part. */
async function readText(file: URL): Promise<string> {
  return readFile(file, 'utf8').catch((problem: NodeJS.ErrnoException) => {
    if (problem.code === 'ENOENT') return '';
    throw problem;
  });
}

function hashOf(parts: readonly string[]): string {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(`${part.length}:${part}`);
  return hash.digest('hex').slice(0, 24);
}

function pgliteVersion(): string {
  const require = createRequire(import.meta.url);
  const entry = require.resolve('@electric-sql/pglite');
  const { version } = require(entry.replace(/dist[\\/].*$/, 'package.json')) as { version: string };
  return version;
}
