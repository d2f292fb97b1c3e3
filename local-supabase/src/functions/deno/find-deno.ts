import { execFile } from 'node:child_process';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const printPath = ['eval', 'console.log(Deno.execPath())'];
/** The npm package that has Deno, in the version of the tests; the major version is the one of the vendor's runtime. */
const packageName = 'deno@2.9.6';
const found = new Map<string, Promise<string>>();

/**
 * Finds Deno: by DENO of the environment, as the npm package `deno` of the project, on the PATH; otherwise npm fetches
 * it into its cache.
 *
 * @param project the folder of the project.
 * @param log is told when npm has to fetch it.
 * @throws {Error} that says how to install it.
 */
export function findDeno(project: string, log: (line: string) => void): Promise<string> {
  const known = found.get(project);
  if (known) return known;
  const path = locate(project, log);
  found.set(project, path);
  // A later request tries again, after an installation.
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
    'Functions run in Deno, which is not installed: npm fetches it now. npm install --save-dev deno keeps it.',
  );
  try {
    return await pathOf('npm', ['exec', '--yes', `--package=${packageName}`, '--', 'deno']);
  } catch (problem) {
    const reason = problem instanceof Error ? problem.message : String(problem);
    throw new Error(
      `Functions run in Deno, which is not installed: npm install --save-dev deno (${reason})`,
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

/** The package's script also works where npm ran no install script. */
function packageCommands(from: string | URL): readonly (readonly string[])[] {
  try {
    return [[process.execPath, createRequire(from).resolve('deno/bin.cjs')]];
  } catch {
    return [];
  }
}
