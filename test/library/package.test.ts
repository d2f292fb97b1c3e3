import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, inject, it } from 'vitest';
import { libraryEntries } from '../../scripts/library/library-entries.ts';
import { measureEntries, sizesPage, staleSizes, writeSizes } from '../../scripts/library/library-sizes.ts';

const filesOf = (folder: string) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
    (name) => !name.startsWith('node_modules') && statSync(join(folder, name)).isFile(),
  );

interface SourceMap {
  readonly sources: readonly string[];
  readonly sourcesContent?: readonly string[];
}

describe('the package', () => {
  it('consists of modules, declarations, source maps, pages, examples and manifests, and nothing of the application', () => {
    const names = filesOf(inject('library').folder);
    const others = names.filter(
      (name) =>
        !/\.(js|js\.map|d\.ts|d\.ts\.map)$|^sources\/.*\.tsx?$|^docs\/([\w-]+\.md$|examples\/)/.test(name),
    );
    expect(others.sort()).toEqual([
      'AGENTS.md',
      'CHANGELOG.md',
      'LICENSE',
      'README.md',
      'commonjs-types/package.json',
      'docs/capabilities.json',
      'docs/live-list-states.svg',
      'llms.txt',
      'package.json',
    ]);
    expect(names.filter((name) => /^(app|features|ui|main|database)/.test(name))).toEqual([]);
  });

  it('carries its sources in the source maps, and no path of the machine that built it', () => {
    const { folder } = inject('library');
    const texts = filesOf(folder).map((name) => [name, readFileSync(join(folder, name), 'utf8')] as const);
    const maps = texts
      .filter(([name]) => name.endsWith('.js.map'))
      .map(([, text]) => JSON.parse(text) as SourceMap);
    const sources = new Set(maps.flatMap((map) => map.sources));
    expect(texts.filter(([, text]) => text.includes(process.cwd())).map(([name]) => name)).toEqual([]);
    expect(sources.size).toBeGreaterThan(100);
    expect([...sources].filter((source) => !existsSync(join('src', source)))).toEqual([]);
    expect(maps.filter((map) => map.sourcesContent?.length !== map.sources.length)).toEqual([]);
  });

  it('leads an editor from each declaration to its source, which the package contains', () => {
    const { folder } = inject('library');
    const declarations = filesOf(folder).filter((name) => name.endsWith('.d.ts') && name !== 'browser.d.ts');
    const lost = declarations.filter((name) => {
      const map = join(folder, `${name}.map`);
      const { sources } = JSON.parse(readFileSync(map, 'utf8')) as SourceMap;
      return !sources.every((source) => existsSync(join(dirname(map), source)));
    });
    expect(declarations.length).toBeGreaterThan(100);
    expect(lost).toEqual([]);
  });

  it('imports by complete paths, so that Node needs no bundler', () => {
    const { folder } = inject('library');
    const paths = filesOf(folder)
      .filter((name) => /\.(js|d\.ts)$/.test(name))
      .flatMap((name) =>
        [
          ...readFileSync(join(folder, name), 'utf8').matchAll(/\b(?:from|import)\s*\(?['"](\.[^'"]+)['"]/g),
        ].map(([, path]) => path ?? ''),
      );
    expect(paths.length).toBeGreaterThan(100);
    expect(paths.filter((path) => !path.endsWith('.js'))).toEqual([]);
  });
});

describe('the sizes of the entries', () => {
  it('equal those in docs/clients/entries.md (npm run size:lib updates them)', async () => {
    const sizes = await measureEntries(inject('library').folder);
    expect(staleSizes(await readFile(sizesPage, 'utf8'), sizes)).toEqual([]);
  });

  it('are reported as stale after growth by half a kilobyte', () => {
    const row = '| `./react` | hooks | 0.8 | – |';
    expect(staleSizes(row, [{ name: './react', atOnce: 1290, later: 0 }])).toEqual([
      './react: 1.3 and – kB, not 0.8 and –',
    ]);
    expect(writeSizes(row, [{ name: './react', atOnce: 1290, later: 40 }])).toBe(
      '| `./react` | hooks | 1.3 | 0.0 |',
    );
  });
});

describe('the exported names', () => {
  // A name that is missing or different here breaks a user's build. Change the snapshot on purpose, with a line in
  // CHANGELOG.md.
  it.each(Object.entries(libraryEntries))('the exported names of %s are unchanged', async (entry, file) => {
    const { folder } = inject('library');
    const values = Object.keys((await import(join(folder, `${file}.js`))) as object).sort();
    expect({ values, all: exportedNames(folder, file) }).toMatchSnapshot(entry);
  });
});

/** The names of the values and types that the declarations of an entry export. */
function exportedNames(folder: string, file: string): readonly string[] {
  const text = readFileSync(join(folder, `${file}.d.ts`), 'utf8');
  const lists = [...text.matchAll(/export (?:type )?\{([^}]*)\}/g)].flatMap(([, list = '']) =>
    list.split(','),
  );
  const listed = lists.map((name) =>
    name
      .replace(/^\s*type /, '')
      .replace(/.* as /, '')
      .trim(),
  );
  const declared = [
    ...text.matchAll(
      /^export (?:declare )?(?:abstract )?(?:function\*?|class|const|interface|type|let) (\w+)/gm,
    ),
  ].map(([, name = '']) => name);
  const followed = [...text.matchAll(/export (?:type )?\* from '(.*)\.js'/g)].flatMap(([, path = '']) =>
    exportedNames(folder, join(file, '..', path)),
  );
  return [...new Set([...listed, ...declared, ...followed])].filter(Boolean).sort();
}
