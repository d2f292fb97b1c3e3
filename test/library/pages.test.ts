import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
const textOf = (page: string) => readFileSync(join(root, page), 'utf8');
const decisions = readdirSync(join(root, 'docs/decisions'));
const pages = ['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md']
  .concat(['docs', 'src', 'local-supabase'].flatMap((folder) => pagesBelow(folder)))
  .filter((path) => !path.startsWith('docs/api/'));
const { scripts } = JSON.parse(textOf('package.json')) as { readonly scripts: object };

function pagesBelow(folder: string): readonly string[] {
  const names = readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' });
  return names.filter((name) => name.endsWith('.md')).map((name) => `${folder}/${name}`);
}

const matches = (page: string, pattern: RegExp) =>
  [...textOf(page).matchAll(pattern)].map(([, found = '']) => found);

describe.each(pages)('the page %s', (page) => {
  it('has links that lead somewhere', () => {
    const paths = matches(page, /\]\(([^)\s#]+)[^)]*\)/g).filter((link) => !/^[a-z]+:/.test(link));
    expect(paths.filter((path) => !existsSync(join(root, dirname(page), path)))).toEqual([]);
  });

  it('names files that exist', () => {
    const paths = matches(
      page,
      /`((?:src|test|scripts|local-supabase|supabase|docs|container)\/[\w./-]*\.\w+)`/g,
    );
    expect(paths.filter((path) => !existsSync(join(root, path)))).toEqual([]);
  });

  it('names commands that exist', () => {
    const commands = matches(page, /npm run (?:-s )?([\w:]+)/g);
    expect(commands.filter((command) => !(command in scripts))).toEqual([]);
  });
});

describe('the decisions', () => {
  it('have each a number of their own, which the title repeats', () => {
    expect(new Set(decisions.map((name) => name.slice(0, 3))).size).toBe(decisions.length);
    const isTold = (name: string) => textOf(`docs/decisions/${name}`).startsWith(`# ${name.slice(0, 3)} `);
    expect(decisions.filter((name) => !isTold(name))).toEqual([]);
  });
});
