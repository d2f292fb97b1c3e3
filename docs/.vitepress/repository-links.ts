import { existsSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { MarkdownRenderer } from 'vitepress';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** The site's path for a file of the repository; null if the file is not a page. */
export function pagePath(file: string): string | null {
  if (!file.endsWith('.md')) return null;
  const inDocs = /^docs\/(.+)$/.exec(file)?.[1];
  const inPart = /^(local-supabase|conformance)\/docs\/(.+)$/.exec(file);
  const page =
    inDocs ?? (inPart ? `${inPart[1]}/${inPart[2]}` : /^conformance\/protocol\/.+$/.exec(file)?.[0]);
  return page === undefined ? null : page.replace(/(^|\/)index\.md$/, '$1').replace(/\.md$/, '');
}

/**
 * Pages link to files of the repository, where the links work as well. On the site, a link to a page leads to the page;
 * a link to another file becomes the file's name.
 */
export function repositoryLinks(markdown: MarkdownRenderer): void {
  // Scripts mark generated parts with comments, which Markdown without HTML would show.
  markdown.core.ruler.before('normalize', 'markers', (state) => {
    state.src = state.src.replaceAll(/^<!--.*-->$/gm, '');
  });
  const renderCode = markdown.renderer.rules.code_inline;
  markdown.renderer.rules.code_inline = (...parameters) =>
    (renderCode?.(...parameters) ?? '').replace('<code', '<code v-pre');
  markdown.core.ruler.after('inline', 'repository-links', ({ tokens, env }) => {
    const from = dirname(
      relative(
        root,
        String((env as { readonly realPath?: string; readonly path: string }).realPath ?? env.path),
      ),
    );
    for (const { children } of tokens) {
      let dropped = 0;
      for (const token of children ?? []) {
        if (token.type === 'link_close' && dropped > 0) {
          token.type = 'text';
          token.content = '';
          token.nesting = 0;
          dropped -= 1;
        }
        if (token.type !== 'link_open') continue;
        const [path = '', anchor] = (token.attrGet('href') ?? '').split('#');
        if (path === '' || /^([a-z]+:|\/)/.test(path)) continue;
        const file = join(from, decodeURI(path));
        const page = pagePath(file);
        if (page !== null && existsSync(join(root, file))) {
          token.attrSet('href', `/${page}${anchor === undefined ? '' : `#${anchor}`}`);
          continue;
        }
        token.type = 'text';
        token.content = '';
        token.nesting = 0;
        dropped += 1;
      }
    }
  });
}
