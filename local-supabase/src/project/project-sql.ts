import { createHash } from 'node:crypto';
import type { Dirent } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { StartError } from '../platform/start-error.ts';
import { availableExtensions, findExtensions } from './extensions.ts';
import type { ProjectExtensions } from './extensions.ts';
import type { DatabaseSettings } from './options.ts';
import { supabaseFolder } from './project-folder.ts';

export interface Script {
  /** The path for messages, relative to the folder that contains `supabase/`. */
  readonly path: string;
  readonly sql: string;
}

export interface Migration extends Script {
  /** The digits that begin the file's name. */
  readonly version: string;
  readonly name: string;
}

/** The schema of a service. */
export interface PlatformPart extends Script {
  /** Changes with `sql`. */
  readonly hash: string;
}

/** The SQL of a project: the services' schemas, then the files of `supabase/`. */
export interface ProjectSql {
  /** The parts in the order in which they are applied. */
  readonly platform: readonly PlatformPart[];
  /** SQL from `config.toml` and `roles.sql`, applied to a new database before its migrations. */
  readonly roles: readonly Script[];
  readonly migrations: readonly Migration[];
  /** SQL for a new database, after its migrations. */
  readonly seeds: readonly Script[];
  readonly extensions: ProjectExtensions;
  /** The names of all available extensions. */
  readonly available: readonly string[];
  /** Sentences about files and patterns of the project that have no effect. */
  readonly notes: readonly string[];
  /** Changes when any part or the version of PostgreSQL changes. */
  readonly hash: string;
}

const SERVICES = new URL('../', import.meta.url);
const PLATFORM_FILES = [
  'project/platform.sql',
  'services/auth/schema.sql',
  'services/realtime/schema.sql',
  'services/storage/schema.sql',
] as const;
const OWNERS_FILE = 'project/owners.sql';
const MIGRATION_NAME = /^(\d+)_(.*)\.sql$/;

/**
 * Reads the SQL of a project.
 *
 * @param folder a project's `supabase/`; default that of the working directory.
 * @throws {StartError} if two migrations have the same version.
 */
export async function readProjectSql(
  folder: URL = supabaseFolder(),
  settings: DatabaseSettings = {},
): Promise<ProjectSql> {
  const { migrations: hasMigrations = true, schemaPaths = ['schemas/**/*.sql'] } = settings;
  const { seedPaths = ['seed.sql'] } = settings;
  const parts = await Promise.all(PLATFORM_FILES.map(readPart));
  const owners = await readPart(OWNERS_FILE);
  const platform = [...parts, { ...owners, hash: hashOf([owners.sql, ...parts.map(({ hash }) => hash)]) }];
  const own = new URL('extensions/', folder);
  const roles = [...configuredScripts(settings), ...(await readScripts(folder, ['roles.sql']))];
  const { migrations, notes } = hasMigrations ? await readMigrations(folder) : { migrations: [], notes: [] };
  const declared = await readScripts(folder, schemaPaths);
  const seeds = await readScripts(folder, seedPaths);
  // As in the vendor's CLI, migrations replace the declarative schemas that they are generated from.
  const applied = migrations.length > 0 ? migrations : declared.map(asMigration);
  const scripts = [...roles, ...applied, ...seeds];
  const extensions = findExtensions(
    [
      ...scripts.map(({ sql }) => sql),
      ...(settings.loadedExtensions ?? []).map((name) => `create extension if not exists "${name}";`),
    ],
    own,
  );
  const isMissing = settings.seedPaths !== undefined && seeds.length === 0 && seedPaths.length > 0;
  return {
    platform,
    roles,
    migrations: applied,
    seeds,
    extensions,
    available: availableExtensions(own),
    notes: [...notes, ...(isMissing ? [`No file matches db.seed.sql_paths (${seedPaths.join(', ')})`] : [])],
    hash: hashOf([
      pgliteVersion(),
      ...[...platform, ...scripts].map((part) => part.path + part.sql),
      ...extensions.files.map((file) => file.name + file.text),
    ]),
  };
}

/** SQL for the settings, applied to a new database before its migrations. */
function configuredScripts({ vaultSecrets = {}, exposesNewTables = true }: DatabaseSettings): Script[] {
  const literal = (text: string) => `'${text.replaceAll("'", "''")}'`;
  const secrets = Object.entries(vaultSecrets).map(
    ([name, secret]) => `select vault.create_secret(${literal(secret)}, ${literal(name)});`,
  );
  const hidden = ['tables', 'sequences', 'functions'].map(
    (kind) =>
      `alter default privileges in schema public revoke all on ${kind} from anon, authenticated, service_role;`,
  );
  const statements = [...secrets, ...(exposesNewTables ? [] : hidden)];
  return statements.length === 0 ? [] : [{ path: 'supabase/config.toml', sql: statements.join('\n') }];
}

/** @param name a file of this package, relative to `src`. */
export async function readPart(name: string): Promise<PlatformPart> {
  const sql = await readFile(new URL(name, SERVICES), 'utf8');
  return { path: `local-supabase/${name}`, sql, hash: hashOf([sql]) };
}

async function readMigrations(
  folder: URL,
): Promise<{ readonly migrations: Migration[]; readonly notes: string[] }> {
  const scripts = await readScripts(folder, ['migrations/*']);
  const migrations: Migration[] = [];
  const notes: string[] = [];
  for (const script of scripts) {
    const file = script.path.replace(/^.*\//, '');
    const [, version, name = ''] = MIGRATION_NAME.exec(file) ?? [];
    const same = migrations.find((other) => other.version === version);
    if (same)
      throw new StartError(`${same.path} and ${script.path} have the same version: rename one of them`);
    if (version !== undefined) migrations.push({ ...script, version, name });
    else if (file.endsWith('.sql'))
      notes.push(`${script.path} is skipped: the name of a migration is <digits>_<name>.sql`);
  }
  return { migrations, notes };
}

/** A declarative schema's file is applied once, like a migration, with its path as the version. */
const asMigration = (script: Script): Migration => ({ ...script, version: script.path, name: '' });

/**
 * Reads the files of `supabase/` that match the patterns, in the order of the patterns and then by name.
 *
 * @param patterns paths relative to `supabase/`; `*` matches a part of a name, `?` one character, and `**` folders.
 */
export async function readScripts(folder: URL, patterns: readonly string[]): Promise<Script[]> {
  const root = fileURLToPath(folder);
  const files: string[] = [];
  for (const pattern of patterns) {
    const found = await matchFiles(root, pattern.replace(/^\.\//, '').split('/'));
    files.push(...found.toSorted((a, b) => (a < b ? -1 : 1)));
  }
  return Promise.all(
    [...new Set(files)].map(async (file) => ({
      path: `supabase/${relative(root, file).replaceAll('\\', '/')}`,
      sql: await readFile(file, 'utf8'),
    })),
  );
}

/** The files below `folder` that match a pattern, which is passed as its segments. */
async function matchFiles(folder: string, [segment = '', ...rest]: readonly string[]): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const isFolders = segment === '**';
  const name = patternOf(segment);
  const matches = async (entry: Dirent): Promise<string[]> => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) {
      if (isFolders) return matchFiles(path, [segment, ...rest]);
      return name.test(entry.name) && rest.length > 0 ? matchFiles(path, rest) : [];
    }
    return rest.length === 0 && name.test(entry.name) ? [path] : [];
  };
  const here = isFolders && rest.length > 0 ? await matchFiles(folder, rest) : [];
  return [...here, ...(await Promise.all(entries.map(matches))).flat()];
}

function patternOf(segment: string): RegExp {
  const source = segment.replaceAll(/[*?]|[.+^${}()|[\]\\]/g, (character) => {
    if (character === '*') return '.*';
    return character === '?' ? '.' : `\\${character}`;
  });
  return new RegExp(`^${source}$`);
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
