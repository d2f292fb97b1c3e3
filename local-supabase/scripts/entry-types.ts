import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';

const reference = /((?:from|import\()\s*['"])([^'"]+)(['"])/g;
const JOSE = 'jose';

/** Removes types that no entry refers to, and replaces those of jose by their copy in `vendor`. */
export async function removeInternalTypes(folder: string, entries: readonly string[]): Promise<void> {
  const reached = new Set<string>();
  const visit = async (file: string): Promise<void> => {
    if (reached.has(file)) return;
    reached.add(file);
    const text = await readFile(file, 'utf8');
    const vendor = relative(dirname(file), join(folder, '../vendor')).replaceAll(sep, '/');
    const named = text.replaceAll(reference, (whole, before: string, name: string, after: string) =>
      name === JOSE ? `${before}${vendor}/jose.js${after}` : whole,
    );
    if (named !== text) await writeFile(file, named);
    for (const [, , name = ''] of text.matchAll(reference))
      if (name.startsWith('.')) await visit(join(dirname(file), name.replace(/\.js$/, '.d.ts')));
  };
  for (const entry of entries) await visit(join(folder, `${entry}.d.ts`));
  for (const name of await readdir(folder, { recursive: true })) {
    const file = join(folder, name);
    if (name.endsWith('.d.ts') && !reached.has(file)) await rm(file);
  }
}
