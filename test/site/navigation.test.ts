import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { pagesOf, sections } from '../../docs/.vitepress/sections.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const listed = sections.flatMap(pagesOf);

it.each(sections)('the navigation of $title lists each page of its folders once', ({ folder, groups }) => {
  const files = groups.flatMap((group) => group.files);
  const folders = [`docs/${folder}`, ...new Set(files.map((file) => file.replace(/\/[^/]+$/, '')))];
  const pages = new Set(
    folders.flatMap((each) =>
      readdirSync(join(root, each))
        .filter((name) => name.endsWith('.md'))
        .map((name) => `${each}/${name}`),
    ),
  );
  expect(new Set(files)).toEqual(pages);
  expect(files).toHaveLength(pages.size);
});

it('a page of the navigation begins with its title', () => {
  expect(listed.filter(({ title, file }) => title === file)).toEqual([]);
});
