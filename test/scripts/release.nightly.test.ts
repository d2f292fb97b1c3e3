import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { transform } from 'esbuild';
import { createLocalSupabase } from 'local-supabase';
import { beforeAll, describe, expect, it } from 'vitest';
import { packages, packPackages, runProcess, type PackedPackages } from './packed-project.ts';
import { readBlocks, readCommands, runCommands } from './page-blocks.ts';

/** Runs the workflow `release.yml`, except for its identity, from which npm derives the provenance. */
let packed: PackedPackages;
/** A folder with all packages installed. */
let project: string;

beforeAll(async () => {
  const repository = { GITHUB_SERVER_URL: 'https://github.com', GITHUB_REPOSITORY: 'an-owner/a-repository' };
  packed = await packPackages({ ...repository, GITHUB_REF_TYPE: 'tag' });
  project = await packed.createFolder();
  return () => packed.remove();
}, 1_800_000);

describe('a release', () => {
  it('would publish each package', { timeout: 300_000 }, async () => {
    for (const tarball of packed.tarballs) {
      const flags = ['--dry-run', '--access', 'public', '--ignore-scripts'];
      const { stdout } = await runProcess('npm', ['publish', tarball, ...flags], project);
      expect(stdout).toMatch(/^\+ [a-z-]+@\d+\.\d+\.\d+/m);
    }
    expect(packed.registry.published).toEqual([]);
  });

  it('is published to a registry, and installs in an empty folder', { timeout: 600_000 }, async () => {
    for (const tarball of packed.tarballs)
      await runProcess('npm', ['publish', tarball, '--access', 'public', '--ignore-scripts'], project);
    const published = packed.registry.published.map((each) => each.replace(/@.*/, ''));
    expect(published.toSorted()).toEqual(packages);
    await runProcess('npm', ['install', '--ignore-scripts', ...packages, 'vitest', '@types/node'], project);
    const { dependencies } = JSON.parse(await readFile(join(project, 'package.json'), 'utf8')) as {
      dependencies: Readonly<Record<string, string>>;
    };
    expect(Object.keys(dependencies)).toEqual(expect.arrayContaining(packages));
  });
});

/** Runs a program beside a project of this repository; `globals` defines the names that it leaves undefined. */
async function runProgram(code: string, globals: string): Promise<string> {
  const program = await transform(code, { loader: 'ts', format: 'esm', target: 'node20' });
  await writeFile(join(project, 'example.mjs'), program.code);
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
  return (await runProcess(process.execPath, ['main.mjs'], project)).stdout;
}

async function runTest(code: string): Promise<string> {
  await mkdir(join(project, 'supabase/migrations'), { recursive: true });
  const [, table] = readBlocks('local-supabase', await textOf('local-supabase'));
  await writeFile(join(project, 'supabase/migrations/0001_todos.sql'), table?.code ?? '');
  await writeFile(join(project, 'todos.test.ts'), code);
  return (await runProcess('npx', ['vitest', 'run'], project)).stdout;
}

/** Runs commands, by default in an empty folder; tarballs are those of `npm run build:packages`. */
async function runShell(code: string, folder?: string): Promise<string> {
  const commands = readCommands(code).map((command) =>
    command.replaceAll('<repository>/dist-packages', resolve('dist-packages')),
  );
  return runCommands(commands, folder ?? (await packed.createFolder()), runProcess);
}

/** Runs one audit of those that the page's command runs, on a server that is there. */
async function runAudits(code: string): Promise<string> {
  const supabase = await createLocalSupabase({ project: '.', config: false, port: 0, mailboxPort: 0 });
  try {
    const filled = code
      .replace(/--url \S+/, `--url ${supabase.url}`)
      .replace(/--mailbox \S+/, `--mailbox ${supabase.mailboxUrl}`)
      .replace('--anon-key <key>', `--anon-key ${supabase.anonKey}`)
      .replace('--service-key <key>', `--service-key ${supabase.serviceRoleKey} --allow-foreign-users`)
      .replace('npx supabase-conformance', 'npx supabase-conformance --only AUTH-001');
    return await runShell(filled, project);
  } finally {
    await supabase.close();
  }
}

const people = ['ada00000-0000-4000-8000-000000000001', '9eace000-0000-4000-8000-000000000002'];

const runSender = (code: string): Promise<string> =>
  runProgram(
    `${code}\nconsole.log(JSON.stringify(deliveries));`,
    `{ userId: '${people[0]}', adaId: '${people[0]}', graceId: '${people[1]}' }`,
  );

const runClients = (code: string): Promise<string> =>
  runProgram(code, '{ url: supabase.url, apiKey: supabase.anonKey }');

/** @returns the folder's package.json afterwards. */
async function install(code: string): Promise<string> {
  const folder = await packed.createFolder();
  await runShell(code, folder);
  return readFile(join(folder, 'package.json'), 'utf8');
}

async function installAndAudit(code: string): Promise<string> {
  const [installation = '', ...commands] = readCommands(code);
  return (await install(installation)) + (await runAudits(commands.join('\n')));
}

/** The function that runs a block, and the output that it prints. */
type Run = readonly [(code: string) => Promise<string>, RegExp];

const clone = 'commands of a clone, which .ci/run and the nightly workflow run';
/** For each block of the pages: how it is run, or why it is not. */
const runs: Readonly<Record<string, Run | string>> = {
  'README.md 1 sh': clone,
  'README.md 2 js': [runSender, /"outcome":"delivered"/],
  'README.md 3 ts': [runClients, /^\[/m],
  'supabase-protocol-clients 1 sh': [install, /"supabase-protocol-clients"/],
  'supabase-protocol-clients 2 ts': [runClients, /^\d+ \[/m],
  'local-supabase 1 sh': [runShell, /^API_URL=/m],
  'local-supabase 2 sql': 'the table of the next block, whose test creates it',
  'local-supabase 3 ts': [runTest, /Tests +1 passed/],
  'local-supabase 4 js': [
    (code) =>
      runProgram(
        `${code}\nconsole.log(response.status);`.replace("'../shop'", JSON.stringify(project)),
        '{}',
      ),
    /^200$/m,
  ],
  'supabase-conformance 1 sh': [installAndAudit, /"supabase-conformance"[^]*1 passed/],
  'supabase-conformance 2 sh': clone,
  'supabase-conformance 3 sh': clone,
  'supabase-conformance 4 text': 'output',
  'inbox-sender 1 sh': [install, /"inbox-sender"/],
  'inbox-sender 2 js': [runSender, /"outcome":"delivered"/],
  'docs/clients/index.md 1 sh': [install, /"supabase-protocol-clients"/],
  'docs/clients/index.md 2 ts': [runClients, /^\d+ \[/m],
  'docs/local-supabase/index.md 1 sh': [install, /"local-supabase"/],
  'docs/local-supabase/index.md 2 sh': [
    async (code) => {
      const folder = await packed.createFolder();
      await runShell(`npm install local-supabase\n${code}`, folder);
      return readFile(join(folder, 'supabase/config.toml'), 'utf8');
    },
    /project_id/,
  ],
  'docs/local-supabase/index.md 3 ts': [runTest, /Tests +1 passed/],
  'docs/conformance/index.md 1 sh': [install, /"supabase-conformance"/],
  'docs/conformance/index.md 2 sh': [runAudits, /1 passed/],
  'docs/conformance/index.md 3 yaml': 'a workflow, which needs its host',
  'docs/conformance/index.md 4 text': 'a list for --known',
  'docs/inbox/index.md 1 sh': clone,
  'docs/inbox/index.md 2 js': [runSender, /"outcome":"delivered"/],
};
const pages = [...new Set(Object.keys(runs).map((name) => name.replace(/ \d+ \w+$/, '')))];

/** A page of the repository, or the README of an installed package. */
const textOf = (page: string) =>
  readFile(packages.includes(page) ? join(project, 'node_modules', page, 'README.md') : page, 'utf8');

describe('each block of a README and of a first page', () => {
  it('is run below, or says why not', async () => {
    const blocks = await Promise.all(pages.map(async (page) => readBlocks(page, await textOf(page))));
    expect(blocks.flat().map(({ name }) => name)).toEqual(Object.keys(runs));
  });

  it.each(
    Object.entries(runs).flatMap(([name, run]) => (typeof run === 'string' ? [] : [[name, ...run] as const])),
  )(
    'runs as it is published: %s',
    async (name, run, output) => {
      const page = name.replace(/ \d+ \w+$/, '');
      const block = readBlocks(page, await textOf(page)).find((each) => each.name === name);
      expect(await run(block?.code ?? '')).toMatch(output);
    },
    180_000,
  );
});

/** How the program is compiled, and a file that reads the declarations of the entry. */
const programs = [
  { module: 'esnext', moduleResolution: 'bundler', file: 'entry.ts' },
  { module: 'node16', moduleResolution: 'node16', file: 'entry.mts' },
  // From CommonJS, a package of ES modules is reached by `import()` alone.
  { module: 'node16', moduleResolution: 'node16', file: 'entry.cts' },
];

it.each(programs)(
  'local-supabase/vitest has types for $file under $moduleResolution without skipLibCheck',
  { timeout: 120_000 },
  async ({ file, ...resolution }) => {
    const program = file.endsWith('.cts')
      ? "export const load = () => import('local-supabase/vitest');\n"
      : "import { useLocalSupabase } from 'local-supabase/vitest';\nexport const keyOf = () => useLocalSupabase()().anonKey;\n";
    await writeFile(join(project, file), program);
    const compilerOptions = {
      ...resolution,
      target: 'ES2023',
      lib: ['ES2023', 'DOM', 'DOM.Iterable', 'DOM.AsyncIterable'],
      strict: true,
      noEmit: true,
      skipLibCheck: false,
      types: ['node'],
    };
    await writeFile(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: [file] }));
    const tsc = resolve('node_modules/typescript-native/bin/tsc');
    const { stdout } = await runProcess(process.execPath, [tsc, '-p', project], project).catch(
      (problem: { readonly stdout: string }) => problem,
    );
    expect(stdout).toBe('');
  },
);
