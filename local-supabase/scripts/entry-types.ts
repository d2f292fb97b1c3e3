import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';

const reference = /((?:from|import\()\s*['"])([^'"]+)(['"])/g;
/** Packages whose types the folder `vendor` has, by the name of their file. */
const vendored: Readonly<Record<string, string>> = { jose: 'jose.js', '@electric-sql/pglite': 'pglite.js' };

/**
 * PGlite's own types need the global ones of Emscripten, which its package does not depend on. No caller of an entry sees a member:
 * sessions go from one option to another.
 */
const pgliteTypes = `/** A PostgreSQL in this thread. */
export interface PGlite {
  readonly ready: boolean;
}
export type PGliteInterface = Readonly<Record<string, unknown>>;
`;

/** Removes types that no entry refers to, and replaces those of other packages by the ones in `vendor`. */
export async function removeInternalTypes(folder: string, entries: readonly string[]): Promise<void> {
  const reached = new Set<string>();
  const visit = async (file: string): Promise<void> => {
    if (reached.has(file)) return;
    reached.add(file);
    const text = await readFile(file, 'utf8');
    const vendor = relative(dirname(file), join(folder, '../vendor')).replaceAll(sep, '/');
    const named = text.replaceAll(reference, (whole, before: string, name: string, after: string) =>
      vendored[name] ? `${before}${vendor}/${vendored[name]}${after}` : whole,
    );
    if (named !== text) await writeFile(file, named);
    for (const [, , name = ''] of text.matchAll(reference))
      if (name.startsWith('.')) await visit(join(dirname(file), name.replace(/\.js$/, '.d.ts')));
  };
  await writeFile(join(folder, '../vendor/pglite.d.ts'), pgliteTypes);
  for (const entry of entries) await visit(join(folder, `${entry}.d.ts`));
  for (const name of await readdir(folder, { recursive: true })) {
    const file = join(folder, name);
    if (/\.d\.ts(?:\.map)?$/.test(name) && !reached.has(file.replace(/\.map$/, ''))) await rm(file);
  }
}
