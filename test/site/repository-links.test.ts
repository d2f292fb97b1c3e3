import { fileURLToPath } from 'node:url';
import { createMarkdownRenderer } from 'vitepress';
import { expect, it } from 'vitest';
import { repositoryLinks } from '../../docs/.vitepress/repository-links.ts';

const docs = fileURLToPath(new URL('../../docs', import.meta.url));

async function render(text: string): Promise<string> {
  const markdown = await createMarkdownRenderer(docs, { html: false, config: repositoryLinks });
  return markdown.renderAsync(text, { path: `${docs}/inbox/page.md`, relativePath: 'inbox/page.md' });
}

it.each([
  ['[how](how-to.md#release)', 'href="/inbox/how-to(.html)?#release"'],
  ['[the suite](../../conformance/docs/audits.md)', 'href="/conformance/audits(.html)?"'],
  ['[the policy](../../supabase/README.md)', 'href="https://github.com/[^"]+/blob/main/supabase/README.md"'],
  ['[decisions](../decisions)', 'href="https://github.com/[^"]+/tree/main/docs/decisions"'],
  [
    '`src/inbox/shared/outbox`',
    '<a href="https://github.com/[^"]+/tree/main/src/inbox/shared/outbox"[^>]*><code',
  ],
  ['`vite.config.ts`', '<a href="https://github.com/[^"]+/blob/main/vite.config.ts"[^>]*><code'],
  ['`docs/inbox/scale.md`', '<a href="/inbox/scale(.html)?"[^>]*><code'],
])('%s leads to the page or to the repository', async (text, expected) => {
  expect(await render(text)).toMatch(new RegExp(expected));
});

it.each(['`supabase/functions/of-yours.ts`', '`src/App.tsx`', '`npm run docs`', '`*.nightly.test.ts`'])(
  '%s stays code, because the repository has no such file',
  async (text) => {
    expect(await render(text)).not.toContain('<a ');
  },
);

it('a file that is named within a link stays one link', async () => {
  expect((await render('[`vite.config.ts`](how-to.md)')).match(/<a /g)).toHaveLength(1);
});

it('reads the text of a title without a page', async () => {
  const markdown = await createMarkdownRenderer(docs, { html: false, config: repositoryLinks });
  expect(markdown.renderInline('About `vite.config.ts`')).toContain('<a ');
});
