import { execFile } from 'node:child_process';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const printPath = ['eval', 'console.log(Deno.execPath())'];
/** The npm package with Deno, in the tested version; its major version is that of the vendor's runtime. */
const packageName = 'deno@2.9.6';
const found = new Map<string, Promise<string>>();

/**
 * Finds Deno: the environment variable DENO, the project's npm package `deno`, then the PATH; else npm fetches it into
 * its cache.
 *
 * @param project the folder of the project.
 * @param log called before npm fetches Deno.
 * @throws {Error} with instructions to install it.
 */
export function findDeno(project: string, log: (line: string) => void): Promise<string> {
  const known = found.get(project);
  if (known) return known;
  const path = locate(project, log);
  found.set(project, path);
  // Retry on a later request, because Deno may have been installed in between.
  path.catch(() => found.delete(project));
  return path;
}

async function locate(project: string, log: (line: string) => void): Promise<string> {
  const { DENO: named } = process.env;
  const candidates = [
    ...(named ? [[named]] : []),
    ...packageCommands(join(project, 'package.json')),
    ...packageCommands(import.meta.url),
    ['deno'],
  ];
  for (const [file = '', ...args] of candidates) {
    const path = await pathOf(file, args).catch(() => undefined);
    if (path) return path;
  }
  log(
    'Functions run in Deno, which is not installed. npm fetches it now; to keep it: npm install --save-dev deno',
  );
  try {
    return await pathOf('npm', ['exec', '--yes', `--package=${packageName}`, '--', 'deno']);
  } catch (problem) {
    const reason = problem instanceof Error ? problem.message : String(problem);
    throw new Error(
      `Functions run in Deno, which is not installed. Install it: npm install --save-dev deno (${reason})`,
      {
        cause: problem,
      },
    );
  }
}

async function pathOf(file: string, args: readonly string[]): Promise<string> {
  // On Windows npm is a script.
  const options = { shell: file === 'npm' && process.platform === 'win32' };
  const { stdout } = await run(file, [...args, ...printPath], options);
  return stdout.trim();
}

/** Uses the package's script, which works even if npm skipped install scripts. */
function packageCommands(from: string | URL): readonly (readonly string[])[] {
  try {
    return [[process.execPath, createRequire(from).resolve('deno/bin.cjs')]];
  } catch {
    return [];
  }
}
