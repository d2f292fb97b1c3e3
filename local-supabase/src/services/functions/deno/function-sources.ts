import { existsSync } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import { isAbsolute, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { FunctionSettings } from '../functions-service.ts';
import { type ImportMap, mergeImportMap, parseJsonc } from './import-map.ts';

/** The code of one function and its import map. */
export interface FunctionSource {
  readonly name: string;
  readonly entrypoint: URL;
  /** The function's `deno.json`, for compiler options. */
  readonly config?: string;
  readonly importMap: ImportMap;
  /** Whether the code reads `import.meta.main`, as functions do that their tests import. */
  readonly asksForMain: boolean;
  /** Whether its `package.json` is used: as in the vendor's runtime, only without `deno.json` and import map. */
  readonly usesPackageJson: boolean;
}

/** Folders with such names are functions. */
const FUNCTION_NAME = /^[A-Za-z][\w-]*$/;
const SOURCE_NAME = /\.(?:[cm]?[jt]sx?|jsonc?)$/;

/**
 * Finds the code of a function in the order of the vendor's CLI: `import_map` and `entrypoint` of `config.toml`, then
 * `deno.json`, `deno.jsonc` and `import_map.json` of its folder, then the common `import_map.json`.
 *
 * @param folder `supabase/functions/`.
 * @param importMap takes precedence; relative to the working directory.
 * @returns undefined if the function does not exist.
 * @throws {Error} for an import map that is missing or not JSON.
 */
export async function findFunction(
  folder: URL,
  name: string,
  settings: FunctionSettings = {},
  importMap?: string,
): Promise<FunctionSource | undefined> {
  if (!FUNCTION_NAME.test(name)) return undefined;
  const supabase = fileURLToPath(new URL('../', folder));
  const own = fileURLToPath(new URL(`${name}/`, folder));
  const declared = (path: string) => (isAbsolute(path) ? path : join(supabase, path));
  const entrypoint = settings.entrypoint ? declared(settings.entrypoint) : join(own, 'index.ts');
  if (!existsSync(entrypoint)) return undefined;
  const named = importMap ? resolve(importMap) : settings.importMap && declared(settings.importMap);
  const conventional = ['deno.json', 'deno.jsonc', 'import_map.json'].map((file) => join(own, file));
  const path =
    named ||
    [...conventional, fileURLToPath(new URL('import_map.json', folder))].find((file) => existsSync(file));
  const isConfig = path !== undefined && /\bdeno\.jsonc?$/.test(path);
  return {
    name,
    entrypoint: pathToFileURL(entrypoint),
    asksForMain: /\bimport\.meta\.main\b/.test(await readFile(entrypoint, 'utf8')),
    ...(isConfig && { config: path }),
    importMap: mergeImportMap(path === undefined ? [] : await readMaps(path), await readAddresses(folder)),
    usesPackageJson: path === undefined && existsSync(join(own, 'package.json')),
  };
}

/** A `deno.json` contains its imports or refers to a file with them. */
async function readMaps(path: string): Promise<{ readonly file: URL; readonly map: ImportMap }[]> {
  const file = pathToFileURL(path);
  let map: ImportMap & { readonly importMap?: string };
  try {
    map = parseJsonc(await readFile(path, 'utf8')) as typeof map;
  } catch (problem) {
    const reason = problem instanceof Error ? problem.message : String(problem);
    throw new Error(`The import map ${path} cannot be read: ${reason}`, { cause: problem });
  }
  if (typeof map.importMap !== 'string') return [{ file, map }];
  return [...(await readMaps(fileURLToPath(new URL(map.importMap, file)))), { file, map }];
}

/** The `https:` and `jsr:` URLs that appear literally in the functions' sources. */
async function readAddresses(folder: URL): Promise<readonly string[]> {
  const files = (await listSources(folder)).map(({ path }) => path);
  const texts = await Promise.all(files.map((path) => readFile(path, 'utf8').catch(() => '')));
  const found = [...texts.join('\n').matchAll(/(["'])((?:https:\/\/|jsr:)[^"'\s]+)\1/g)];
  return [...new Set(found.map(([, , address = '']) => address))];
}

/** @returns a text that changes when a source file changes. */
export async function fingerprint(folder: URL, envFile: string | undefined): Promise<string> {
  const files = await listSources(folder);
  const env = envFile === undefined ? [] : [{ path: resolve(envFile), ...(await stamp(resolve(envFile))) }];
  return [...files, ...env].map(({ path, changedMs, size }) => `${path}:${changedMs}:${size}`).join('\n');
}

interface SourceFile {
  readonly path: string;
  readonly changedMs: number;
  readonly size: number;
}

async function listSources(folder: URL): Promise<readonly SourceFile[]> {
  const list = async (directory: string): Promise<SourceFile[]> => {
    const entries = await readdir(directory, { withFileTypes: true }).catch(() => []);
    const found = entries.map(async (entry) => {
      const path = join(directory, entry.name);
      if (entry.isDirectory()) return entry.name === 'node_modules' ? [] : list(path);
      return SOURCE_NAME.test(entry.name) || entry.name.startsWith('.env')
        ? [{ path, ...(await stamp(path)) }]
        : [];
    });
    return (await Promise.all(found)).flat();
  };
  return list(fileURLToPath(folder));
}

const stamp = (path: string): Promise<Omit<SourceFile, 'path'>> =>
  stat(path).then(
    ({ mtimeMs, size }) => ({ changedMs: mtimeMs, size }),
    () => ({ changedMs: 0, size: 0 }),
  );
