import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, inject } from 'vitest';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../../..', import.meta.url));
const modules = join(root, 'node_modules');

export interface Consumer {
  readonly folder: string;
  /** Checks the types of these files, default all, against the installed package, and leaves JavaScript beside each. */
  compile(files?: readonly string[]): Promise<void>;
}

/**
 * A folder outside of the repository with a consumer's sources, into which npm installs the packed library and what it
 * depends on, copied from the repository's own node_modules, so that npm requests no registry. Other dependencies of the
 * consumer are linked, because npm would need their sources again.
 *
 * @param sources the folder of the sources, from the root of the repository.
 */
export function useConsumer(
  name: string,
  dependencies: readonly string[] = [],
  sources = `test/consumers/${name}`,
): () => Consumer {
  let folder: string | undefined;
  beforeAll(async () => {
    folder = await realpath(await mkdtemp(join(tmpdir(), `consumer-${name}-`)));
    await cp(join(root, sources), folder, { recursive: true });
    await writeFile(join(folder, 'package.json'), JSON.stringify({ name, private: true, type: 'module' }));
    const packages = ['@noble/hashes', 'jose', 'zod'].map((each) => join(modules, each));
    const flags = [
      '--offline',
      '--install-links',
      '--ignore-scripts',
      '--no-audit',
      '--no-fund',
      '--no-package-lock',
    ];
    await run('npm', ['install', ...flags, inject('library').tarball, ...packages], { cwd: folder });
    for (const each of dependencies) await link(each, join(folder, 'node_modules', each));
  });
  afterAll(async () => {
    if (folder) await rm(folder, { recursive: true });
  });
  return () => {
    if (!folder) throw new Error('The consumer has not been installed yet');
    const cwd = folder;
    // The vendor's declarations do not pass the strict options.
    const skipLibCheck = dependencies.some((each) => each.startsWith('@supabase/'));
    return { folder, compile: (files) => compile(cwd, skipLibCheck, files) };
  };
}

/** @throws {Error} with the compiler's output. */
async function compile(folder: string, skipLibCheck: boolean, files?: readonly string[]): Promise<void> {
  const configuration = {
    compilerOptions: {
      target: 'ES2023',
      lib: ['ES2023', 'DOM', 'DOM.Iterable', 'DOM.AsyncIterable'],
      // Unlike NodeNext, it takes no declarations of ES modules for `require`: TypeScript before 5.8 did not either.
      module: 'Node18',
      moduleDetection: 'force',
      // The examples import each other as files of TypeScript.
      rewriteRelativeImportExtensions: true,
      jsx: 'react-jsx',
      strict: true,
      exactOptionalPropertyTypes: true,
      noUncheckedIndexedAccess: true,
      skipLibCheck,
      types: ['node'],
    },
    ...(files && { files }),
  };
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(configuration));
  const tsc = join(modules, 'typescript-native/bin/tsc');
  await run(process.execPath, [tsc, '-p', folder]).catch((problem: Error & { readonly stdout?: string }) => {
    throw new Error(problem.stdout ?? problem.message);
  });
}

async function link(name: string, path: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await symlink(join(modules, name), path);
}
