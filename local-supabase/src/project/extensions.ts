import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { PGlite } from '@electric-sql/pglite';

/** A file of an extension that consists of SQL alone: `<name>.control` or `<name>--<version>.sql`. */
export interface ExtensionFile {
  readonly name: string;
  readonly text: string;
}

/** The extensions that a project asks for, as far as they are available. */
export interface ProjectExtensions {
  /** The archives of those that PGlite ships, by name. */
  readonly bundled: Readonly<Record<string, URL>>;
  /** The files of those that are written in SQL: stand-ins of this package, and the project's own. */
  readonly files: readonly ExtensionFile[];
}

const require = createRequire(import.meta.url);
const bundles = pathToFileURL(`${dirname(require.resolve('@electric-sql/pglite'))}/`);
const standIns = new URL('../extensions/', import.meta.url);
/** Libraries that PostgreSQL loads by other ways than `create extension`. */
const noExtensions: ReadonlySet<string> = new Set(['auto_explain', 'passwordcheck']);
/** Extensions that the services themselves need. */
const always = ['pgcrypto', 'uuid-ossp'];
const required: Readonly<Record<string, readonly string[]>> = { earthdistance: ['cube'] };
/** PostgreSQL's folder of extensions within PGlite. */
const EXTENSION_FOLDER = '/pglite/share/postgresql/extension';

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

const extensionOf = (file: string): string => file.replace(/(?:--.*)?\.(?:control|sql)$/, '');

/**
 * Finds the extensions that a project's SQL creates. Others are not loaded: each costs time at the start, and a project
 * may ask PostgreSQL what is available.
 *
 * @param own a folder with the project's own extensions in SQL, such as `supabase/extensions/`.
 */
export function findExtensions(scripts: readonly string[], own: URL): ProjectExtensions {
  const wanted = new Set([...always, ...scripts.flatMap(createdExtensions)]);
  for (const name of wanted) required[name]?.forEach((other) => wanted.add(other));
  const bundled = bundledNames.filter((name) => wanted.has(name));
  const files = [standIns, own].flatMap((folder) =>
    filesIn(folder)
      .filter((file) => wanted.has(extensionOf(file)))
      .map((file) => ({ name: file, text: readFileSync(new URL(file, folder), 'utf8') })),
  );
  const archives = bundled.map((name) => [name, new URL(`${name}.tar.gz`, bundles)] as const);
  return { bundled: Object.fromEntries(archives), files };
}

/** The names that may follow `create extension`, in order. */
export function availableExtensions(own: URL): readonly string[] {
  const inSql = [standIns, own].flatMap(filesIn).map(extensionOf);
  return [...new Set([...bundledNames, ...inSql])].toSorted();
}

/** Makes extensions in SQL available to `create extension`. */
export function installExtensionFiles({ Module }: PGlite, files: readonly ExtensionFile[]): void {
  for (const { name, text } of files) Module.FS.writeFile(`${EXTENSION_FOLDER}/${name}`, text);
}

/** Also finds those within quoted SQL and comments, where they do no harm. */
function createdExtensions(script: string): readonly string[] {
  const names = script.matchAll(/\bcreate\s+extension\s+(?:if\s+not\s+exists\s+)?(?:"([^"]+)"|([\w$]+))/gi);
  const created = [...names].map(([, quoted, plain = '']) => quoted ?? plain.toLowerCase());
  // The vault is there without being created.
  return /\bvault\s*\./i.test(script) ? [...created, 'supabase_vault'] : created;
}
