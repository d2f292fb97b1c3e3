/**
 * `npm run size:lib`: what each entry of the library weighs in a bundle, everything that it exports and its dependencies
 * included, in bytes of gzip: what is loaded at once, and what is loaded later.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { libraryEntries, libraryName } from './library-entries.ts';
import { packLibrary } from './pack-library.ts';

interface EntrySize {
  readonly name: string;
  readonly atOnce: number;
  readonly later: number;
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

const into = await mkdtemp(join(tmpdir(), 'library-'));
try {
  const { folder } = await packLibrary(into);
  const kB = (bytes: number) => (bytes === 0 ? '–' : (bytes / 1000).toFixed(1)).padStart(8);
  console.log(`${'kB of gzip'.padEnd(52)}${'at once'.padStart(8)}${'later'.padStart(8)}`);
  for (const [name, file] of Object.entries(libraryEntries)) {
    const { atOnce, later } = await measure(folder, name, file);
    console.log(`${(libraryName + name.slice(1)).padEnd(52)}${kB(atOnce)}${kB(later)}`);
  }
} finally {
  await rm(into, { recursive: true });
}
