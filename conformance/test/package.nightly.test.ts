import { execFileSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../', import.meta.url));

describe('the packed command', () => {
  let folder: string;
  let tarball: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'conformance-package-'));
    const built = join(folder, 'package');
    const run = (command: string, args: readonly string[], cwd: string) =>
      execFileSync(command, args, { cwd, encoding: 'utf8' });
    run(process.execPath, ['--import', 'tsx', 'conformance/scripts/build-package.ts', built], root);
    const packed = run('npm', ['pack', '--silent', '--pack-destination', folder], built);
    tarball = join(folder, packed.trim());
    await writeFile(join(folder, 'package.json'), '{"private":true,"type":"module"}');
    run('npm', ['install', '--silent', '--no-audit', '--no-fund', tarball], folder);
  }, 300_000);

  afterAll(() => rm(folder, { recursive: true }));

  it('publint and are-the-types-wrong find nothing', { timeout: 120_000 }, () => {
    const lint = ['node_modules/publint/src/cli.js', 'run', tarball, '--strict', '--pack', 'false'];
    const types = ['node_modules/@arethetypeswrong/cli/dist/index.js', tarball, '--profile=node16'];
    const rules = ['--format=ascii', '--ignore-rules', 'cjs-resolves-to-esm', 'false-cjs'];
    expect(execFileSync(process.execPath, lint, { cwd: root, encoding: 'utf8' })).toContain('All good!');
    expect(execFileSync(process.execPath, [...types, ...rules], { cwd: root, encoding: 'utf8' })).toContain(
      '🟢',
    );
  });

  it(
    'the command runs in an empty folder, prints its schema, and reports missing clients',
    { timeout: 60_000 },
    () => {
      const run = (...args: readonly string[]) => {
        const command = join(folder, 'node_modules/.bin/supabase-conformance');
        try {
          return execFileSync(command, args, {
            cwd: folder,
            encoding: 'utf8',
            stdio: ['ignore', 'pipe', 'pipe'],
          });
        } catch (problem) {
          return `${(problem as { stdout: string }).stdout}${(problem as { stderr: string }).stderr}`;
        }
      };
      expect(run('--version')).toMatch(/^\d+\.\d+\.\d+\n$/);
      expect(run('--print-schema')).toContain('create table public.notifications');
      const unreachable = run('--url', 'http://127.0.0.1:21599', '--anon-key', 'x', '--only', 'AUTH-001');
      expect(unreachable).toContain('supabase-protocol-clients is not installed');
      expect(unreachable).toContain(
        'The server cannot be reached: Error: connect ECONNREFUSED 127.0.0.1:21599',
      );
    },
  );
});
