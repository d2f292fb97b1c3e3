import { build } from 'esbuild';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';

const root = join(import.meta.dirname, '../..');
const folder = join(root, 'node_modules/.cache/bench');

/**
 * Bundles modules as they ship and returns the file's URL. A loader of TypeScript names each function again when it is
 * created, which would be measured too.
 *
 * @param contents `export … from './src/…'`, from the repository's root.
 */
export async function bundle(name: string, contents: string): Promise<string> {
  mkdirSync(folder, { recursive: true });
  const outfile = join(folder, `${name}.mjs`);
  await build({
    stdin: { contents, resolveDir: root },
    bundle: true,
    format: 'esm',
    target: 'es2022',
    platform: 'node',
    // Loaded where Web Crypto is missing, and by the first verification of a token.
    external: ['@noble/hashes/*', 'jose'],
    outfile,
  });
  return pathToFileURL(outfile).href;
}

/**
 * Bytes of a page's bundle, minified and gzipped: the code that its entry imports statically; with `all`, also what loads later.
 * Left out are jose, which the first verification of a token loads, and the hashes (5.4 kB), which only a page without Web Crypto
 * loads; the vendor's client has neither.
 *
 * @param contents `export … from './src/…'`, from the repository's root.
 */
export async function bundledBytes(contents: string, counts: 'at once' | 'all'): Promise<number> {
  const { outputFiles, metafile } = await build({
    stdin: { contents, resolveDir: root },
    bundle: true,
    minify: true,
    splitting: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2023',
    outdir: 'out',
    write: false,
    metafile: true,
    external: ['jose', '@noble/hashes/*'],
    logLevel: 'error',
  });
  const outputs = new Map(Object.entries(metafile.outputs));
  const initial = new Set<string>();
  const visit = (path: string) => {
    if (initial.has(path)) return;
    initial.add(path);
    for (const { path: next, kind } of outputs.get(path)?.imports ?? [])
      if (kind === 'import-statement' && outputs.has(next)) visit(next);
  };
  for (const [path, { entryPoint }] of outputs) if (entryPoint === '<stdin>') visit(path);
  return outputFiles
    .filter(({ path }) => counts === 'all' || [...initial].some((chunk) => path.endsWith(`/${chunk}`)))
    .reduce((sum, { contents: bytes }) => sum + gzipSync(bytes, { level: 9 }).length, 0);
}
