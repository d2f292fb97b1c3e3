import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { libraryEntries } from './library-entries.ts';

/** The size of an entry in a bundle, in bytes of gzip: all that it exports, with its dependencies, without React. */
export interface EntrySize {
  readonly name: string;
  readonly atOnce: number;
  /** The chunks that the entry imports dynamically. */
  readonly later: number;
}

/** @param folder where the library is built. */
export function measureEntries(folder: string): Promise<readonly EntrySize[]> {
  return Promise.all(Object.entries(libraryEntries).map(([name, file]) => measure(folder, name, file)));
}

async function measure(folder: string, name: string, file: string): Promise<EntrySize> {
  const { outputFiles, metafile } = await build({
    entryPoints: [join(folder, `${file}.js`)],
    bundle: true,
    minify: true,
    splitting: true,
    format: 'esm',
    target: 'es2022',
    external: ['react', 'react/jsx-runtime'],
    nodePaths: ['node_modules'],
    outdir: 'out',
    write: false,
    metafile: true,
  });
  const initial = new Set<string>();
  const visit = (output: string) => {
    if (initial.has(output)) return;
    initial.add(output);
    for (const { path, kind } of metafile.outputs[output]?.imports ?? [])
      if (kind === 'import-statement' && metafile.outputs[path]) visit(path);
  };
  Object.entries(metafile.outputs).forEach(([output, { entryPoint }]) => {
    if (entryPoint?.endsWith(`/${file}.js`)) visit(output);
  });
  let atOnce = 0;
  let later = 0;
  for (const { path, contents } of outputFiles) {
    const bytes = gzipSync(contents, { level: 9 }).byteLength;
    if ([...initial].some((output) => path.endsWith(output))) atOnce += bytes;
    else later += bytes;
  }
  return { name, atOnce, later };
}

/** The page whose table of entries ends in two columns with the sizes. */
export const sizesPage = 'docs/clients/entries.md';

const kB = (bytes: number) => (bytes === 0 ? '–' : (bytes / 1000).toFixed(1));
const rowOf = (name: string) =>
  new RegExp(`^(\\| \`${name.replaceAll('.', '\\.')}\` \\|.*\\|) ([\\d.–]+) \\| ([\\d.–]+) \\|$`, 'm');

export function writeSizes(text: string, sizes: readonly EntrySize[]): string {
  return sizes.reduce((page, { name, atOnce, later }) => {
    if (!rowOf(name).test(page)) throw new Error(`${sizesPage} has no row for the entry ${name}`);
    return page.replace(rowOf(name), `$1 ${kB(atOnce)} | ${kB(later)} |`);
  }, text);
}

/** Describes the entries with another size than on the page, apart from a few dozen bytes. */
export function staleSizes(
  text: string,
  sizes: readonly EntrySize[],
  toleranceBytes = 300,
): readonly string[] {
  return sizes.flatMap(({ name, atOnce, later }) => {
    const [, , ...listed] = rowOf(name).exec(text) ?? [];
    const isRight = [atOnce, later].every(
      (bytes, index) =>
        Math.abs(bytes - (listed[index] === '–' ? 0 : Number(listed[index]) * 1000)) <= toleranceBytes,
    );
    return isRight ? [] : [`${name}: ${kB(atOnce)} and ${kB(later)} kB, not ${listed.join(' and ')}`];
  });
}
