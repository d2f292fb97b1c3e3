import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { transform } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startRegistry, type LocalRegistry } from './local-registry.ts';

/** The workflow `release.yml` without what only it has: its identity, from which npm makes the provenance. */
const run = (
  command: string,
  args: readonly string[],
  cwd: string,
  environment: Readonly<Record<string, string>> = {},
) =>
  promisify(execFile)(command, args, {
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
const packages = ['inbox-sender', 'local-supabase', 'supabase-conformance', 'supabase-protocol-clients'];

let registry: LocalRegistry;
let tarballs: readonly string[];
let project: string;

beforeAll(async () => {
  registry = await startRegistry();
  const repository = { GITHUB_SERVER_URL: 'https://github.com', GITHUB_REPOSITORY: 'an-owner/a-repository' };
  await run('npm', ['run', '-s', 'build:packages'], '.', { ...repository, GITHUB_REF_TYPE: 'tag' });
  tarballs = (await readdir('dist-packages'))
    .filter((name) => name.endsWith('.tgz'))
    .map((name) => resolve('dist-packages', name));
  project = await mkdtemp(join(tmpdir(), 'release-'));
  await writeFile(join(project, 'package.json'), '{ "private": true, "type": "module" }');
  const { host } = new URL(registry.url);
  await writeFile(
    join(project, '.npmrc'),
    `registry=${registry.url}/\n//${host}/:_authToken=a-token\naudit=false\nfund=false\ncache=${project}/.cache\n`,
  );
}, 600_000);
afterAll(async () => {
  await registry.close();
  await rm(project, { recursive: true });
});

/** The first block of a language in the README of an installed package. */
async function firstBlock(name: string, language: string): Promise<string> {
  const readme = await readFile(join(project, 'node_modules', name, 'README.md'), 'utf8');
  const [, block] = new RegExp(`^\`\`\`${language}\n([^]*?)^\`\`\`$`, 'm').exec(readme) ?? [];
  if (block === undefined) throw new Error(`The README of ${name} has no block of ${language}`);
  return block;
}

/** Runs a block beside a project of this repository; `globals` sets the names that the block leaves to its reader. */
async function runBlock(block: string, globals: string): Promise<string> {
  const { code } = await transform(block, { loader: 'ts', format: 'esm', target: 'node20' });
  await writeFile(join(project, 'example.mjs'), code);
  await writeFile(
    join(project, 'main.mjs'),
    `import { createLocalSupabase } from 'local-supabase';
     const supabase = await createLocalSupabase({ project: ${JSON.stringify(resolve('.'))}, config: false, port: 0, mailboxPort: 0 });
     Object.assign(process.env, { SUPABASE_URL: supabase.url, SUPABASE_SECRET_KEY: supabase.secretKey });
     Object.assign(globalThis, ${globals});
     await import('./example.mjs');
     await supabase.close();
     process.exit();`,
  );
  return (await run(process.execPath, ['main.mjs'], project)).stdout;
}

describe('a release', () => {
  it('would publish each package', async () => {
    for (const tarball of tarballs) {
      const flags = ['--dry-run', '--access', 'public', '--ignore-scripts'];
      const { stdout } = await run('npm', ['publish', tarball, ...flags], project);
      expect(stdout).toMatch(/^\+ [a-z-]+@\d+\.\d+\.\d+/m);
    }
    expect(registry.published).toEqual([]);
  });

  it('is published to a registry, and installs in an empty folder', { timeout: 300_000 }, async () => {
    for (const tarball of tarballs)
      await run('npm', ['publish', tarball, '--access', 'public', '--ignore-scripts'], project);
    expect(registry.published.map((each) => each.replace(/@.*/, '')).toSorted()).toEqual(packages);
    await run('npm', ['install', '--ignore-scripts', ...packages, 'vitest'], project);
    const { dependencies } = JSON.parse(await readFile(join(project, 'package.json'), 'utf8')) as {
      dependencies: Readonly<Record<string, string>>;
    };
    expect(Object.keys(dependencies)).toEqual(expect.arrayContaining(packages));
  });
});

describe('the first example of the README runs as it is published:', () => {
  it('supabase-protocol-clients', async () => {
    const block = await firstBlock('supabase-protocol-clients', 'ts');
    const output = await runBlock(block, '{ url: supabase.url, apiKey: supabase.anonKey }');
    expect(output).toMatch(/^\d+ \[/m);
  });

  it('inbox-sender', async () => {
    const ids = ['ada00000-0000-4000-8000-000000000001', '9eace000-0000-4000-8000-000000000002'];
    const globals = `{ adaId: '${ids[0]}', graceId: '${ids[1]}' }`;
    const output = await runBlock(await firstBlock('inbox-sender', 'js'), globals);
    for (const id of ids) expect(output).toContain(`${id} delivered`);
  });

  it('local-supabase', async () => {
    await run('npx', ['local-supabase', 'init'], project);
    await mkdir(join(project, 'supabase/migrations'), { recursive: true });
    const migration = join(project, 'supabase/migrations/0001_todos.sql');
    await writeFile(migration, await firstBlock('local-supabase', 'sql'));
    await writeFile(join(project, 'todos.test.ts'), await firstBlock('local-supabase', 'ts'));
    const { stdout } = await run('npx', ['vitest', 'run'], project);
    expect(stdout).toMatch(/Tests +1 passed/);
  });

  it('supabase-conformance', async () => {
    await cp('supabase', join(project, 'supabase'), { recursive: true });
    const args = ['supabase-conformance', '--set', 'server', '--only', 'AUTH-001'];
    const { stdout } = await run('npx', args, project);
    expect(stdout).toMatch(/1 passed/);
  });
});
