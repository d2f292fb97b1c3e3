import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { PackedLibrary } from './pack-library.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Returns the problems that publint and are-the-types-wrong find in the package; empty without any. */
export async function checkPackage({ tarball }: PackedLibrary): Promise<readonly string[]> {
  const outcomes = await Promise.all([
    lintPackage(tarball),
    // Node 20.19 and later load ES modules by `require`, which these two rules do not know.
    run('@arethetypeswrong/cli/dist/index.js', [
      tarball,
      '--profile=node16',
      '--format=ascii',
      '--ignore-rules',
      'cjs-resolves-to-esm',
      'false-cjs',
    ]),
  ]);
  return outcomes.filter((outcome) => outcome !== null);
}

/** Returns the problems that publint finds in a folder or a tarball; null without any. */
export function lintPackage(path: string): Promise<string | null> {
  return run('publint/src/cli.js', ['run', path, '--strict', '--pack', 'false']);
}

function run(script: string, args: readonly string[]): Promise<string | null> {
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [`${root}/node_modules/${script}`, ...args],
      { cwd: root },
      (problem, output, errors) => resolve(problem ? `${script.split('/')[0]}: ${output}${errors}` : null),
    );
  });
}
