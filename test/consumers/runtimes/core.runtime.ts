import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Worker } from 'node:worker_threads';
import { build } from 'esbuild';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { buildBrowserAssets } from 'local-supabase';
import { commandOf, installRuntimes, runtimeNames } from '../support/runtimes.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));
let folder: string;
let program: string;

beforeAll(installRuntimes);
beforeAll(async () => {
  // The program finds PGlite from a folder below the repository.
  const cache = join(root, 'node_modules/.cache');
  await mkdir(cache, { recursive: true });
  folder = await mkdtemp(join(cache, 'core-'));
  program = join(folder, 'program.mjs');
  await buildBrowserAssets({ project: root, outDir: folder });
  await build({
    entryPoints: [join(root, 'local-supabase/test/browser/any-runtime.ts')],
    outfile: program,
    bundle: true,
    format: 'esm',
    platform: 'node',
    external: ['@electric-sql/pglite', 'bcryptjs', 'qrcode'],
  });
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const outcome = {
  email: 'ada@example.com',
  rows: 4,
  arrived: 'seen here',
  aal: 'aal2',
  bucket: 'files',
  key: 'files/a.json',
  read: { a: 1 },
};

it.each(runtimeNames)('the core of the emulator serves a project in %s', async (runtime) => {
  const { program: command, flags } = commandOf(runtime);
  const { stdout } = await promisify(execFile)(command, [...flags, program, folder]);
  expect(JSON.parse(stdout.trim().split('\n').at(-1) ?? '')).toEqual(outcome);
});

it('the core of the emulator serves a project in a worker thread', async () => {
  const worker = new Worker(program, { workerData: folder });
  const message = await new Promise((resolve, reject) => {
    worker.once('message', resolve);
    worker.once('error', reject);
  });
  await worker.terminate();
  expect(message).toEqual(outcome);
});
