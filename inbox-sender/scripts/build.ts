/**
 * `npm run -w inbox-sender build`: the package that backends install, in `inbox-sender/dist`: one module that depends on ky, with
 * its types. Argument: another folder.
 */
import { spawnSync } from 'node:child_process';
import { copyFile, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import manifest from '../package.json' with { type: 'json' };

const packageDir = fileURLToPath(new URL('..', import.meta.url));
const outDir = resolve(process.argv[2] ?? join(packageDir, 'dist'));

await rm(outDir, { recursive: true, force: true });
await build({
  entryPoints: [join(packageDir, 'src/index.ts')],
  outfile: join(outDir, 'index.js'),
  bundle: true,
  format: 'esm',
  platform: 'neutral',
  external: Object.keys(manifest.dependencies),
  mainFields: ['module', 'main'],
  target: 'es2022',
});

// The compiler also writes the declarations of the client, which those of the sender do not mention.
const declarations = await mkdtemp(join(tmpdir(), 'inbox-sender-types-'));
const compiler = fileURLToPath(new URL('../../node_modules/typescript-native/bin/tsc', import.meta.url));
const { status } = spawnSync(
  process.execPath,
  [compiler, '-p', join(packageDir, 'tsconfig.build.json'), '--outDir', declarations],
  { stdio: 'inherit' },
);
if (status !== 0) process.exit(1);
const typesDir = join(declarations, 'inbox-sender/src');
for (const name of await readdir(typesDir)) {
  const text = await readFile(join(typesDir, name), 'utf8');
  // Only declarations change here: `scripts/declaration-sources.ts` lets their maps lead to the sources.
  const adjusted = name.endsWith('.ts') ? text.replaceAll(/(['"]\.\/[^'"]+)\.ts(['"])/g, '$1.js$2') : text;
  await writeFile(join(outDir, name), adjusted);
}
await rm(declarations, { recursive: true });

const { name, version, description, license, keywords, type, sideEffects, engines, dependencies } = manifest;
const published = {
  name,
  version,
  description,
  license,
  keywords,
  type,
  sideEffects,
  engines,
  dependencies,
  exports: { '.': { types: './index.d.ts', default: './index.js' }, './package.json': './package.json' },
};
await writeFile(join(outDir, 'package.json'), `${JSON.stringify(published, null, 2)}\n`);
await copyFile(join(packageDir, 'README.md'), join(outDir, 'README.md'));
await copyFile(join(packageDir, '../LICENSE'), join(outDir, 'LICENSE'));
