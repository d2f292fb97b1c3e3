/**
 * Bytes that a bundle takes, minified and gzipped, beside the vendor's. Only jose is left out: both load it, or its
 * like, when a token is first verified. Run: `npm run bench auth-bytes`
 */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { reportMetric } from './report.ts';

const root = join(import.meta.dirname, '../..');
const source = join(root, 'src/auth-client');
const features = readdirSync(join(source, 'features'));
const firstScreen = `export { createAuthClient, createCookieStore } from '${source}/index.ts';`;
const allAuth = [firstScreen, ...features.map((name) => `export * from '${source}/features/${name}';`)].join(
  '\n',
);
const server = `export * from '${source}/server/server.ts';`;
const authJs = "export { AuthClient } from '@supabase/auth-js';";
const ssr = "export { createBrowserClient, createServerClient } from '@supabase/ssr';";

/** Of a bundle, the code that its entry imports statically; with `all`, also what loads later. */
async function bytesOf(contents: string, counts: 'at once' | 'all'): Promise<number> {
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
    external: ['jose'],
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

for (const [name, ours, counts, peer] of [
  ['first screen', firstScreen, 'at once', authJs],
  ['all features', allAuth, 'all', authJs],
  ['all features and server', `${allAuth}\n${server}`, 'all', ssr],
] as const)
  reportMetric({
    name: `auth: bundle of ${name}, gzip (${peer === ssr ? '@supabase/ssr' : 'auth-js'})`,
    ours: await bytesOf(ours, counts),
    peer: await bytesOf(peer, 'all'),
    unit: 'bytes',
    goal: null,
  });
