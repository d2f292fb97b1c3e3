import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { PackedLibrary } from './pack-library.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** What publint and are-the-types-wrong find wrong with the package, in their words; nothing, if it is well. */
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

/** What publint alone finds wrong with a package, a folder or a tarball; null, if nothing. */
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
