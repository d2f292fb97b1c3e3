import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const root = new URL('../../', import.meta.url);
const read = (path: string) => readFileSync(new URL(path, root), 'utf8');
/** The pages, with the least number of test titles that each names. */
const pages = [
  ['docs/inbox/security.md', 40],
  ['docs/inbox/asvs.md', 25],
  ['docs/inbox/threat-model.md', 0],
] as const;

/** The files that a page names, each with the titles in double quotes that follow it. */
function namedFiles(text: string): { readonly path: string; readonly titles: readonly string[] }[] {
  const mention =
    /`((?:test|src|supabase|local-supabase|conformance|scripts|container)\/[\w./-]+\.\w+)`((?:,?\s+"[^"]+")*)/g;
  return [...text.matchAll(mention)].map(([, path = '', titles = '']) => ({
    path,
    titles: [...titles.matchAll(/"([^"]+)"/g)].map(([, title = '']) => title.replace(/\s+/g, ' ')),
  }));
}

describe.each(pages)('%s', (page, leastTitles) => {
  const text = read(page);

  it('names files that exist, and tests that they contain', () => {
    const files = namedFiles(text);
    expect(files.flatMap(({ titles }) => titles).length).toBeGreaterThanOrEqual(leastTitles);
    for (const { path, titles } of files) {
      expect({ path, exists: existsSync(new URL(path, root)) }).toEqual({ path, exists: true });
      for (const title of titles) {
        const source = read(path);
        expect({ path, title, exists: source.includes(title) }).toEqual({ path, title, exists: true });
      }
    }
  });

  it('links to pages that exist', () => {
    for (const [, target = ''] of text.matchAll(/\]\(([\w-]+\.md)\)/g))
      expect({ target, exists: existsSync(new URL(`${page.replace(/[^/]+$/, '')}${target}`, root)) }).toEqual(
        {
          target,
          exists: true,
        },
      );
  });
});

it('every claim of a table with tests names one', () => {
  const tables = read('docs/inbox/security.md')
    .split(/\n\n/)
    .filter((block) => /^\|.*\| Test \|\n/.test(block));
  expect(tables.length).toBeGreaterThan(5);
  const rows = tables.flatMap((table) => table.trim().split('\n').slice(2));
  const unproven = rows.filter(
    (row) => !/`(?:test|local-supabase\/test|conformance\/\w+)\/[\w./-]+`/.test(row),
  );
  expect(unproven).toEqual([expect.stringContaining('none at the server')]);
});

it('the table of the standard has one row for each of its 122 requirements', () => {
  const rows = [
    ...read('docs/inbox/asvs.md').matchAll(/^\| (\d+\.\d+\.\d+) \| .* \| (met|not met|not applicable) \|/gm),
  ];
  expect(new Set(rows.map(([, number]) => number)).size).toBe(rows.length);
  expect(rows).toHaveLength(122);
});
