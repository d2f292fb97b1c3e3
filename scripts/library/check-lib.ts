/** `npm run check:lib`: builds and packs the library, and checks it with publint and are-the-types-wrong. */
import { execFileSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkPackage } from './check-package.ts';
import { packLibrary } from './pack-library.ts';

const folder = await mkdtemp(join(tmpdir(), 'library-'));
try {
  const library = await packLibrary(folder);
  const problems = await checkPackage(library);
  problems.forEach((problem) => console.error(`✗ ${problem}`));
  const files = execFileSync('tar', ['-tzf', library.tarball], { encoding: 'utf8' })
    .trim()
    .split('\n').length;
  if (problems.length === 0)
    console.log(`✓ publint and are-the-types-wrong report nothing for ${files} files`);
  process.exitCode = problems.length === 0 ? 0 : 1;
} finally {
  await rm(folder, { recursive: true });
}
