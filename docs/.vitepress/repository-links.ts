import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { MarkdownRenderer } from 'vitepress';

const root = fileURLToPath(new URL('../..', import.meta.url));
const { homepage } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  readonly homepage: string;
};

/** The site's path for a file of the repository; null if the file is not a page. */
export function pagePath(file: string): string | null {
  if (!file.endsWith('.md')) return null;
  const inDocs = /^docs\/(.+)$/.exec(file)?.[1];
  const inPart = /^(local-supabase|conformance)\/docs\/(.+)$/.exec(file);
  const page =
    inDocs ?? (inPart ? `${inPart[1]}/${inPart[2]}` : /^conformance\/protocol\/.+$/.exec(file)?.[0]);
  return page === undefined ? null : page.replace(/(^|\/)index\.md$/, '$1').replace(/\.md$/, '');
}

/** The address of a file or folder of the repository: its page, or where the repository is hosted; null if it does not exist. */
function addressOf(file: string): string | null {
  const path = join(root, file);
  if (file.startsWith('..') || !existsSync(path)) return null;
  const page = pagePath(file);
  if (page !== null) return `/${page}`;
  return `${homepage}/${statSync(path).isDirectory() ? 'tree' : 'blob'}/main/${file.replace(/\/$/, '')}`;
}

/** Top folders and files that a page may name in code. */
const fileName =
  /^(?:(?:\.ci|\.github|container|conformance|docs|examples|inbox-sender|local-supabase|public|scripts|src|supabase|test)\/[\w./-]+|[A-Z]{4,}\.md|(?:vite|vitest|playwright)[\w.]*\.config\.ts)$/;

/**
 * Pages link to files of the repository, where the links work as well. On the site, a link to a page leads to the page, one to another
 * file to the repository, and so does the name of a file in code.
 */
export function repositoryLinks(markdown: MarkdownRenderer): void {
  // Scripts mark generated parts with comments, which Markdown without HTML would show.
  markdown.core.ruler.before('normalize', 'markers', (state) => {
    state.src = state.src.replaceAll(/^<!--.*-->$/gm, '');
  });
  const renderCode = markdown.renderer.rules.code_inline;
  markdown.renderer.rules.code_inline = (...parameters) =>
    (renderCode?.(...parameters) ?? '').replace('<code', '<code v-pre');
  markdown.core.ruler.after('inline', 'repository-links', ({ tokens, env, Token }) => {
    // The text of a title is read without its page.
    const { path = root, realPath = path } = env as { readonly realPath?: string; readonly path?: string };
    const from = dirname(relative(root, realPath));
    for (const token of tokens) {
      if (!token.children) continue;
      let isInLink = false;
      token.children = token.children.flatMap((child) => {
        if (child.type === 'link_open') {
          isInLink = true;
          const href = resolveLink(child.attrGet('href') ?? '', from);
          child.attrSet('href', href);
        }
        if (child.type === 'link_close') isInLink = false;
        const address =
          child.type === 'code_inline' && !isInLink && fileName.test(child.content)
            ? addressOf(child.content)
            : null;
        if (address === null) return child;
        const open = new Token('link_open', 'a', 1);
        open.attrSet('href', address);
        return [open, child, new Token('link_close', 'a', -1)];
      });
    }
  });
}

/** The address on the site of a link in a page of the folder `from`. */
function resolveLink(href: string, from: string): string {
  const [path = '', anchor] = href.split('#');
  if (path === '' || /^([a-z]+:|\/)/.test(path)) return href;
  const address = addressOf(join(from, decodeURI(path)));
  return address === null ? href : `${address}${anchor === undefined ? '' : `#${anchor}`}`;
}
