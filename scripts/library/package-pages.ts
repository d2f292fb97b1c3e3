import { cp, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, extname, join } from 'node:path';

const pages = 'docs/clients';
const examples = '../../examples/';

/**
 * Copies the pages into the package, so that an editor or an agent has those of the installed version, with the code of the
 * examples that they show, and the linked examples below `examples`.
 */
export async function copyPages(folder: string): Promise<void> {
  await cp(pages, folder, { recursive: true });
  for (const name of await readdir(pages)) {
    if (!name.endsWith('.md')) continue;
    const text = await readFile(join(pages, name), 'utf8');
    for (const [, path = ''] of text.matchAll(linkToExample)) {
      const target = join(folder, 'examples', path);
      await mkdir(dirname(target), { recursive: true });
      await cp(join('examples', path), target, { recursive: true, filter: isSource });
    }
    const linked = text.replaceAll(linkToExample, '](examples/$1)');
    await writeFile(join(folder, name), await withCode(linked));
  }
}

/** Excludes files that running an example leaves in its folder. */
const isSource = (path: string) =>
  !/(?:^|[\\/])(?:node_modules|\.next|\.local-supabase|\.env\.local)$/.test(path);

const linkToExample = new RegExp(`\\]\\(${examples.replaceAll('.', '\\.')}([^)]+)\\)`, 'g');

/** Replaces each line `<<< file`, which the site shows as the file's code, by that code. */
async function withCode(text: string): Promise<string> {
  const lines = text.split('\n').map(async (line) => {
    const [, path] = /^<<< (\S+)$/.exec(line) ?? [];
    if (path === undefined) return line;
    const code = await readFile(join(pages, path), 'utf8');
    return `\`\`\`${extname(path).slice(1)}\n${code.trimEnd()}\n\`\`\``;
  });
  return (await Promise.all(lines)).join('\n');
}
