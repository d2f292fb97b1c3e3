/** `npm run size:lib`: measures the size of each entry of the library, and writes it into the library's page. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { libraryName } from './library-entries.ts';
import { measureEntries, sizesPage, writeSizes } from './library-sizes.ts';
import { packLibrary } from './pack-library.ts';

const into = await mkdtemp(join(tmpdir(), 'library-'));
try {
  const sizes = await measureEntries((await packLibrary(into)).folder);
  const kB = (bytes: number) => (bytes === 0 ? '–' : (bytes / 1000).toFixed(1)).padStart(8);
  console.log(`${'kB of gzip'.padEnd(52)}${'at once'.padStart(8)}${'later'.padStart(8)}`);
  for (const { name, atOnce, later } of sizes)
    console.log(`${(libraryName + name.slice(1)).padEnd(52)}${kB(atOnce)}${kB(later)}`);
  await writeFile(sizesPage, writeSizes(await readFile(sizesPage, 'utf8'), sizes));
} finally {
  await rm(into, { recursive: true });
}
