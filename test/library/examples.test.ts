import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { libraryEntries, libraryName } from '../../scripts/library/library-entries.ts';
import { parseExamples, readExamples } from './examples.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const sources = [
  'src/compat',
  'src/platform',
  'src/react',
  'src/testing',
  'src/clients/supabase-clients.ts',
  'src/clients/lazy-clients.ts',
  'src/clients/server-clients.ts',
  'src/clients/verify-request.ts',
].concat(['auth', 'rest', 'realtime', 'storage', 'functions'].map((client) => `src/${client}-client`));
const examples = readExamples(root, [...sources, 'README.md', 'docs', 'local-supabase/docs']);

/** The errors of the compiler, by the number of the example. */
const complaints = new Map<number, string[]>();
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'examples-'));
  await mkdir(join(folder, 'node_modules'));
  const installed = [
    'react',
    'react-dom',
    'zod',
    'ws',
    'jose',
    '@noble',
    '@types',
    '@supabase',
    'hono',
    '@tanstack',
    'local-supabase',
    'vitest',
    'vite',
    '@vitejs',
    '@playwright',
  ];
  for (const name of installed)
    await symlink(join(root, 'node_modules', name), join(folder, 'node_modules', name));
  await symlink(inject('library').folder, join(folder, 'node_modules', libraryName));
  for (const file of ['test/library/prelude.ts', 'src/inbox/database.types.ts'])
    await cp(join(root, file), join(folder, file));
  // Files that the projects of the pages contain.
  await writeFile(
    join(folder, 'database.types.ts'),
    `export type { Database } from './src/inbox/database.types.ts';\n`,
  );
  await writeFile(join(folder, 'App.tsx'), 'export declare function App(): null;\n');
  const notes = 'export declare function Notes(props: { userId: string }): null;\n';
  await writeFile(join(folder, 'Notes.tsx'), notes);
  for (const [index, { extension, code }] of examples.entries())
    await writeFile(join(folder, `example-${index}.${extension}`), `${code}\nexport {};\n`);
  const compilerOptions = {
    target: 'ES2023',
    lib: ['ES2023', 'DOM', 'DOM.Iterable', 'DOM.AsyncIterable'],
    module: 'ESNext',
    moduleResolution: 'Bundler',
    jsx: 'react-jsx',
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    allowImportingTsExtensions: true,
    skipLibCheck: true,
    noEmit: true,
    types: ['node', 'vite/client'],
  };
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions }));
  const tsc = join(root, 'node_modules/typescript-native/bin/tsc');
  const output = await new Promise<string>((resolve) => {
    execFile(process.execPath, [tsc, '-p', folder, '--pretty', 'false'], { cwd: folder }, (_problem, text) =>
      resolve(text),
    );
  });
  for (const line of output.split('\n').filter((each) => /error TS/.test(each))) {
    const index = Number(/^example-(\d+)\./.exec(line)?.[1] ?? -1);
    complaints.set(index, [...(complaints.get(index) ?? []), line]);
  }
});
afterAll(() => rm(folder, { recursive: true }));

describe('the examples of docstrings and pages', () => {
  it.each(examples.map(({ where }, index) => [where, index] as const))('%s compiles', (_where, index) => {
    expect(complaints.get(index) ?? []).toEqual([]);
  });

  it('use only declarations that compile', () => {
    expect(complaints.get(-1) ?? []).toEqual([]);
  });

  it.each(Object.keys(libraryEntries))('show how to use the entry %s', (entry) => {
    const name = libraryName + entry.slice(1);
    const inDocstrings = examples.filter(({ where }) => where.startsWith('src/'));
    expect(inDocstrings.filter(({ code }) => code.includes(`from '${name}'`))).not.toEqual([]);
  });
});

describe('finding examples', () => {
  const docstring = ['/**', ' * @example', ' * ```ts', ' * const a = 1;', ' *', ' *   b();', ' * ```', ' */'];

  it('takes fenced blocks out of docstrings, with their indentation and the line where they begin', () => {
    expect(parseExamples('a.ts', docstring.join('\n'))).toEqual([
      { where: 'a.ts:4', extension: 'ts', code: 'const a = 1;\n\n  b();' },
    ]);
  });

  it('leaves blocks of other languages alone', () => {
    expect(parseExamples('a.md', '```sh\nnpm ci\n```\n```tsx\n<p />\n```')).toEqual([
      { where: 'a.md:5', extension: 'tsx', code: '<p />' },
    ]);
  });
});
