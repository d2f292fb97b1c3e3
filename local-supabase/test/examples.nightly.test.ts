import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';

const run = promisify(execFile);
const examples = fileURLToPath(new URL('../examples', import.meta.url));
const root = fileURLToPath(new URL('../..', import.meta.url));
/** The maximum size of the installed package, which has no dependencies. */
const MAX_BYTES = 20_000_000;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'local-supabase-examples-'));
  await cp(examples, folder, { recursive: true });
});
afterAll(() => rm(folder, { recursive: true, force: true }));

it('the example for Playwright passes', { timeout: 180_000 }, async () => {
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
  const { NODE_ENV: _, ...env } = process.env;
  const { stdout } = await run('npx', ['playwright', 'test'], {
    cwd: join(folder, 'playwright'),
    env: { ...env, SUPABASE_PORT: '6212' },
  });
  expect(stdout).toContain('1 passed');
});

it('the example for Jest passes with the built package', { timeout: 400_000 }, async () => {
  const project = join(folder, 'jest');
  const packed = join(folder, 'packed');
  await run(process.execPath, ['--import', 'tsx', 'local-supabase/scripts/build-package.ts', packed], {
    cwd: root,
  });
  const names = await readdir(packed, { recursive: true, withFileTypes: true });
  const sizes = names
    .filter((name) => name.isFile())
    .map(async ({ parentPath, name }) => (await stat(join(parentPath, name))).size);
  expect((await Promise.all(sizes)).reduce((sum, size) => sum + size)).toBeLessThan(MAX_BYTES);
  await mkdir(project, { recursive: true });
  await writeFile(join(project, 'package.json'), '{ "private": true, "type": "module" }');
  const options = {
    cwd: project,
    env: { ...process.env, PROJECT: '../project', NODE_OPTIONS: '--experimental-vm-modules' },
  };
  await run('npm', ['install', '--install-links', packed, 'jest@30'], options);
  const { stderr } = await run('npx', ['jest'], options);
  expect(stderr).toContain('1 passed');
});
