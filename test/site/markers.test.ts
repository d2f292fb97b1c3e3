import { fileURLToPath } from 'node:url';
import { createMarkdownRenderer } from 'vitepress';
import { expect, it } from 'vitest';
import { repositoryLinks } from '../../docs/.vitepress/repository-links.ts';

const docs = fileURLToPath(new URL('../../docs', import.meta.url));

it('leaves the markers of written parts out of a page, and ends a table before one', async () => {
  const markdown = await createMarkdownRenderer(docs, { html: false, config: repositoryLinks });
  const page = '<!-- table -->\n| a |\n|---|\n| 1 |\n<!-- end of table -->\n\nnext';
  const html = await markdown.renderAsync(page, { path: `${docs}/page.md`, relativePath: 'page.md' });
  expect(html).not.toContain('table --');
  expect(html.match(/<tr>/g)).toHaveLength(2);
});
