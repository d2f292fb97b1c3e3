import { execFile, execFileSync } from 'node:child_process';
import { cp, lstat, mkdir, mkdtemp, readdir, readFile, realpath, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const root = fileURLToPath(new URL('../..', import.meta.url));
const migrationsFolder = join('supabase', 'migrations');

const git = (folder: string, ...args: readonly string[]) =>
  execFileSync('git', ['-C', folder, ...args], { encoding: 'utf8' }).trim();

interface MigrationFile {
  readonly name: string;
  readonly sql: string;
}

/** The checkout of a version, with the packages of this version and its own workspaces. */
export interface Checkout {
  /** In the order of their application. */
  migrations(): Promise<readonly MigrationFile[]>;
  /** Runs tests of the checkout, of the project `app`, on a database with the migrations of another one. @throws if one fails. */
  runTestsOn(schema: Checkout, files: readonly string[]): Promise<void>;
  readonly folder: string;
  remove(): Promise<void>;
}

/** The newest tag of a release, or the one of `UPGRADE_FROM`; null before the first release. */
export function newestRelease(): string | null {
  const newest = git(root, 'tag', '--list', 'v*', '--sort=-v:refname').split('\n').find(Boolean);
  return process.env['UPGRADE_FROM'] ?? newest ?? null;
}

export const presentCommit = () => git(root, 'rev-parse', 'HEAD');

export async function checkOut(ref: string): Promise<Checkout> {
  const folder = await mkdtemp(join(tmpdir(), 'upgrade-'));
  git(root, 'clone', '--quiet', '--shared', '--no-checkout', root, folder);
  git(folder, 'checkout', '--quiet', '--detach', git(root, 'rev-parse', ref));
  await linkPackages(folder);
  return {
    folder,
    async migrations() {
      const names = (await readdir(join(folder, migrationsFolder))).filter((name) => name.endsWith('.sql'));
      return Promise.all(
        names
          .sort()
          .map(async (name) => ({ name, sql: await readFile(join(folder, migrationsFolder, name), 'utf8') })),
      );
    },
    async runTestsOn(schema, files) {
      await rm(join(folder, migrationsFolder), { recursive: true });
      await cp(join(schema.folder, migrationsFolder), join(folder, migrationsFolder), { recursive: true });
      const isOfThisRun = (name: string) => name === 'NIGHTLY' || name.startsWith('VITEST');
      const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !isOfThisRun(name)));
      const vitest = join('node_modules', 'vitest', 'vitest.mjs');
      try {
        await promisify(execFile)(process.execPath, [vitest, 'run', '--project', 'app', ...files], {
          cwd: folder,
          env,
          maxBuffer: 64 * 1024 * 1024,
        });
      } finally {
        git(folder, 'checkout', '--quiet', '--', migrationsFolder);
        git(folder, 'clean', '--quiet', '--force', migrationsFolder);
      }
    },
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}

/** Links the packages, and in place of this version's workspaces those of the checkout. */
async function linkPackages(folder: string): Promise<void> {
  await mkdir(join(folder, 'node_modules'));
  for (const name of await readdir(join(root, 'node_modules'))) {
    const installed = join(root, 'node_modules', name);
    const isWorkspace = (await lstat(installed)).isSymbolicLink();
    const target = isWorkspace ? join(folder, relative(root, await realpath(installed))) : installed;
    await symlink(target, join(folder, 'node_modules', name));
  }
}
