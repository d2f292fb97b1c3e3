import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { WASM_PREFIX } from '@electric-sql/pglite/basefs';
import { sessionFileOf, type ExtensionFile } from '../database/extension-files.ts';
import { removeUnusedExports } from '../database/library-exports.ts';
import type { SessionFile } from '../database/postgres-session.ts';
import { readTar } from '../database/tar.ts';

/** The available ones among the extensions that a project uses. */
export interface ProjectExtensions {
  /** The archives of PGlite's extensions, by name. */
  readonly bundled: Readonly<Record<string, URL>>;
  /** SQL that creates the preinstalled extensions before the first migration. */
  readonly preinstall: string;
  /** The files of extensions in SQL: replacements from this package, and the project's own. */
  readonly files: readonly ExtensionFile[];
  /** The folder with the project's own extensions. */
  readonly own: URL;
}

const require = createRequire(import.meta.url);
const bundles = pathToFileURL(`${dirname(require.resolve('@electric-sql/pglite'))}/`);
const standIns = new URL('../database/extensions/', import.meta.url);
/** Libraries that are not loaded with `create extension`. */
const noExtensions: ReadonlySet<string> = new Set(['auto_explain', 'passwordcheck']);
/** Extensions that the services need, and the vault, which every hosted project has. */
const always = ['pgcrypto', 'uuid-ossp', 'supabase_vault'];
const required: Readonly<Record<string, readonly string[]>> = {
  earthdistance: ['cube'],
};
/** Extensions that a hosted project has before its first migration: the vault, and others if the project's SQL mentions them. */
const preinstalled: Readonly<Record<string, { readonly mention: RegExp; readonly sql: string }>> = {
  supabase_vault: {
    mention: /\bvault"?\s*\.|\bsupabase_vault\b/i,
    sql: 'create extension if not exists supabase_vault',
  },
  pg_graphql: {
    mention: /\bgraphql"?\s*\.|\bpg_graphql\b/i,
    sql: 'create extension if not exists pg_graphql',
  },
  pgsodium: { mention: /\bpgsodium\b/i, sql: 'create extension if not exists pgsodium' },
  pg_stat_statements: {
    mention: /\bpg_stat_statements\b/i,
    sql: 'create extension if not exists pg_stat_statements with schema extensions',
  },
  supabase_functions: {
    mention: /\bsupabase_functions"?\s*\./i,
    sql: 'create extension if not exists supabase_functions',
  },
  pg_net: {
    mention: /\bsupabase_functions"?\s*\./i,
    sql: 'create extension if not exists pg_net with schema extensions',
  },
};
const bundledNames: readonly string[] = readdirSync(fileURLToPath(bundles))
  .filter((file) => file.endsWith('.tar.gz'))
  .map((file) => basename(file, '.tar.gz'))
  .filter((name) => !noExtensions.has(name));

const filesIn = (folder: URL): readonly string[] => {
  try {
    return readdirSync(fileURLToPath(folder)).filter((file) => /\.(?:control|sql)$/.test(file));
  } catch {
    return [];
  }
};

const filesOf = (folder: URL, isWanted: (extension: string) => boolean): readonly ExtensionFile[] =>
  filesIn(folder)
    .filter((file) => isWanted(extensionOf(file)))
    .map((file) => ({ name: file, text: readFileSync(new URL(file, folder), 'utf8') }));

const extensionOf = (file: string): string => file.replace(/(?:--.*)?\.(?:control|sql)$/, '');

/**
 * Finds the extensions that a project's SQL creates. Others are not loaded, because each takes start-up time and a
 * project may query which are available.
 *
 * @param own a folder with the project's own extensions in SQL, such as `supabase/extensions/`.
 */
export function findExtensions(scripts: readonly string[], own: URL): ProjectExtensions {
  const wanted = new Set([...always, ...scripts.flatMap(wantedExtensions)]);
  for (const name of wanted) required[name]?.forEach((other) => wanted.add(other));
  const bundled = bundledNames.filter((name) => wanted.has(name));
  const files = [standIns, own].flatMap((folder) => filesOf(folder, (name) => wanted.has(name)));
  const archives = bundled.map((name) => [name, new URL(`${name}.tar.gz`, bundles)] as const);
  const isMentioned = (mention: RegExp) => scripts.some((script) => mention.test(script));
  const first = Object.entries(preinstalled).filter(
    ([name, { mention }]) =>
      (always.includes(name) || isMentioned(mention)) && !scripts.some((script) => creates(script, name)),
  );
  return {
    bundled: Object.fromEntries(archives),
    files,
    own,
    preinstall: first.map(([name, { sql }]) => ifAvailable(name, sql)).join('; '),
  };
}

/** A real PostgreSQL may lack an extension that the project only mentions, such as in a function that a timer calls. */
const ifAvailable = (name: string, sql: string): string =>
  `do $$ begin if exists (select from pg_available_extensions where name = '${name}') then ${sql}; end if; end $$`;

/** The names of the replacements, which work in this process. */
export const availableStandIns: ReadonlySet<string> = new Set(filesIn(standIns).map(extensionOf));

/** The files of an extension, with those that it requires, for a PostgreSQL that has started without them. */
export const extensionFiles = (name: string, own: URL): readonly SessionFile[] =>
  [name, ...(required[name] ?? [])].flatMap((each) =>
    bundledNames.includes(each)
      ? archivedFiles(new URL(`${each}.tar.gz`, bundles))
      : [standIns, own]
          .flatMap((folder) => filesOf(folder, (extension) => extension === each))
          .map(sessionFileOf),
  );

/** The only one of PGlite's bundles that is SQL alone. */
const PGTAP = 'pgtap';

/** Replacements with a worker in this process: a project schedules jobs wherever they are available. */
const withWorker: ReadonlySet<string> = new Set(['pg_cron', 'pg_net']);

/** The files of the extensions in SQL, for a real PostgreSQL beside the services. */
export function sqlExtensions({ files, own }: ProjectExtensions): readonly ExtensionFile[] {
  const wanted = new Set(files.map(({ name }) => extensionOf(name)));
  const isOffered = (name: string) => !withWorker.has(name) || wanted.has(name);
  const pgtap = readTar(gunzipSync(readFileSync(new URL(`${PGTAP}.tar.gz`, bundles))))
    .filter(({ path }) => /\/extension\/[^/]+\.(?:control|sql)$/.test(path))
    .map(({ path, bytes }) => ({ name: basename(path), text: new TextDecoder().decode(bytes ?? undefined) }));
  return [...[standIns, own].flatMap((folder) => filesOf(folder, isOffered)), ...pgtap];
}

const archivedFiles = (archive: URL): readonly SessionFile[] =>
  readTar(gunzipSync(readFileSync(archive))).flatMap(({ path, bytes }) =>
    bytes
      ? [
          {
            path: `${WASM_PREFIX}/${path}`,
            content: path.endsWith('.so') ? removeUnusedExports(bytes) : bytes,
          },
        ]
      : [],
  );

/** The extension names that `create extension` accepts, in order. */
export function availableExtensions(own: URL): readonly string[] {
  const inSql = [standIns, own].flatMap(filesIn).map(extensionOf);
  return [...new Set([...bundledNames, ...inSql])].toSorted();
}

/** Also matches names within quoted SQL and comments, which does no harm. */
export function wantedExtensions(script: string): readonly string[] {
  const names = script.matchAll(/\bcreate\s+extension\s+(?:if\s+not\s+exists\s+)?(?:"([^"]+)"|([\w$]+))/gi);
  const mentioned = Object.entries(preinstalled).filter(([, { mention }]) => mention.test(script));
  return [
    ...mentioned.map(([name]) => name),
    ...[...names].map(([, quoted, plain = '']) => quoted ?? plain.toLowerCase()),
  ];
}

/** Whether a script creates the extension without `if not exists`. */
const creates = (script: string, name: string): boolean =>
  new RegExp(`\\bcreate\\s+extension\\s+"?${name}\\b`, 'i').test(script);
