/**
 * `npm run -w conformance build`: builds the package in `dist-conformance` or the folder of the argument: the compiled
 * modules with types, the documents that audits cite, and the SQL of the schema.
 */
import { spawnSync } from 'node:child_process';
import { chmod, copyFile, cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('../', import.meta.url));
const outDir = resolve(process.argv[2] ?? join(root, '../dist-conformance'));

const modulesOf = async (folder: string) =>
  (await readdir(join(root, folder), { recursive: true }))
    .filter((name) => name.endsWith('.ts'))
    .map((name) => join(root, folder, name));
const modules = [...(await modulesOf('src')), ...(await modulesOf('bin')), ...(await modulesOf('clients'))];

await rm(outDir, { recursive: true, force: true });
await build({ entryPoints: modules, outdir: outDir, outbase: root, format: 'esm', target: 'node20' });
const compiler = join(root, '../node_modules/typescript-native/bin/tsc');
const flags = ['-p', join(root, 'tsconfig.build.json'), '--outDir', outDir];
const { status } = spawnSync(process.execPath, [compiler, ...flags], { stdio: 'inherit' });
if (status !== 0) process.exit(1);
for (const name of await readdir(outDir, { recursive: true })) {
  if (!/\.(?:js|d\.ts)$/.test(name)) continue;
  const file = join(outDir, name);
  const text = await readFile(file, 'utf8');
  await writeFile(file, text.replaceAll(/(['"])(\.{1,2}\/[^'"\n]+)\.ts\1/g, '$1$2.js$1'));
}
for (const folder of ['protocol', 'schema'])
  await cp(join(root, folder), join(outDir, folder), { recursive: true });
await mkdir(join(outDir, 'docs'));
for (const page of ['audits.md', 'mutants.md', 'clients.md', 'real-services.md'])
  await copyFile(join(root, 'docs', page), join(outDir, 'docs', page));
await copyFile(join(root, 'clients/plain-client.mjs'), join(outDir, 'clients/plain-client.mjs'));
await copyFile(join(root, 'bin/local-known-failing.txt'), join(outDir, 'bin/local-known-failing.txt'));
await copyFile(join(root, '../LICENSE'), join(outDir, 'LICENSE'));
await copyFile(join(root, 'README.md'), join(outDir, 'README.md'));
await chmod(join(outDir, 'bin/supabase-conformance.js'), 0o755);

const manifest = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as Record<string, unknown>;
const left: ReadonlySet<string> = new Set(['scripts', 'private', 'devDependencies']);
const kept = Object.entries(manifest).filter(([name]) => !left.has(name));
const packed = {
  ...Object.fromEntries(kept),
  exports: {
    '.': { types: './src/index.d.ts', default: './src/index.js' },
    './package.json': './package.json',
  },
  bin: { 'supabase-conformance': './bin/supabase-conformance.js' },
};
await writeFile(join(outDir, 'package.json'), `${JSON.stringify(packed, null, 2)}\n`);
console.log(`supabase-conformance: ${modules.length} modules in ${outDir}`);
