/**
 * `npm run build:lib`: the package that other teams install, in `dist-lib`: ES modules with types and source maps, and
 * a separate manifest. Argument: another folder.
 */
import { spawnSync } from 'node:child_process';
import { copyFile, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { build } from 'esbuild';
import { createAgentFiles } from './agent-files.ts';
import { bundleLibrary } from './bundle-library.ts';
import {
  browserEntries,
  commonJsTypes,
  createLibraryManifest,
  libraryEntries,
  libraryName,
} from './library-entries.ts';
import { addDeclarationSources } from '../declaration-sources.ts';
import { copyPages } from './package-pages.ts';

const outDir = process.argv[2] ?? 'dist-lib';

await rm(outDir, { recursive: true, force: true });
const tsc = 'node_modules/typescript-native/bin/tsc';
const { status } = spawnSync(
  process.execPath,
  [tsc, '-p', 'src/tsconfig.build.json', '--outDir', resolve(outDir)],
  {
    stdio: 'inherit',
  },
);
if (status !== 0) process.exit(1);
await bundleLibrary(resolve('src'), resolve(outDir));

for (const name of await readdir(outDir, { recursive: true })) {
  const file = join(outDir, name);
  // The compiler keeps the extensions of imports in declarations.
  if (name.endsWith('.d.ts'))
    await rewrite(file, (text) => text.replaceAll(/(['"])(\.{1,2}\/[^'"\n]+)\.tsx?\1/g, '$1$2.js$1'));
}

// Without a manifest with `type: module` above, TypeScript treats declarations as CommonJS.
for (const name of await readdir(outDir, { recursive: true })) {
  if (!/\.d\.ts(?:\.map)?$/.test(name)) continue;
  const copy = join(outDir, commonJsTypes, name);
  await mkdir(dirname(copy), { recursive: true });
  await copyFile(join(outDir, name), copy);
  // From CommonJS the compiler reads the types of a package of ES modules only where told to (TS1541).
  if (name.endsWith('.d.ts'))
    await rewrite(copy, (text) =>
      text.replaceAll(/ from 'jose';/g, ` from 'jose' with { 'resolution-mode': 'import' };`),
    );
}
await addDeclarationSources(outDir, 'src');
await writeFile(join(outDir, commonJsTypes, 'package.json'), '{ "type": "commonjs" }\n');

const browserExports = browserEntries
  .map((entry) => `export * from './${libraryEntries[entry]}.js';\n`)
  .join('');
await writeFile(join(outDir, 'browser.d.ts'), browserExports);
await build({
  stdin: { contents: browserExports, resolveDir: outDir },
  outfile: join(outDir, 'browser.js'),
  bundle: true,
  minify: true,
  format: 'esm',
  target: 'es2022',
  nodePaths: ['node_modules'],
});

const manifest = createLibraryManifest();
await writeFile(join(outDir, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
await copyFile('LICENSE', join(outDir, 'LICENSE'));
await copyFile('src/CHANGELOG.md', join(outDir, 'CHANGELOG.md'));
await copyPages(join(outDir, 'docs'));
const { llms, agents } = createAgentFiles('docs/clients');
await writeFile(join(outDir, 'llms.txt'), llms);
await writeFile(join(outDir, 'AGENTS.md'), agents);
const firstPage = await readFile('docs/clients/index.md', 'utf8');
await writeFile(
  join(outDir, 'README.md'),
  firstPage
    .replace('# Sign in and read rows', `# ${libraryName}`)
    .replaceAll(/\]\((\w[\w-]*\.md)\)/g, '](docs/$1)'),
);
console.log(`${libraryName}: ${Object.keys(libraryEntries).length} entries in ${outDir}`);

async function rewrite(file: string, change: (text: string) => string): Promise<void> {
  await writeFile(file, change(await readFile(file, 'utf8')));
}
