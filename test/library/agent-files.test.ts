import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, inject, it } from 'vitest';
import { libraryEntries, libraryName } from '../../scripts/library/library-entries.ts';

const read = (name: string) => readFileSync(join(inject('library').folder, name), 'utf8');
const linksOf = (text: string) => Array.from(text.matchAll(/\]\(([^)]+)\)/g), ([, link]) => link ?? '');

describe.each(['AGENTS.md', 'llms.txt'])('%s of the package', (name) => {
  it('links to pages that the package has, and to each of them', () => {
    const { folder } = inject('library');
    const links = linksOf(read(name));
    expect(links.filter((link) => !existsSync(join(folder, link)))).toEqual([]);
    const pages = readdirSync(join(folder, 'docs')).filter(
      (file) => file.endsWith('.md') && file !== 'agents.md',
    );
    expect(pages.filter((file) => !links.includes(`docs/${file}`))).toEqual([]);
  });

  it('is short', () => {
    expect(read(name).length).toBeLessThan(name === 'llms.txt' ? 7_000 : 10_000);
  });
});

it('llms.txt says of each page what it is about, in a whole sentence', () => {
  const pages = read('llms.txt').match(/^- \[.*\]\(docs\/.*$/gm) ?? [];
  expect(pages.length).toBeGreaterThan(20);
  expect(pages.filter((line) => !/\): [A-Z`].{20,}\.$/.test(line))).toEqual([]);
});

it('AGENTS.md names each entry, and no other', () => {
  const named = Array.from(read('AGENTS.md').matchAll(/^- `([^`]+)`: /gm), ([, entry = '']) => entry);
  const entries = Object.keys(libraryEntries).map((entry) => libraryName + entry.slice(1));
  expect(named.sort()).toEqual(entries.sort());
});

it('AGENTS.md has the rules and the example of the page that is compiled', () => {
  const [, rules = ''] = readFileSync('docs/clients/agents.md', 'utf8').split('\n\n```ts');
  expect(read('AGENTS.md')).toContain(rules.trim());
});

it('the pages of the package show the examples as code, and link to those that it has', () => {
  const { folder } = inject('library');
  const pages = readdirSync(join(folder, 'docs')).filter((file) => file.endsWith('.md'));
  const text = (file: string) => read(`docs/${file}`);
  expect(pages.filter((file) => /^<<< /m.test(text(file)))).toEqual([]);
  expect(text('frameworks.md')).toContain(
    "import { onScopeDispose, type ShallowRef, shallowRef } from 'vue';",
  );
  const examples = linksOf(text('servers.md')).filter((link) => link.includes('examples/'));
  expect(examples.length).toBeGreaterThan(8);
  expect(examples.filter((link) => !existsSync(join(folder, 'docs', link)))).toEqual([]);
  // The module that the examples import by its path.
  expect(existsSync(join(folder, 'docs/examples/servers/routes.ts'))).toBe(true);
});
