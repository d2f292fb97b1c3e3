import { execFileSync } from 'node:child_process';
import { copyFile, readFile, rm, writeFile } from 'node:fs/promises';
import { libraryEntries } from './library-entries.ts';

interface Manifest {
  readonly version: string;
  readonly description: string;
  readonly license: string;
  readonly engines: Readonly<Record<string, string>>;
  readonly dependencies: Readonly<Record<string, string>>;
}

const outDir = 'dist-lib';
const runtimeDependencies = ['jose', 'ky', 'zod'] as const;

/** Builds the package that other teams install: ES modules with types and source maps, and its own manifest. */
await rm(outDir, { recursive: true, force: true });
execFileSync('node', ['node_modules/typescript-native/bin/tsc', '-p', 'tsconfig.lib.json'], {
  stdio: 'inherit',
});

const { version, description, license, engines, dependencies } = JSON.parse(
  await readFile('package.json', 'utf8'),
) as Manifest;
const manifest = {
  name: 'supabase-protocol-clients',
  version,
  description,
  license,
  type: 'module',
  sideEffects: false,
  engines,
  exports: {
    ...Object.fromEntries(
      Object.entries(libraryEntries).map(([name, file]) => [
        name,
        { types: `./${file}.d.ts`, default: `./${file}.js` },
      ]),
    ),
    './package.json': './package.json',
  },
  dependencies: Object.fromEntries(runtimeDependencies.map((name) => [name, dependencies[name]])),
  peerDependencies: { react: '>=18' },
  peerDependenciesMeta: { react: { optional: true } },
};
await writeFile(`${outDir}/package.json`, `${JSON.stringify(manifest, null, 2)}\n`);
await copyFile('LICENSE', `${outDir}/LICENSE`);
await copyFile('docs/library.md', `${outDir}/README.md`);
console.log(`${manifest.name} ${version}: ${Object.keys(libraryEntries).length} entries in ${outDir}/`);
