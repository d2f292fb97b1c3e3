import { spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';

/** Runs the examples of the page `rls-tests.md` in a new project. */
const root = fileURLToPath(new URL('../..', import.meta.url));
let project: string;

beforeAll(async () => {
  const page = await readFile(join(root, 'docs/local-supabase/rls-tests.md'), 'utf8');
  const blocks = (language: string) =>
    Array.from(
      page.matchAll(new RegExp(`^\`\`\`${language}\n([^]*?)^\`\`\`$`, 'gm')),
      ([, code = '']) => code,
    );
  const [test = ''] = blocks('ts');
  const [schema = '', pgtap = ''] = blocks('sql');
  project = await mkdtemp(join(tmpdir(), 'documented-tests-'));
  const files = {
    'package.json': '{ "type": "module" }',
    'supabase/migrations/0001_todos.sql': schema,
    'supabase/tests/todos.test.sql': pgtap,
    'todos.test.ts': test,
  };
  for (const [name, text] of Object.entries(files)) {
    await mkdir(join(project, name, '..'), { recursive: true });
    await writeFile(join(project, name), text);
  }
  await symlink(join(root, 'node_modules'), join(project, 'node_modules'));
});
afterAll(() => rm(project, { recursive: true }));

it('the documented tests with Vitest pass', () => {
  const { output } = runNode(['node_modules/vitest/vitest.mjs', 'run']);
  expect(output).toMatch(/Tests +3 passed/);
});

it('a documented test with Vitest fails without the policy', async () => {
  const file = join(project, 'supabase/migrations/0001_todos.sql');
  const schema = await readFile(file, 'utf8');
  await writeFile(file, schema.replace('enable row level security', 'disable row level security'));
  const { output } = runNode(['node_modules/vitest/vitest.mjs', 'run']);
  await writeFile(file, schema);
  expect(output).toMatch(/Tests +2 failed/);
});

it('the documented test with pgTAP passes', () => {
  const { output, status } = runNode(['node_modules/local-supabase/bin/local-supabase.js', 'test']);
  expect({ output, status }).toMatchObject({ status: 0, output: expect.stringMatching(/2/) });
});

function runNode(args: readonly string[]) {
  const { stdout, stderr, status } = spawnSync(process.execPath, args, {
    cwd: project,
    encoding: 'utf8',
    env: { ...process.env, NIGHTLY: '', NO_COLOR: '1' },
  });
  return { output: stdout + stderr, status };
}
