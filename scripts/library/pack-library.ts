import { spawnSync } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));

export interface PackedLibrary {
  /** The built package as a folder. */
  readonly folder: string;
  /** The file that `npm install` takes. */
  readonly tarball: string;
}

/**
 * Builds the library and packs it, both into a folder.
 *
 * @throws {Error} with the compiler's output.
 */
export async function packLibrary(into: string): Promise<PackedLibrary> {
  const folder = join(into, 'package');
  await mkdir(into, { recursive: true });
  run(process.execPath, ['--import', 'tsx', 'scripts/library/build-lib.ts', folder], root);
  const packed = run('npm', ['pack', '--silent', '--pack-destination', into], folder);
  return { folder, tarball: join(into, packed.trim().split('\n').at(-1) ?? '') };
}

function run(command: string, args: readonly string[], cwd: string): string {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd, encoding: 'utf8' });
  if (status !== 0) throw new Error(`The library cannot be built:\n${stdout}${stderr}`);
  return stdout;
}
