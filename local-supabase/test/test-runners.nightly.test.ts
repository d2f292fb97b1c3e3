import { spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
const start =
  "import { createLocalSupabase } from 'local-supabase'; const start = () => createLocalSupabase();";
const files: Readonly<Record<string, string>> = {
  'package.json': '{ "private": true, "type": "module" }',
  'supabase/config.toml': 'project_id = "runners"',
  'setup.mjs': `${start} let supabase;
    export async function setup() { supabase = await start(); return teardown; }
    export async function teardown() { await supabase.close(); }
    export default setup;`,
  'vitest/vitest.config.mjs':
    "export default { test: { globalSetup: ['../setup.mjs'], include: ['*.test.mjs'] } };",
  'vitest/a.test.mjs': "import { expect, it } from 'vitest'; it('fails', () => expect(1).toBe(2));",
  'node/a.test.mjs': `import { strictEqual } from 'node:assert'; import { it } from 'node:test'; ${start}
    it('fails', async () => { await (await start()).close(); strictEqual(1, 2); });`,
  'jest/setup.mjs': "export { setup as default } from '../setup.mjs';",
  'jest/teardown.mjs': "export { teardown as default } from '../setup.mjs';",
  'jest/jest.config.mjs':
    "export default { globalSetup: './setup.mjs', globalTeardown: './teardown.mjs', testMatch: ['**/*.test.mjs'], transform: {} };",
  'jest/a.test.mjs': "test('fails', () => expect(1).toBe(2));",
  'playwright/playwright.config.mjs': "export default { globalSetup: '../setup.mjs', reporter: 'line' };",
  'playwright/a.spec.mjs':
    "import { expect, test } from '@playwright/test'; test('fails', () => expect(1).toBe(2));",
};
const modulesOf = (folder: string) => join(folder, 'node_modules');
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'local-supabase-runners-'));
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
  const flags = ['--prefix', folder, '--no-audit', '--no-fund', '--no-save', '--ignore-scripts'];
  const installed = spawnSync('npm', ['install', ...flags, 'jest@30'], { encoding: 'utf8' });
  if (installed.status !== 0) throw new Error(installed.stderr);
  const present = new Set(await readdir(modulesOf(folder)));
  for (const name of await readdir(modulesOf(root)))
    if (!present.has(name) && !name.startsWith('.'))
      await symlink(join(modulesOf(root), name), join(modulesOf(folder), name));
}, 300_000);
afterAll(() => rm(folder, { recursive: true }));

it.each([
  ['vitest', ['../node_modules/vitest/vitest.mjs', 'run']],
  ['node', ['a.test.mjs']],
  ['jest', ['--experimental-vm-modules', '../node_modules/jest/bin/jest.js']],
  ['playwright', ['../node_modules/@playwright/test/cli.js', 'test']],
] as const)(
  '%s exits with 1 for a failed test while an instance runs',
  { timeout: 120_000 },
  (name, args) => {
    const { NIGHTLY: _, VITEST: __, ...env } = process.env;
    const { status, stdout, stderr } = spawnSync(process.execPath, ['--import', 'tsx', ...args], {
      cwd: join(folder, name),
      encoding: 'utf8',
      env: { ...env, NO_COLOR: '1' },
    });
    expect({ status, output: stdout + stderr }).toMatchObject({
      status: 1,
      output: expect.stringMatching(/1 failed|fail 1/),
    });
  },
);
