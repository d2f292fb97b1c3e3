import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

/** The runtimes by name: the npm packages that hold their programs, and how each runs a script. */
const packages = {
  'Node 20': { name: 'node20', spec: 'npm:node@20.20.2', program: 'node20/bin/node', flags: [] },
  'Node 22': { name: 'node22', spec: 'npm:node@22.23.3', program: 'node22/bin/node', flags: [] },
  'Node 24': { name: 'node24', spec: 'npm:node@24.21.0', program: 'node24/bin/node', flags: [] },
  Bun: { name: 'bun', spec: '1.4.5', program: '.bin/bun', flags: [] },
  Deno: {
    name: 'deno',
    spec: '2.9.6',
    program: '.bin/deno',
    flags: ['run', '-A', '--node-modules-dir=manual'],
  },
} as const;

/** Cloudflare's runtime, which serves requests and runs no scripts. */
const workerd = { name: 'workerd', spec: '1.20261117.1', program: 'workerd/bin/workerd' } as const;

/** A runtime that the journey runs in. */
export type RuntimeName = keyof typeof packages;

export const runtimeNames = Object.keys(packages) as readonly RuntimeName[];

const cache = fileURLToPath(new URL('../../../node_modules/.cache/runtimes', import.meta.url));

/** Installs the programs of all runtimes into a cache folder, unless they are there. */
export async function installRuntimes(): Promise<void> {
  const all = [...Object.values(packages), workerd];
  if (all.every(({ program }) => existsSync(join(cache, 'node_modules', program)))) return;
  await mkdir(cache, { recursive: true });
  const dependencies = Object.fromEntries(all.map(({ name, spec }) => [name, spec]));
  await writeFile(join(cache, 'package.json'), JSON.stringify({ private: true, dependencies }));
  const flags = ['--no-audit', '--no-fund', '--no-package-lock'];
  await promisify(execFile)('npm', ['install', ...flags], { cwd: cache });
}

/** The command of Cloudflare's runtime. */
export const workerdProgram = join(cache, 'node_modules', workerd.program);

export function commandOf(runtime: RuntimeName): {
  readonly program: string;
  readonly flags: readonly string[];
} {
  const { program, flags } = packages[runtime];
  return { program: join(cache, 'node_modules', program), flags };
}
