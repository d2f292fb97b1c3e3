import { execFile } from 'node:child_process';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { startRegistry, type LocalRegistry } from './local-registry.ts';

export const packages = [
  'inbox-sender',
  'local-supabase',
  'supabase-conformance',
  'supabase-protocol-clients',
];

export type ProcessRun = typeof runProcess;

/** Runs a command without what Vitest adds to the environment. */
export function runProcess(
  command: string,
  args: readonly string[],
  cwd: string,
  environment: Readonly<Record<string, string>> = {},
): Promise<{ stdout: string; stderr: string }> {
  return promisify(execFile)(command, args, {
    cwd,
    env: {
      ...process.env,
      NODE_ENV: undefined,
      VITEST: undefined,
      NIGHTLY: undefined,
      NO_COLOR: '1',
      ...environment,
    },
    maxBuffer: 64 * 1024 * 1024,
  });
}

/** The published form of the packages, a registry on this machine, and empty folders that use it. */
export interface PackedPackages {
  readonly registry: LocalRegistry;
  readonly tarballs: readonly string[];
  createFolder(): Promise<string>;
  remove(): Promise<void>;
}

export async function packPackages(environment: Readonly<Record<string, string>>): Promise<PackedPackages> {
  const registry = await startRegistry();
  await runProcess('npm', ['run', '-s', 'build:packages'], '.', environment);
  const tarballs = (await readdir('dist-packages'))
    .filter((name) => name.endsWith('.tgz'))
    .map((name) => resolve('dist-packages', name));
  const folders: string[] = [];
  const { host } = new URL(registry.url);
  return {
    registry,
    tarballs,
    async createFolder() {
      const folder = await mkdtemp(join(tmpdir(), 'release-'));
      folders.push(folder);
      await writeFile(join(folder, 'package.json'), '{ "private": true, "type": "module" }');
      await writeFile(
        join(folder, '.npmrc'),
        `registry=${registry.url}/\n//${host}/:_authToken=a-token\naudit=false\nfund=false\ncache=${folders[0]}/.cache\n`,
      );
      return folder;
    },
    async remove() {
      await registry.close();
      await Promise.all(folders.map((folder) => rm(folder, { recursive: true })));
    },
  };
}
