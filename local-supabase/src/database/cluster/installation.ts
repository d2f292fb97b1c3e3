import { constants } from 'node:fs';
import { appendFile, cp, readdir, symlink, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ExtensionFile } from '../extension-files.ts';
import { refusedExtensions } from '../privileged-statements.ts';
import type { PostgresBinaries } from './binaries.ts';

/** Extensions that a hosted project lets only a superuser create, and languages without limits, which it lacks. */
const untrusted: ReadonlySet<string> = new Set([...refusedExtensions, 'plperlu', 'plpython3u', 'pltclu']);

/**
 * Copies PostgreSQL to a folder that its user can read, with further extensions: PostgreSQL before 18 finds extensions
 * only beside its programs. As in a hosted project, a role that is not a superuser may create most of them.
 *
 * @param extensions the files of extensions in SQL. Those that PostgreSQL has itself are left out.
 */
export async function copyInstallation(
  { folder, links }: PostgresBinaries,
  target: string,
  extensions: readonly ExtensionFile[],
): Promise<void> {
  await cp(fileURLToPath(folder), target, {
    recursive: true,
    verbatimSymlinks: true,
    mode: constants.COPYFILE_FICLONE,
    filter: (path) => !path.endsWith('.a') && basename(path) !== 'pkgconfig',
  });
  await Promise.all(
    links.map(({ source, target: link }) =>
      // npm runs the script that makes the links only where the user allows it.
      symlink(basename(source), join(dirname(target), link.replace(/^native/, basename(target)))).catch(
        () => undefined,
      ),
    ),
  );
  const extensionFolder = join(target, 'share/postgresql/extension');
  const own = new Set(await readdir(extensionFolder));
  const isOwn = ({ name }: ExtensionFile) => own.has(`${extensionOf(name)}.control`);
  await Promise.all(
    extensions
      .filter((file) => !isOwn(file))
      .map(({ name, text }) => writeFile(join(extensionFolder, name), text)),
  );
  const controls = (await readdir(extensionFolder)).filter((file) => file.endsWith('.control'));
  const trusted = controls.filter((file) => !untrusted.has(extensionOf(file)));
  await Promise.all(trusted.map((file) => appendFile(join(extensionFolder, file), '\ntrusted = true\n')));
}

const extensionOf = (file: string): string => file.replace(/(?:--.*)?\.(?:control|sql)$/, '');
