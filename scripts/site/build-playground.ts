import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { buildBrowserAssets } from 'local-supabase';

/** The file with the download size of a start, which the button shows. */
export const playgroundSize = 'size.json';

/** Writes the worker with the project of this repository, and what it loads. */
export async function buildPlayground(outDir: string): Promise<void> {
  await rm(outDir, { recursive: true, force: true });
  const files = await buildBrowserAssets({ outDir });
  await build({
    stdin: {
      contents: `import { serveLocalSupabase } from 'local-supabase/worker'; serveLocalSupabase({ assets: new URL('.', import.meta.url) });`,
      resolveDir: process.cwd(),
    },
    outfile: join(outDir, 'worker.js'),
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
  });
  const worker = gzipSync(await readFile(join(outDir, 'worker.js'))).byteLength;
  const bytes = Object.values(files).reduce((sum, each) => sum + each, worker);
  await writeFile(join(outDir, playgroundSize), JSON.stringify({ bytes }));
}
