import { dirname, join, relative, resolve } from 'node:path';
import { type ChunkingContext, type CodeSplittingGroup, rolldown } from 'rolldown';
import { libraryEntries } from './library-entries.ts';

/** The clients with a separate entry: the modules that each imports statically become one file. */
const clients = [
  'auth-client',
  'rest-client',
  'realtime-client',
  'storage-client',
  'functions-client',
] as const;

/** Modules of the platform that load a dependency (hashes), which not every client needs, and the index, which exports them. */
const optional: ReadonlySet<string> = new Set(
  ['browser-platform', 'index'].map((name) => `platform/${name}.ts`),
);

/**
 * Writes the modules of the library, a file per entry and few files behind them. One file per source module would make Node
 * resolve, read and compile 60 files for one client, which takes longer than their work.
 */
export async function bundleLibrary(sourceDir: string, outDir: string): Promise<void> {
  const bundle = await rolldown({
    cwd: process.cwd(),
    input: Object.fromEntries(
      Object.values(libraryEntries).map((file) => [file, join(sourceDir, `${file}.ts`)]),
    ),
    external: /^[^./]/,
    platform: 'neutral',
    // An entry exports what its source exports, also where another entry shares its modules.
    preserveEntrySignatures: 'strict',
    transform: { target: 'es2022' },
  });
  await bundle.write({
    dir: outDir,
    format: 'esm',
    sourcemap: true,
    // Maps carry their sources: a path to them would only reveal where the package was built.
    sourcemapPathTransform: (source, map) => relative(sourceDir, resolve(dirname(map), source)),
    entryFileNames: '[name].js',
    chunkFileNames: 'chunks/[name].js',
    // Drop comments: the declarations carry the docstrings, and the source maps the original source.
    comments: { legal: true, annotation: true, jsdoc: false },
    codeSplitting: { groups: groupsOf(sourceDir) },
  });
  await bundle.close();
}

function groupsOf(sourceDir: string): CodeSplittingGroup[] {
  const pathOf = (id: string) => relative(sourceDir, id);
  return [
    {
      name: 'platform',
      test: (id) => pathOf(id).startsWith('platform/') && !optional.has(pathOf(id)),
    },
    {
      debugName: 'clients',
      name: (id, graph) => {
        const client = clients.find((name) => pathOf(id).startsWith(`${name}/`));
        if (!client) return null;
        return importedAtOnce(join(sourceDir, client, 'index.ts'), graph).has(id) ? client : null;
      },
    },
  ];
}

/** The modules that an entry imports statically, and those that they import. */
function importedAtOnce(entry: string, graph: ChunkingContext): ReadonlySet<string> {
  const found = new Set([entry]);
  // Iterating a Set covers the elements that the loop adds.
  for (const id of found) graph.getModuleInfo(id)?.importedIds.forEach((imported) => found.add(imported));
  return found;
}
