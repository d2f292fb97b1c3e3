import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const read = (page: string) => readFileSync(page, 'utf8');

/** The cells of the row of a page that begins with this text. */
function rowOf(page: string, first: string): readonly string[] {
  const line = read(page)
    .split('\n')
    .find((each) => each.startsWith(`| ${first} |`));
  if (line === undefined) throw new Error(`${page} has no row “${first}”`);
  return line
    .split('|')
    .slice(2, -1)
    .map((cell) => cell.trim());
}

it.each([
  ['All clients, loaded at once (gzip)', 'All clients, at once, gzip'],
  ['Import of all clients in Node, as installed', 'Import of all clients, as installed'],
] as const)('the first page has the figures that were measured: %s', (shown, measured) => {
  const [ours = '', theirs = ''] = rowOf('docs/clients/performance.md', measured);
  expect(rowOf('docs/index.md', shown)).toEqual([ours, theirs]);
});

it('the first page has the ratio that was measured, and the size and reset of Local Supabase', () => {
  const [ratio = ''] = rowOf('docs/clients/performance.md', '5,000 changes of rows applied');
  expect(rowOf('docs/index.md', '5,000 changes of rows applied, time beside theirs')).toEqual([ratio, '1']);
  const [ours = '', , cli = ''] = rowOf('local-supabase/docs/comparison.md', 'Installed');
  expect(rowOf('docs/index.md', 'Installed')).toEqual([ours.replace(/,.*/, ''), cli]);
  const measurements = read('local-supabase/docs/measurements.md');
  const [, resetMs] = /^\| `reset\(\)`.*\| \d+ to (\d+) ms/m.exec(measurements) ?? [];
  expect(rowOf('docs/index.md', 'In a test')[0]).toContain(`reset in ${resetMs} ms`);
});

it('the first page names the version of the vendor’s client that was measured', () => {
  const [, version] = /beside version ([\d.]+\d)/.exec(read('docs/clients/performance.md')) ?? [];
  expect(read('docs/index.md')).toContain(`supabase-js ${version}`);
});
