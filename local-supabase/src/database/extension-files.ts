import type { PGlite } from '@electric-sql/pglite';

/** A file of an extension that consists of SQL alone: `<name>.control` or `<name>--<version>.sql`. */
export interface ExtensionFile {
  readonly name: string;
  readonly text: string;
}

/** PostgreSQL's folder of extensions within PGlite. */
const EXTENSION_FOLDER = '/pglite/share/postgresql/extension';

/** Makes extensions in SQL available to `create extension`. */
export function installExtensionFiles({ Module }: PGlite, files: readonly ExtensionFile[]): void {
  for (const { name, text } of files) Module.FS.writeFile(`${EXTENSION_FOLDER}/${name}`, text);
}

/** The names of the extensions that the files make. */
export const extensionNames = (files: readonly ExtensionFile[]): ReadonlySet<string> =>
  new Set(files.map(({ name }) => name.replace(/(?:--.*)?\.\w+$/, '')));
