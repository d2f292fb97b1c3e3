import { isRemote, type PostgresSession } from './postgres-session.ts';

/** A file of an extension that consists of SQL alone: `<name>.control` or `<name>--<version>.sql`. */
export interface ExtensionFile {
  readonly name: string;
  readonly text: string;
}

const EXTENSION_FOLDER = '/pglite/share/postgresql/extension';

/** Makes SQL extensions available to `create extension`. */
export async function installExtensionFiles(
  session: PostgresSession,
  files: readonly ExtensionFile[],
): Promise<void> {
  const written = files.map(({ name, text }) => ({ path: `${EXTENSION_FOLDER}/${name}`, text }));
  if (isRemote(session)) return session.writeFiles(written);
  for (const { path, text } of written) session.Module.FS.writeFile(path, text);
}

export const extensionNames = (files: readonly ExtensionFile[]): ReadonlySet<string> =>
  new Set(files.map(({ name }) => name.replace(/(?:--.*)?\.\w+$/, '')));
