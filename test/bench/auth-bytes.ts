import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';

/** Bytes of what a bundle takes, minified and gzipped, beside the vendor's: `tsx test/bench/auth-bytes.ts`. */
const SRC = new URL('../../src/auth-client/', import.meta.url).pathname;
const FEATURES = ['mfa', 'identities', 'sso', 'web3', 'id-token', 'claims'];
const firstScreen = `export { createAuthClient, createCookieStore } from '${SRC}index.ts';`;
const allAuth = [firstScreen, ...FEATURES.map((name) => `export * from '${SRC}${name}.ts';`)].join('\n');
const sets: readonly (readonly [string, string, readonly string[]])[] = [
  ['ours: first screen, without ky and zod', firstScreen, ['ky', 'zod/mini', 'jose']],
  ['ours: first screen, everything in', firstScreen, ['jose']],
  ['ours: all of auth, everything but jose', allAuth, ['jose']],
  ['ours: all, jose in', `${allAuth}\nexport * from '${SRC}server.ts';`, []],
  ['vendor: auth-js', "export { AuthClient } from '@supabase/auth-js';", []],
  ['vendor: @supabase/ssr, its clients in', "export { createBrowserClient } from '@supabase/ssr';", []],
];

for (const [name, contents, external] of sets) {
  const { outputFiles, metafile } = await build({
    stdin: { contents, resolveDir: new URL('../..', import.meta.url).pathname },
    bundle: true,
    minify: true,
    splitting: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2023',
    outdir: 'out',
    write: false,
    metafile: true,
    external: [...external],
    logLevel: 'error',
  });
  // What the entry imports statically is loaded with it; the rest when it is needed.
  const outputs = new Map(Object.entries(metafile.outputs));
  const initial = new Set<string>();
  const visit = (path: string) => {
    if (initial.has(path)) return;
    initial.add(path);
    for (const { path: next, kind } of outputs.get(path)?.imports ?? [])
      if (kind === 'import-statement' && outputs.has(next)) visit(next);
  };
  for (const [path, { entryPoint }] of outputs) if (entryPoint === '<stdin>') visit(path);
  const sizeOf = (isInitial: boolean) =>
    outputFiles
      .filter(({ path }) => [...initial].some((chunk) => path.endsWith(`/${chunk}`)) === isInitial)
      .reduce((sum, { contents: bytes }) => sum + gzipSync(bytes, { level: 9 }).length, 0);
  console.log(
    `${name.padEnd(45)} ${String(sizeOf(true)).padStart(7)} B at once ${String(sizeOf(false)).padStart(7)} B later`,
  );
}
