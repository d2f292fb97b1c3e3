import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';

const root = join(import.meta.dirname, '../..');
const folder = join(root, 'test/rest-client/support/unawaited');
const program = `import { createRestClient, type RestClientOptions } from '../../../../src/rest-client/index.ts';
import type { SampleDatabase } from '../sample-database.ts';
declare const options: RestClientOptions<'public'>;
const notes = createRestClient<SampleDatabase>(options).from('notes');
export async function save() {
  notes.insert({ title: 'x' });
  notes.update({ title: 'x' }).eq('id', '1');
  notes.select();
  await notes.insert({ title: 'x' });
}
`;

afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('the rule no-floating-promises finds a query that is never sent', () => {
  mkdirSync(folder, { recursive: true });
  const file = join(folder, 'program.ts');
  writeFileSync(file, program);
  // The nearest project, so that the rule reads no other file.
  writeFileSync(
    join(folder, 'tsconfig.json'),
    JSON.stringify({ extends: '../../../../tsconfig.json', include: ['program.ts'] }),
  );
  const oxlint = join(root, 'node_modules/oxlint/bin/oxlint');
  const options = ['--type-aware', '-A', 'all', '-D', 'typescript/no-floating-promises', '--format=unix'];
  const { stdout } = spawnSync(process.execPath, [oxlint, ...options, file], { cwd: root, encoding: 'utf8' });
  const lines = Array.from(stdout.matchAll(/program\.ts:(\d+):.*no-floating-promises/g), ([, line]) => line);
  expect(lines).toEqual(['6', '7', '8']);
});
