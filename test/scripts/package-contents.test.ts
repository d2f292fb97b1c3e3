import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { contentProblems, withoutDeadLinks } from '../../scripts/package-contents.ts';

const sound = {
  'package.json': JSON.stringify({
    name: 'sample',
    version: '1.2.0',
    author: 'Ada',
    homepage: 'https://example.com',
    bugs: { url: 'https://example.com/issues' },
    repository: { type: 'git', url: 'git+https://github.com/your-organization/sample.git' },
    keywords: ['sample'],
    exports: { '.': { types: './index.d.ts', default: './index.js' }, './package.json': './package.json' },
  }),
  'README.md': '# sample\n\n```sh\nnpm install sample\n```\n',
  LICENSE: 'MIT',
  'CHANGELOG.md': '# sample\n\n## 1.2.0\n\n- New.\n',
  'index.js': 'export {};\n',
  'index.d.ts': 'export {};\n',
  'index.d.ts.map': JSON.stringify({ version: 3, sources: ['docs/index.ts'], mappings: '' }),
  'docs/index.ts': 'export {};\n',
  'THIRD-PARTY-LICENSES.txt': `This package contains code of:\n\na 1.0.0\n\nMIT License\n\nCopyright`,
};

async function writePackage(files: Readonly<Record<string, string>>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'package-contents-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  await mkdir(join(folder, 'docs'));
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  return folder;
}

it('finds nothing in a sound package', async () => {
  expect(contentProblems(await writePackage(sound))).toEqual([]);
});

it.each([
  ['docs/a.test.js', '', 'docs/a.test.js'],
  ['index.js', `load('${process.cwd()}/src');`, 'index.js names the folder in which it was built'],
  ['CHANGELOG.md', '# sample\n\n## 1.1.0\n', 'CHANGELOG.md has no section 1.2.0'],
  ['package.json', sound['package.json'].replace('"types":"./index.d.ts",', ''), '. has no types'],
  ['README.md', '# sample\n', 'README.md has no npm install of sample'],
  ['README.md', `${sound['README.md']}\n## Rooms\n`, 'README.md has "Rooms", which is for contributors'],
  ['index.d.ts.map', '{"sources":["../src/index.ts"]}', 'index.d.ts leads an editor to no source'],
  [
    'THIRD-PARTY-LICENSES.txt',
    `${sound['THIRD-PARTY-LICENSES.txt']}\n\n${'-'.repeat(80)}\n\nb 2.0.0\n\nLicense: MIT\n`,
    'THIRD-PARTY-LICENSES.txt has no text for b 2.0.0',
  ],
])('finds what is wrong with %s', async (name, text, problem) => {
  expect(contentProblems(await writePackage({ ...sound, [name]: text }))).toEqual([`sample: ${problem}`]);
});

it.each(['author', 'homepage', 'bugs', 'repository', 'keywords'])(
  'finds that the registry would show no %s',
  async (field) => {
    const manifest = { ...(JSON.parse(sound['package.json']) as object), [field]: undefined };
    const folder = await writePackage({ ...sound, 'package.json': JSON.stringify(manifest) });
    expect(contentProblems(folder)).toEqual([`sample: package.json has no ${field}`]);
  },
);

it('refuses the placeholder of the repository in a release', async () => {
  const folder = await writePackage(sound);
  expect(contentProblems(folder, true)).toEqual(['sample: repository is that of your-organization']);
});

it('finds a file that is missing', async () => {
  const { LICENSE: _license, ...others } = sound;
  expect(contentProblems(await writePackage(others))).toEqual(['sample: LICENSE is missing']);
});

it('keeps the links of a page that lead to packed files or to the web', async () => {
  const folder = await writePackage({ ...sound, 'docs/a.md': '' });
  const page = '[a](docs/a.md#part), [b](../src/b.ts), [c](https://example.com/c), [d](#below)';
  expect(withoutDeadLinks(page, folder)).toBe(
    '[a](docs/a.md#part), b, [c](https://example.com/c), [d](#below)',
  );
});
