/**
 * `npm run build:packages`: every package in its published form, as a folder and as a tarball in `dist-packages`. Fails where
 * publint, are-the-types-wrong or the rules for contents find something.
 */
import { spawnSync } from 'node:child_process';
import { rm, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { checkPackage } from './library/check-package.ts';
import { addDeclarationSources } from './declaration-sources.ts';
import { contentProblems, finishPackage, readManifest } from './package-contents.ts';

const outDir = resolve('dist-packages');
const packages = [
  { name: 'supabase-protocol-clients', source: 'src', rootDir: 'src', build: ['run', 'build:lib', '--'] },
  {
    name: 'local-supabase',
    source: 'local-supabase',
    rootDir: 'local-supabase/src',
    build: ['run', '-w', 'local-supabase', 'build', '--'],
  },
  {
    name: 'supabase-conformance',
    source: 'conformance',
    rootDir: 'conformance',
    build: ['run', '-w', 'conformance', 'build', '--'],
  },
  {
    name: 'inbox-sender',
    source: 'inbox-sender',
    rootDir: '.',
    build: ['run', '-w', 'inbox-sender', 'build', '--'],
  },
];

function run(args: readonly string[]): void {
  const { status } = spawnSync('npm', args, {
    stdio: ['ignore', 'ignore', 'inherit'],
    shell: process.platform === 'win32',
  });
  if (status !== 0) process.exit(1);
}

await rm(outDir, { recursive: true, force: true });
for (const { name, source, rootDir, build } of packages) {
  const folder = join(outDir, name);
  run([...build, folder]);
  await addDeclarationSources(folder, rootDir);
  await finishPackage(folder, source);
  run(['pack', folder, '--silent', '--pack-destination', outDir]);
  const tarball = join(outDir, `${name}-${readManifest(folder).version}.tgz`);
  const isRelease = process.env['GITHUB_REF_TYPE'] === 'tag';
  const problems = [...contentProblems(folder, isRelease), ...(await checkPackage({ folder, tarball }))];
  for (const problem of problems) console.error(`✗ ${problem}`);
  if (problems.length > 0) process.exitCode = 1;
  else console.log(`✓ ${tarball} (${Math.round((await stat(tarball)).size / 1000)} kB)`);
}
