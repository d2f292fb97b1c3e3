/** Bundles the dependencies of the package, and copies PGlite without the files that are never loaded. */
import { cp, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { basename, dirname, join, relative, sep } from 'node:path';
import { build } from 'esbuild';

/** Packages that need Node; all others also run in a browser's worker. */
const onlyInNode: ReadonlySet<string> = new Set(['nodemailer', 'pg', 'smtp-server', 'ws']);
/** Packages that are not bundled: PGlite with its files, and those that the user installs. */
const stays = /^(?:node:|@electric-sql\/pglite|@supabase\/pg-delta|local-supabase|vite|vitest|deno)/;
const importStatement = /import\s+(?:([\w$]+)\s*,?\s*)?(?:\{([^}]*)\}\s*)?from\s*"([^".][^"]*)"/g;
const reexportStatement = /export\s*\{([^}]*)\}\s*from\s*"([^".][^"]*)"/g;
const importCall = /import\("([^".][^"]*)"\)/g;

/** The names that modules import, by package. */
type Imports = Map<string, Set<string>>;

const namesIn = (list = '') =>
  list
    .split(',')
    .map((name) => name.trim().split(/\s+as\s+/)[0] ?? '')
    .filter(Boolean);

async function findImports(sources: readonly string[]): Promise<Imports> {
  const imports: Imports = new Map();
  const add = (specifier: string, names: readonly string[]) => {
    if (stays.test(specifier)) return;
    const known = imports.get(specifier) ?? new Set();
    for (const name of names) known.add(name);
    imports.set(specifier, known);
  };
  for (const source of sources) {
    for (const [, first, list, specifier = ''] of source.matchAll(importStatement))
      add(specifier, [...(first ? ['default'] : []), ...namesIn(list)]);
    for (const [, list, specifier = ''] of source.matchAll(reexportStatement)) add(specifier, namesIn(list));
    for (const [, specifier = ''] of source.matchAll(importCall)) {
      if (stays.test(specifier)) continue;
      const module = (await import(specifier)) as object;
      add(
        specifier,
        Object.keys(module).filter((name) => name !== 'module.exports'),
      );
    }
  }
  return imports;
}

const fileOf = (specifier: string): string =>
  `${specifier.replace(/^@/, '').replace(/\.js$/, '').replaceAll('/', '-')}.js`;

/**
 * Bundles the imports of compiled modules from other packages into `vendor`, and rewrites the imports.
 *
 * @returns the folders of the bundled packages.
 */
export async function bundlePackages(outDir: string, resolveDir: string): Promise<readonly string[]> {
  const names = (await readdir(join(outDir, 'src'), { recursive: true })).filter((name) =>
    name.endsWith('.js'),
  );
  const modules = await Promise.all(
    names.map(async (name) => ({
      file: join(outDir, 'src', name),
      source: await readFile(join(outDir, 'src', name), 'utf8'),
    })),
  );
  const imports = await findImports(modules.map(({ source }) => source));
  const inputs = [
    ...(await bundle(imports, { isForNode: false, outDir, resolveDir })),
    ...(await bundle(imports, { isForNode: true, outDir, resolveDir })),
  ];
  for (const { file, source } of modules) {
    const vendor = relative(dirname(file), join(outDir, 'vendor')).replaceAll(sep, '/');
    const replaced = source.replaceAll(
      /(from\s*|import\()"([^".][^"]*)"/g,
      (whole, before: string, name: string) =>
        imports.has(name) ? `${before}"${vendor}/${fileOf(name)}"` : whole,
    );
    if (replaced !== source) await writeFile(file, replaced);
  }
  const folders = inputs.flatMap((input) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(input)?.[0] ?? []);
  return [...new Set(folders)].toSorted();
}

async function bundle(
  imports: Imports,
  { isForNode, outDir, resolveDir }: { isForNode: boolean; outDir: string; resolveDir: string },
): Promise<readonly string[]> {
  const entries = [...imports].filter(([specifier]) => onlyInNode.has(specifier) === isForNode);
  const { metafile } = await build({
    entryPoints: entries.map(([specifier]) => ({
      in: `entry:${specifier}`,
      out: fileOf(specifier).slice(0, -3),
    })),
    outdir: join(outDir, 'vendor'),
    chunkNames: `${isForNode ? 'node' : 'shared'}-[hash]`,
    bundle: true,
    splitting: true,
    minify: true,
    metafile: true,
    legalComments: 'none',
    format: 'esm',
    target: 'node20',
    platform: isForNode ? 'node' : 'browser',
    external: ['pg-native', 'cloudflare:sockets'],
    // CommonJS packages load Node's modules with `require`.
    ...(isForNode && {
      banner: {
        js: `import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);`,
      },
    }),
    plugins: [
      {
        name: 'entries',
        setup(plugins) {
          plugins.onResolve({ filter: /^entry:/ }, ({ path }) => ({
            path: path.slice(6),
            namespace: 'entry',
          }));
          plugins.onLoad({ filter: /.*/, namespace: 'entry' }, ({ path }) => ({
            contents: `export { ${[...(imports.get(path) ?? [])].join(', ')} } from ${JSON.stringify(path)};`,
            resolveDir,
          }));
        },
      },
    ],
  });
  return Object.keys(metafile.inputs);
}

/** Writes the licenses of bundled packages into one file. */
export async function writeLicenses(file: string, packages: readonly string[]): Promise<void> {
  const texts: string[] = [];
  for (const folder of packages) {
    const { name, version, license } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as {
      name: string;
      version: string;
      license?: string;
    };
    const text = (await readLicense(folder)) ?? `License: ${license}\n`;
    texts.push(`${name} ${version}\n\n${text.trim()}\n`);
  }
  await writeFile(file, `This package contains code of:\n\n${texts.join(`\n${'-'.repeat(80)}\n\n`)}`);
}

/** The file of the license, or the section that some READMEs have in its place; null without both. */
async function readLicense(folder: string): Promise<string | null> {
  const names = await readdir(folder);
  const own = names.find((name) => /^(?:licen[cs]e|copying)/i.test(name));
  if (own) return readFile(join(folder, own), 'utf8');
  const readme = names.find((name) => /^readme/i.test(name));
  const text = readme ? await readFile(join(folder, readme), 'utf8') : '';
  return /^#+ licen[cs]e\n([^]*?)(?=^#|$(?![^]))/im.exec(text)?.[1]?.trim() || null;
}

interface ExportedFiles {
  readonly import?: { readonly types: string; readonly default: string };
}

/** Copies PGlite without source maps, its CommonJS build, and two modules that others include. */
export async function copyPglite(from: string, to: string): Promise<void> {
  const isUnused = /\.(?:map|cjs|d\.cts)$/;
  const contained: ReadonlySet<string> = new Set(['pglite.js', 'initdb.js']);
  await mkdir(dirname(to), { recursive: true });
  await cp(from, to, {
    recursive: true,
    filter: (source) => !isUnused.test(source) && !contained.has(basename(source)),
  });
  const file = join(to, 'package.json');
  const manifest = JSON.parse(await readFile(file, 'utf8')) as { exports: Record<string, ExportedFiles> };
  const exported = Object.entries(manifest.exports).map(([name, files]) => [name, files.import ?? files]);
  await writeFile(
    file,
    JSON.stringify({ ...manifest, main: 'dist/index.js', exports: Object.fromEntries(exported) }),
  );
}
