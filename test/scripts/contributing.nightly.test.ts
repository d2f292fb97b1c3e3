import { execFileSync } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { createLocalSupabase } from 'local-supabase';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ada, requestApi } from '../support/local-supabase.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const copy = mkdtempSync(join(tmpdir(), 'contributing-'));

const textOf = (path: string) => readFileSync(join(copy, path), 'utf8');
const change = (path: string, from: string, to: string) => {
  expect(textOf(path)).toContain(from);
  writeFileSync(join(copy, path), textOf(path).replace(from, to));
};
/** The first code block of a language below a heading of a page. */
const blockOf = (page: string, heading: string, language: string) => {
  const [, section = ''] = textOf(page).split(`${heading}\n`);
  const [, block] = new RegExp(`\`\`\`${language}\n(.*?)\`\`\``, 's').exec(section) ?? [];
  if (block === undefined) throw new Error(`${page} has no block of ${language} below ${heading}`);
  return block;
};
/** The output of a command, also of one that fails. */
const run = (command: string, ...args: readonly string[]) => {
  const environment = { ...process.env, NODE_ENV: undefined, VITEST: undefined, NIGHTLY: undefined };
  try {
    const output = execFileSync(command, args, {
      cwd: copy,
      encoding: 'utf8',
      env: environment,
      stdio: 'pipe',
    });
    return { status: 0, output };
  } catch (problem) {
    const { status, stdout, stderr } = problem as { status: number; stdout: string; stderr: string };
    return { status, output: stdout + stderr };
  }
};

beforeAll(() => {
  const left = new Set(['node_modules', '.git', 'test-results', 'reports', '.local-supabase']);
  cpSync(root, copy, { recursive: true, filter: (path) => !left.has(relative(root, path)) });
  execFileSync('git', ['init', '-q'], { cwd: copy });
  execFileSync('git', ['add', '-A'], { cwd: copy });
  mkdirSync(join(copy, 'node_modules'));
  for (const entry of readdirSync(join(root, 'node_modules'), { withFileTypes: true })) {
    const path = join(root, 'node_modules', entry.name);
    // The links of workspaces are relative: in the copy they lead to its own parts.
    const target = entry.isSymbolicLink() ? readlinkSync(path) : path;
    symlinkSync(target, join(copy, 'node_modules', entry.name));
  }
});

afterAll(() => rmSync(copy, { recursive: true }));

it(
  'a kind of notification is added by following its documented task, with another icon',
  { timeout: 120_000 },
  async () => {
    const block = blockOf('CONTRIBUTING.md', '### Add a kind of notification', 'sql');
    writeFileSync(
      join(copy, 'supabase/migrations/20991231000000_failed_builds.sql'),
      block.replace('"alert"', '"rocket"'),
    );
    change('supabase/migrations/20261123080500_kinds.sql', "'settings'\n", "'settings', 'rocket'\n");
    const supabase = await createLocalSupabase({ config: false, project: pathToFileURL(`${copy}/`) });
    try {
      const call = async (path: string, body?: object) => {
        const token = supabase.serviceRoleKey;
        const response = await requestApi(supabase, path, {
          apiKey: token,
          token,
          ...(body && { method: 'POST', body }),
        });
        return (await response.json()) as unknown;
      };
      const messages = [{ recipients: [ada.id], kind: 'build_failed', fields: { branch: 'main' } }];
      expect(await call('/rest/v1/rpc/send_notifications', { messages })).toMatchObject([
        { deliveries: [{ outcome: 'delivered' }] },
      ]);
      expect(await call('/rest/v1/notification_kinds?select=icon&name=eq.build_failed')).toEqual([
        { icon: 'rocket' },
      ]);
    } finally {
      await supabase.close();
    }
  },
);

it('the page draws each icon that the database admits, and the sender types it', () => {
  const [, admitted = ''] =
    /icon in \(([^)]+)\)/.exec(textOf('supabase/migrations/20261123080500_kinds.sql')) ?? [];
  const page = textOf('src/inbox/features/notifications/list/kind-icon.tsx');
  const [, drawn = ''] = /registeredIcons[^{]*\{(.*?)\n\};/s.exec(page) ?? [];
  const names = [...admitted.matchAll(/'(\w+)'/g)]
    .map(([, name]) => name)
    .filter((name) => name !== 'rocket');
  expect([...drawn.matchAll(/^  (\w+):/gm)].map(([, name]) => name)).toEqual(names);
  const [, typed = ''] = /KindIcon =(.*?);/s.exec(textOf('inbox-sender/src/kind.ts')) ?? [];
  expect([...typed.matchAll(/'(\w+)'/g)].map(([, name]) => name)).toEqual(names);
});

it(
  'an audit is added by following its documented task, and fails where its subject is broken',
  { timeout: 300_000 },
  () => {
    const file = 'conformance/src/audits/auth/service.audits.ts';
    const block = blockOf('conformance/CONTRIBUTING.md', '## Add an audit', 'ts').replace(
      'AUTH-011',
      'AUTH-999',
    );
    change(file, '\n];\n', `\n${block}];\n`);
    const audit = () => run('npm', 'run', '-s', 'conformance', '--', '--only', 'AUTH-999').output;
    expect(audit()).toContain('1 passed, 0 failed');
    change(file, "textAt(reply, 'version')", "textAt(reply, 'release')");
    expect(audit()).toContain('0 passed, 1 failed');
    change(file, "textAt(reply, 'release')", "textAt(reply, 'version')");
    expect(run('npm', 'run', '-s', 'docs:audits')).toMatchObject({ status: 0 });
    expect(textOf('conformance/docs/audits.md')).toContain('AUTH-999');
    const snapshot = ['--project', 'conformance', 'conformance/test/audits.test.ts'];
    expect(run('npx', 'vitest', 'run', ...snapshot)).toMatchObject({ status: 1 });
    expect(run('npx', 'vitest', 'run', ...snapshot, '-u')).toMatchObject({ status: 0 });
  },
);
