import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { createLocalSupabase, type LocalSupabase } from 'local-supabase';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const command = fileURLToPath(new URL('../bin/supabase-conformance.ts', import.meta.url));

describe('the command on a remote project', () => {
  let supabase: LocalSupabase;
  let reports: string;

  beforeAll(async () => {
    supabase = await createLocalSupabase({
      config: false,
      port: 0,
      mailboxPort: 0,
      seed: false,
      auth: { bcryptCost: 4 },
    });
    reports = await mkdtemp(join(tmpdir(), 'conformance-reports-'));
  });

  afterAll(async () => {
    await supabase.close();
    await rm(reports, { recursive: true });
  });

  const start = (...more: readonly string[]) => {
    const { url, anonKey, serviceRoleKey, mailboxUrl } = supabase;
    const keys = ['--url', url, '--anon-key', anonKey, '--service-key', serviceRoleKey];
    const rest = ['--mailbox', mailboxUrl ?? '', '--reports', reports, ...more];
    const child = spawn(process.execPath, ['--import', 'tsx', command, ...keys, ...rest]);
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
    return { child, exited: once(child, 'exit'), output: () => output };
  };
  const count = async (table: string) => {
    const [row] = await supabase.database.query(`select count(*)::int as count from ${table}`);
    return Number(row?.['count']);
  };
  const tables = [
    'auth.users',
    'auth.sessions',
    'public.notifications',
    'storage.buckets',
    'storage.objects',
  ];
  const counts = () => Promise.all(tables.map(count));

  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)(
    'a run that %s ends removes its users, rows, buckets and objects',
    { timeout: 300_000 },
    async (signal, exitCode) => {
      const before = await counts();
      const run = start();
      while ((await count('public.notifications')) <= 20 && run.child.exitCode === null) await delay(100);
      run.child.kill(signal);
      expect({ exit: await run.exited, output: run.output() }).toMatchObject({ exit: [exitCode, null] });
      expect(run.output()).toContain('Interrupted: waiting for the running audits.');
      expect(await counts()).toEqual(before);
      const report = JSON.parse(await readFile(join(reports, 'conformance.json'), 'utf8')) as {
        counts: { passed: number; notRun: number };
      };
      expect(report.counts.passed).toBeGreaterThan(0);
      expect(report.counts.notRun).toBeGreaterThan(100);
    },
  );

  it(
    'a project with foreign users is refused without --allow-foreign-users',
    { timeout: 120_000 },
    async () => {
      const headers = { apikey: supabase.serviceRoleKey, authorization: `Bearer ${supabase.serviceRoleKey}` };
      const body = JSON.stringify({
        email: 'ada@shop.example',
        password: 'Secret-1-secret',
        email_confirm: true,
      });
      await supabase.fetch(`${supabase.url}/auth/v1/admin/users`, { method: 'POST', headers, body });
      const refused = start('--only', 'AUTH-001');
      expect(await refused.exited).toEqual([2, null]);
      expect(refused.output()).toContain('the project has users that no audit created');
      const lines = start('--only', 'AUTH-001', '--allow-foreign-users');
      expect(await lines.exited).toEqual([0, null]);
      expect(await count('auth.users')).toBe(1);
    },
  );
});
