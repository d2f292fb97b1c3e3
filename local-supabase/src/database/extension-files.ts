import type { PGlite } from '@electric-sql/pglite';
import { isRemote, type PostgresSession, type SessionFile } from './postgres-session.ts';

/** A file of an extension that consists of SQL alone: `<name>.control` or `<name>--<version>.sql`. */
export interface ExtensionFile {
  readonly name: string;
  readonly text: string;
}

type FileSystem = PGlite['Module']['FS'];

const EXTENSION_FOLDER = '/pglite/share/postgresql/extension';

/** Makes SQL extensions available to `create extension`. */
export async function installExtensionFiles(
  session: PostgresSession,
  files: readonly ExtensionFile[],
): Promise<void> {
  await addSessionFiles(session, files.map(sessionFileOf));
}

export const sessionFileOf = ({ name, text }: ExtensionFile): SessionFile => ({
  path: `${EXTENSION_FOLDER}/${name}`,
  content: text,
});

/** Adds files to those of a running PostgreSQL. */
export async function addSessionFiles(
  session: PostgresSession,
  files: readonly SessionFile[],
): Promise<void> {
  if (isRemote(session)) return session.writeFiles(files);
  writeFiles(session.Module.FS, files);
}

export function writeFiles(files: FileSystem, added: readonly SessionFile[]): void {
  for (const { path, content } of added) {
    files.mkdirTree(path.slice(0, path.lastIndexOf('/')));
    files.writeFile(path, content);
  }
}

/** Finds the files of an extension that PostgreSQL lacks; none for an unknown one. */
export type FindExtension = (name: string) => readonly SessionFile[];

/** Adds the files of an extension that is about to be created, unless they are there. */
export function addMissingExtension(files: FileSystem, name: string, find: FindExtension): void {
  if (!files.analyzePath(`${EXTENSION_FOLDER}/${name}.control`).exists) writeFiles(files, find(name));
}

export const extensionNames = (files: readonly ExtensionFile[]): ReadonlySet<string> =>
  new Set(files.map(({ name }) => name.replace(/(?:--.*)?\.\w+$/, '')));
