import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createLocalSupabase, readProjectConfig, type LocalSupabase } from '../src/entries/index.ts';

/** Installs the vendor's CLI and runs what the page says of it, on the database's port. */
const TIMEOUT_MS = 180_000;
const lockedCli = fileURLToPath(new URL('../../.github/supabase-cli', import.meta.url));
let folder: string;
let cli: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'vendor-cli-'));
  await cp(lockedCli, join(folder, 'cli'), { recursive: true });
  const install = spawnSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], {
    cwd: join(folder, 'cli'),
    encoding: 'utf8',
  });
  if (install.status !== 0) throw new Error(install.stderr);
  cli = join(folder, 'cli/node_modules/@supabase/cli-linux-x64/bin/supabase');
  await mkdir(join(folder, 'supabase/migrations'), { recursive: true });
  await writeFile(
    join(folder, 'supabase/migrations/20260101000000_todos.sql'),
    `create extension if not exists pg_stat_statements with schema extensions;
     create table public.todos (id int primary key, title text not null);`,
  );
}, TIMEOUT_MS);
afterAll(() => rm(folder, { recursive: true }));

async function run(command: readonly string[], databaseUrl: string) {
  const child = spawn(cli, [...command, '--yes', '--db-url', databaseUrl], {
    cwd: folder,
    env: { ...process.env, HOME: folder, SUPABASE_TELEMETRY_DISABLED: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = once(child, 'close') as Promise<[status: number | null]>;
  const output = await Promise.all([text(child.stdout), text(child.stderr)]);
  const [status] = await ended;
  return { status, output: output.join('') };
}

/** Commands of the page that work, with what they print. */
const working: readonly (readonly [command: string, printed: RegExp])[] = [
  ['migration list', /20260101000000.*20260101000000/],
  ['migration repair 20260101000000 --status reverted', /Finished/],
  ['migration repair 20260101000000 --status applied', /Finished/],
  ['migration up', /up to date/],
  ['db push --dry-run', /up to date/],
  ['db query select(1)as(one)', /one/],
  ['db advisors', /rls_disabled_in_public|RLS/],
  ['gen types --lang typescript', /"title": string/],
  ['inspect db table-stats', /public\.todos/],
  ['inspect db index-stats', /public\.todos_pkey/],
  ['inspect db db-stats', /postgres/],
  ['inspect db outliers', /Execution Time/],
  ['inspect db role-stats', /authenticated/],
  ['inspect db locks', /\|/],
  ['inspect db long-running-queries', /Duration/],
  ['inspect db bloat', /Bloat/],
  ['inspect db vacuum-stats', /public\.todos/],
  ['inspect db replication-slots', /Replication/],
  ['db reset', /20260101000000_todos\.sql/],
];

/** Commands of the page that do not work, with the reason. */
const refused: readonly (readonly [command: string, reason: RegExp])[] = [
  ['db lint', /plpgsql_check_function/],
  ['db diff', /Docker/],
  ['db dump', /Docker/],
  ['test db', /Docker/],
];

describe.each([
  ['PGlite', {}],
  ['PostgreSQL 17', { postgres: 17 }],
] as const)("the vendor's CLI on %s", { timeout: TIMEOUT_MS }, (_, engine) => {
  let supabase: LocalSupabase;
  beforeAll(async () => {
    supabase = await createLocalSupabase({ ...engine, project: folder, config: false, databasePort: 0 });
  }, TIMEOUT_MS);
  afterAll(() => supabase.close());

  it.each(working)('runs: %s', async (command, printed) => {
    const result = await run(
      command.split(' ').map((word) => word.replaceAll(/[()]/g, ' ')),
      String(supabase.databaseUrl),
    );
    expect(result).toEqual({
      status: 0,
      output: expect.stringMatching(printed) as string,
    });
  });

  it.each(refused)('ends with the reason: %s', async (command, reason) => {
    const result = await run(command.split(' '), String(supabase.databaseUrl));
    expect(result).toEqual({
      status: 1,
      output: expect.stringMatching(reason) as string,
    });
  });
});

it('the page names each of these commands', async () => {
  const page = await readFile(new URL('../docs/with-the-vendors-cli.md', import.meta.url), 'utf8');
  const words = [...working, ...refused].map(
    ([command]) => /^(?:inspect db )?[a-z-]+ ?[a-z-]*/.exec(command)?.[0],
  );
  expect(words.filter((name) => !page.includes(`\`${name?.trim()}`))).toEqual([]);
});

it('each setting of the file that init writes has an effect, or its reason on the page', async () => {
  const fresh = join(folder, 'fresh');
  await mkdir(fresh);
  const init = spawnSync(cli, ['init', '--yes'], {
    cwd: fresh,
    env: { ...process.env, HOME: folder, SUPABASE_TELEMETRY_DISABLED: '1' },
    encoding: 'utf8',
  });
  expect(init).toMatchObject({ status: 0 });
  const text = await readFile(join(fresh, 'supabase/config.toml'), 'utf8');
  const lines = text
    .split('\n')
    // Settings that are comments in a new file, without those that name further files.
    .map((line) => line.replace(/^# ?(?=(?:\[[\w.-]+\]|\w+ = .+)$)/, ''))
    .map((line) => line.replace(/^enabled = false/, 'enabled = true'))
    .filter((line) => !/^(?:content|signing_keys|cert|key)_path/.test(line));
  const { withoutEffect } = readProjectConfig({ text: lines.join('\n'), project: fresh });
  const page = await readFile(new URL('../docs/for-your-project.md', import.meta.url), 'utf8');
  const [, table = ''] = page.split('## Settings without effect');
  const listed = [...table.matchAll(/^\| `([\w.*]+)` \|/gm)].map(([, name = '']) => name);
  const isBelow = (path: string, name: string) => {
    const parts = path.split('.');
    return name.split('.').every((part, index) => part === '*' || part === parts[index]);
  };
  expect(lines.filter((line) => /^\w+ = /.test(line)).length).toBeGreaterThan(150);
  expect(withoutEffect.filter((path) => !listed.some((name) => isBelow(path, name)))).toEqual([]);
  expect(listed.filter((name) => !withoutEffect.some((path) => isBelow(path, name)))).toEqual([]);
});
