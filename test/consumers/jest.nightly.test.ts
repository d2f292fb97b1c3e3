import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, expect, it } from 'vitest';
import { useConsumer } from './support/consumer.ts';

/** The packed library in Jest, which runs ES modules where Node allows them in its contexts. Installs Jest. */
const consumer = useConsumer('jest');
const run = promisify(execFile);

beforeAll(async () => {
  const flags = ['--no-audit', '--no-fund', '--install-links', '--ignore-scripts'];
  await run('npm', ['install', ...flags, 'jest@30'], { cwd: consumer().folder });
}, 300_000);

it('runs the tests of an application', { timeout: 120_000 }, async () => {
  const { folder: cwd } = consumer();
  const jest = join(cwd, 'node_modules/jest/bin/jest.js');
  const flags = ['--testMatch', '**/*.test.mjs', '--json'];
  const { stdout } = await run(process.execPath, ['--experimental-vm-modules', jest, ...flags], { cwd });
  expect(JSON.parse(stdout)).toMatchObject({ success: true, numPassedTests: 1 });
});
