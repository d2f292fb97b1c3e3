/**
 * `npm run -w local-supabase build`: builds the package that other projects install, in `dist-local-supabase` or the
 * folder of the argument: each compiled module with its types and SQL, bundled dependencies, and PGlite.
 */
import { spawnSync } from 'node:child_process';
import { chmod, copyFile, cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { bundlePackages, copyPglite, writeLicenses } from './bundled-packages.ts';
import { removeInternalTypes } from './entry-types.ts';

interface Manifest extends Readonly<Record<string, unknown>> {
  readonly dependencies: Readonly<Record<string, string>>;
  readonly exports: Readonly<Record<string, string>>;
}

const root = fileURLToPath(new URL('../', import.meta.url));
const outDir = resolve(process.argv[2] ?? join(root, '../dist-local-supabase'));
const sources = join(root, 'src');
const names = (await readdir(sources, { recursive: true })).filter((name) => /\.\w+$/.test(name));
const modules = names.filter((name) => name.endsWith('.ts'));

await rm(outDir, { recursive: true, force: true });
await build({
  entryPoints: modules.map((name) => join(sources, name)),
  outdir: join(outDir, 'src'),
  outbase: sources,
  format: 'esm',
  target: 'node20',
});
const compiler = join(root, '../node_modules/typescript-native/bin/tsc');
const flags = ['-p', join(root, 'tsconfig.build.json'), '--outDir', join(outDir, 'src')];
const { status } = spawnSync(process.execPath, [compiler, ...flags], { stdio: 'inherit' });
if (status !== 0) process.exit(1);
for (const name of await readdir(join(outDir, 'src'), { recursive: true })) {
  if (!/\.(?:js|d\.ts)$/.test(name)) continue;
  const file = join(outDir, 'src', name);
  const text = await readFile(file, 'utf8');
  await writeFile(file, text.replaceAll(/(['"])(\.{1,2}\/[^'"\n]+)\.ts\1/g, '$1$2.js$1'));
}
for (const name of names.filter((each) => !modules.includes(each))) {
  await mkdir(dirname(join(outDir, 'src', name)), { recursive: true });
  await copyFile(join(sources, name), join(outDir, 'src', name));
}
const manifest = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as Manifest;
const entries = Object.entries(manifest.exports)
  .filter(([, path]) => path.startsWith('./src/'))
  .map(([entry, path]) => ({ entry, module: path.replace(/^\.\/src\/|\.ts$/g, '') }));
const packages = await bundlePackages(outDir, root);
await removeInternalTypes(
  join(outDir, 'src'),
  entries.map(({ module }) => module),
);
const modulesFolder = join(root, '../node_modules');
// The types of keys and claims come from jose.
await copyFile(join(modulesFolder, 'jose/dist/types/types.d.ts'), join(outDir, 'vendor/jose.d.ts'));
await writeLicenses(join(outDir, 'THIRD-PARTY-LICENSES.txt'), packages);
const pglite = 'node_modules/@electric-sql/pglite';
await copyPglite(join(root, '..', pglite), join(outDir, pglite));
await mkdir(join(outDir, 'bin'));
const command = join(outDir, 'bin/local-supabase.js');
await writeFile(
  command,
  `#!/usr/bin/env node
import { runCommand } from '../src/command/command.js';

process.exitCode = await runCommand(process.argv.slice(2));
`,
);
await chmod(command, 0o755);
const { scripts: _, private: __, devDependencies: ___, ...kept } = manifest;
const name = '@electric-sql/pglite';
const exported = entries.map(({ entry, module }) => [
  entry,
  { types: `./src/${module}.d.ts`, default: `./src/${module}.js` },
]);
const packed = {
  ...kept,
  dependencies: { [name]: manifest.dependencies[name] },
  bundleDependencies: [name],
  exports: { ...Object.fromEntries(exported), './package.json': './package.json' },
};
await writeFile(join(outDir, 'package.json'), `${JSON.stringify(packed, null, 2)}\n`);
await copyFile(join(root, '../LICENSE'), join(outDir, 'LICENSE'));
await copyFile(join(root, 'README.md'), join(outDir, 'README.md'));
await cp(join(root, 'docs'), join(outDir, 'docs'), {
  recursive: true,
  filter: (path) => !path.includes('decisions'),
});
console.log(`local-supabase: ${modules.length} modules in ${outDir}`);
