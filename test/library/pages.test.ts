import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
const textOf = (page: string) => readFileSync(join(root, page), 'utf8');
const decisions = ['docs', 'local-supabase/docs', 'conformance/docs'].flatMap((docs) =>
  readdirSync(join(root, docs, 'decisions')).map((name) => `${docs}/decisions/${name}`),
);
const pages = ['README.md', 'CONTRIBUTING.md']
  .concat(
    ['docs', 'src', 'local-supabase', 'conformance', 'supabase', 'test'].flatMap((folder) =>
      pagesBelow(folder),
    ),
  )
  .filter((path) => !path.startsWith('docs/api/'));
const { scripts } = JSON.parse(textOf('package.json')) as { readonly scripts: object };

function pagesBelow(folder: string): readonly string[] {
  const names = readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' });
  return names
    .filter((name) => name.endsWith('.md') && !name.includes('node_modules'))
    .map((name) => `${folder}/${name}`);
}

const matches = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map(([, found = '']) => found);

describe.each(pages)('the page %s', (page) => {
  it('links only to targets that exist', () => {
    const prose = textOf(page).replaceAll(/`[^`\n]*`/g, '');
    const paths = matches(prose, /\]\(([^)\s#]+)[^)]*\)/g).filter((link) => !/^[a-z]+:/.test(link));
    expect(paths.filter((path) => !existsSync(join(root, dirname(page), path)))).toEqual([]);
  });

  it('names files that exist', () => {
    const paths = matches(
      textOf(page),
      /`((?:src|test|scripts|local-supabase|conformance|supabase|docs|container|examples)\/[\w./-]*\.\w+)`/g,
    );
    // A README of a part names its files from its own folder.
    const isThere = (path: string) =>
      [root, join(root, dirname(page))].some((at) => existsSync(join(at, path)));
    expect(paths.filter((path) => !isThere(path))).toEqual([]);
  });

  it('names folders of a service that exist for one', () => {
    const folders = matches(
      textOf(page),
      /`((?:src|test|local-supabase|conformance)\/[\w./-]*<service>[\w./-]*)`/g,
    );
    const exists = (folder: string) =>
      ['auth', 'rest'].some((service) => existsSync(join(root, folder.replaceAll('<service>', service))));
    expect(folders.filter((folder) => !exists(folder))).toEqual([]);
  });

  it('names commands that exist', () => {
    const commands = matches(textOf(page), /npm run (?:-s )?([\w:]+)/g);
    expect(commands.filter((command) => !(command in scripts))).toEqual([]);
  });
});

describe('the decisions', () => {
  it('each decision has its own number, which its title repeats', () => {
    const numberOf = (path: string) => basename(path).slice(0, 3);
    expect(new Set(decisions.map(numberOf)).size).toBe(decisions.length);
    const isInTitle = (path: string) => textOf(path).startsWith(`# ${numberOf(path)} `);
    expect(decisions.filter((path) => !isInTitle(path))).toEqual([]);
  });
});
