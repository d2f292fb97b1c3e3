import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { SiteConfig } from 'vitepress';
import { pagesOf, sections, summary } from './sections.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** `llms.txt`, the list of pages, and `llms-full.txt`, their texts, in the order of the navigation (llmstxt.org). */
export async function llmsFiles({ outDir, site }: Pick<SiteConfig, 'outDir' | 'site'>): Promise<void> {
  const listed = sections.map((section) => {
    const lines = pagesOf(section).map(
      ({ title, link, about }) => `- [${title}](${site.base}${link.slice(1)})${about ? `: ${about}` : ''}`,
    );
    return `## ${section.title}\n\n${lines.join('\n')}`;
  });
  const pages = sections.flatMap(pagesOf).map(({ file }) => textOf(file));
  await writeFile(join(outDir, 'llms.txt'), `# ${site.title}\n\n> ${summary}\n\n${listed.join('\n\n')}\n`);
  await writeFile(
    join(outDir, 'llms-full.txt'),
    `# ${site.title}\n\n> ${summary}\n\n${pages.join('\n\n---\n\n')}\n`,
  );
}

/** The page as Markdown, with included code (`<<< path`). */
function textOf(file: string): string {
  const text = readFileSync(join(root, file), 'utf8').replace(/^---\n[^]*?\n---\n/, '');
  return text
    .replaceAll(/^<<< (\S+)$/gm, (_line, path: string) => {
      const code = readFileSync(join(root, dirname(file), path), 'utf8');
      return `\`\`\`${path.split('.').at(-1) ?? ''}\n${code}\`\`\``;
    })
    .trim();
}
