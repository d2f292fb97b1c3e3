import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { fillPage, readRequirements } from '../../scripts/site/asvs-tables.ts';

const root = new URL('../../', import.meta.url);
const read = (path: string) => readFileSync(new URL(path, root), 'utf8');
const page = read('docs/inbox/what-protects-what.md');

/** The files that the page names, each with the titles in double quotes that follow it. */
function namedFiles(text: string): { readonly path: string; readonly titles: readonly string[] }[] {
  const mention =
    /`((?:test|src|supabase|local-supabase|conformance|scripts|container|docs)\/[\w./-]+\.\w+)`((?:,?\s+"[^"]+")*)/g;
  return [...text.matchAll(mention)].map(([, path = '', titles = '']) => ({
    path,
    titles: [...titles.matchAll(/"([^"]+)"/g)].map(([, title = '']) => title.replace(/\s+/g, ' ')),
  }));
}

it('the page names files that exist, and tests that they contain', () => {
  const files = namedFiles(page);
  expect(files.flatMap(({ titles }) => titles).length).toBeGreaterThanOrEqual(80);
  for (const { path, titles } of files) {
    expect({ path, exists: existsSync(new URL(path, root)) }).toEqual({ path, exists: true });
    for (const title of titles)
      expect({ path, title, exists: read(path).includes(title) }).toEqual({ path, title, exists: true });
  }
});

it('every claim names where it is enforced, and a test', () => {
  const tables = page.split(/\n\n/).filter((block) => block.startsWith('| Claim | Enforced at | Test |\n'));
  expect(tables.length).toBeGreaterThan(6);
  const rows = tables.flatMap((table) => table.trim().split('\n').slice(2));
  const incomplete = rows.filter((row) => {
    const [, , place = '', tests = ''] = row.split(/ ?\| ?/);
    return place === '' || !/`(?:test|local-supabase\/test|conformance\/\w+)\/[\w./-]+`/.test(tests);
  });
  expect(incomplete).toEqual([]);
});

it('migrations that the page names exist', () => {
  const names = [...page.matchAll(/`([a-z_]+\.sql)`/g)].map(([, name = '']) => name);
  const migrations = new Set(
    readdirSync(new URL('supabase/migrations', root)).map((name) => name.replace(/^\d+_/, '')),
  );
  expect([...new Set(names)].filter((name) => !migrations.has(name))).toEqual([]);
});

it('the tables of the standard have its 122 requirements', () => {
  const requirements = readRequirements();
  expect(new Set(requirements.map(({ number }) => number)).size).toBe(122);
  expect(fillPage(page, requirements)).toBe(page);
});
