import { spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';

const command = fileURLToPath(new URL('../bin/supabase-conformance.ts', import.meta.url));
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'conformance-exit-'));
});
afterAll(() => rm(folder, { recursive: true }));

it('exits with 1 for an unexpected result, after closing the embedded Supabase, and names ids without an audit', async () => {
  const known = join(folder, 'known.txt');
  await writeFile(known, 'REST-148 passes, so the list is wrong\nREST-9999 has a wrong id\n');
  const args = ['--only', 'REST-148', '--set', 'server', '--known', known, '--reports', folder];
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--import', 'tsx', command, ...args], {
    encoding: 'utf8',
  });
  expect({ status, stdout }).toMatchObject({ status: 1, stdout: expect.stringContaining('REST-148') });
  const report = JSON.parse(await readFile(join(folder, 'conformance.json'), 'utf8')) as unknown;
  expect(report).toMatchObject({ run: { client: 'no client' } });
  expect(stderr).toContain('known.txt names audits that are not installed: REST-9999');
});
