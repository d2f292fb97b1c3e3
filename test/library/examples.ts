import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface Example {
  /** The file and the line, from the repository's root. */
  readonly where: string;
  readonly extension: 'ts' | 'tsx';
  readonly code: string;
}

/** All examples of TypeScript in the docstrings of a folder's sources, and in the pages of Markdown below it. */
export function readExamples(root: string, folders: readonly string[]): readonly Example[] {
  return folders.flatMap((folder) =>
    filesBelow(root, folder).flatMap((file) => parseExamples(file, readFileSync(join(root, file), 'utf8'))),
  );
}

/** Fenced blocks that say `ts` or `tsx`; in TypeScript only those within docstrings. */
export function parseExamples(file: string, text: string): readonly Example[] {
  const isCode = /\.tsx?$/.test(file);
  const examples: Example[] = [];
  let open: { line: number; extension: 'ts' | 'tsx'; lines: string[] } | null = null;
  text.split('\n').forEach((raw, index) => {
    const line = isCode ? /^ *\*(?: (.*)|)$/.exec(raw)?.slice(1).join('') : raw;
    if (line === undefined) return;
    const fence = /^```(\w*)$/.exec(line);
    if (open && fence) {
      examples.push({
        where: `${file}:${open.line}`,
        extension: open.extension,
        code: open.lines.join('\n'),
      });
      open = null;
    } else if (open) open.lines.push(line);
    else if (fence?.[1] === 'ts' || fence?.[1] === 'tsx')
      open = { line: index + 2, extension: fence[1], lines: [] };
  });
  return examples;
}

function filesBelow(root: string, path: string): readonly string[] {
  if (/\.(tsx?|md)$/.test(path)) return [path];
  return (
    readdirSync(join(root, path), { withFileTypes: true })
      .filter((entry) => entry.isDirectory() || /\.(tsx?|md)$/.test(entry.name))
      // The site's configuration, and pages that are generated from docstrings.
      .filter(({ name }) => name !== '.vitepress' && name !== 'api')
      .flatMap((entry) => filesBelow(root, `${path}/${entry.name}`))
  );
}
