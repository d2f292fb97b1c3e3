import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, inject, it, onTestFinished } from 'vitest';
import { checkPackage, lintPackage } from '../../scripts/library/check-package.ts';

it('the package is clean for publint and are-the-types-wrong', async () => {
  expect(await checkPackage(inject('library'))).toEqual([]);
});

it('reports an entry without a file', async () => {
  const { folder } = inject('library');
  const broken = await mkdtemp(join(tmpdir(), 'broken-library-'));
  onTestFinished(() => rm(broken, { recursive: true }));
  await cp(folder, broken, { recursive: true, filter: (path) => !path.includes('node_modules') });
  const manifest = await readFile(join(broken, 'package.json'), 'utf8');
  await writeFile(join(broken, 'package.json'), manifest.replace('./react/index.js', './react/absent.js'));
  expect(await lintPackage(broken)).toContain('absent.js');
});
