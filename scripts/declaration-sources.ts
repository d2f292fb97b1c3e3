import { copyFile, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';

interface DeclarationMap {
  /** Relative to the compiler's `rootDir`, because its option `sourceRoot` is set. */
  readonly sources: readonly string[];
  readonly sourceRoot?: string;
}

/** The folder of a package with the sources to which its declaration maps lead editors. */
export const sourcesFolder = 'sources';

/**
 * Adds the sources of a package's declarations, and lets their maps lead to them.
 *
 * @param rootDir the compiler's option, relative to the repository.
 */
export async function addDeclarationSources(folder: string, rootDir: string): Promise<void> {
  for (const name of await readdir(folder, { recursive: true })) {
    if (!name.endsWith('.d.ts.map')) continue;
    const file = join(folder, name);
    const { sourceRoot, ...map } = JSON.parse(await readFile(file, 'utf8')) as DeclarationMap;
    // A map without `sourceRoot` was adjusted before.
    if (sourceRoot === undefined) continue;
    const sources = map.sources.map((source) => join(folder, sourcesFolder, source));
    await writeFile(
      file,
      JSON.stringify({
        ...map,
        sources: sources.map((source) => relative(dirname(file), source).replaceAll(sep, '/')),
      }),
    );
    for (const [index, source] of sources.entries()) {
      await mkdir(dirname(source), { recursive: true });
      await copyFile(join(rootDir, map.sources[index] ?? ''), source);
    }
  }
}
