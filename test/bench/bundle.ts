import { build } from 'esbuild';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

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
