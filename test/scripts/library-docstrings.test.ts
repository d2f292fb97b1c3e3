import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { reportDocumentation } from '../../scripts/library/library-docstrings.ts';

async function gapsOf(modules: Readonly<Record<string, string>>): Promise<readonly string[]> {
  const folder = await mkdtemp(join(tmpdir(), 'docstrings-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  for (const [name, text] of Object.entries(modules)) await writeFile(join(folder, name), text);
  return reportDocumentation(folder, [join(folder, 'index.ts')]).gaps.map(
    ({ where, name }) => `${where} ${name}`,
  );
}

it('lists exported names and members without a docstring, also behind re-exports', async () => {
  const gaps = await gapsOf({
    'index.ts': `export * from './star.ts';\nexport { original as renamed } from './named.ts';\nimport type { Options } from './named.ts';\nexport type { Options };`,
    'star.ts': 'export const bare = 1;\n/** Documented. */\nexport const told = 2;\nconst hidden = 3;',
    'named.ts':
      'export function original() {}\n/** Documented. */\nexport interface Options {\n  /** Documented. */\n  a: 1;\n  b(): void;\n}',
  });
  expect(gaps).toEqual(['named.ts:1 renamed', 'named.ts:6 Options.b', 'star.ts:1 bare']);
});

it('takes one docstring for all overloads and for the members of a union', async () => {
  const gaps = await gapsOf({
    'index.ts': `/** Documented. */\nexport function f(): void;\nexport function f(a?: 1): void;\n/** Documented. */\nexport type T = {\n/** Documented. */\nname: 1 } | { name: 2; extra: 1 };`,
  });
  expect(gaps).toEqual(['index.ts:7 T.extra']);
});

it('leaves out private members, and those whose interface is documented', async () => {
  const gaps = await gapsOf({
    'index.ts': `interface Shape {\n/** Documented. */\narea(): number }\n/** Documented. */\nexport class Square extends Error implements Shape {\n  override readonly name = 'Square';\n  private side = 1;\n  #hidden = 1;\n  area() { return 1; }\n  grow() {}\n}`,
  });
  expect(gaps).toEqual(['index.ts:10 Square.grow']);
});

it('leaves out members whose names need no docstring', async () => {
  const gaps = await gapsOf({
    'index.ts': `/** Documented. */\nexport interface Row {\n  id: string;\n  type: 'row';\n  created_at: string;\n  size: number;\n}`,
  });
  expect(gaps).toEqual(['index.ts:6 Row.size']);
});
