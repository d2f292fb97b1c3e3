import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitepress';
import { llmsFiles } from './llms-files.ts';
import { repositoryLinks } from './repository-links.ts';
import { apiSidebar, sections, sidebarOf } from './sections.ts';

/**
 * The site: the pages of `docs`, and those that a part keeps beside its code. `npm run docs` builds it into `dist-docs`, for any static host;
 * `DOCS_BASE=/path/` for one that serves it below a path.
 */
export default defineConfig({
  title: 'Supabase without the SDK',
  description:
    'Typed clients of Supabase, a Supabase in one process, audits for any server or client, and a notification inbox.',
  lang: 'en-US',
  base: process.env['DOCS_BASE'] ?? '/',
  srcDir: '..',
  srcExclude: [
    '*.md',
    '!(docs|local-supabase|conformance)/**/*.md',
    '{local-supabase,conformance}/*.md',
    '{local-supabase,conformance}/{src,test,scripts,bin,examples,templates}/**/*.md',
    'docs/.vitepress/**',
  ],
  rewrites: {
    'docs/:path*': ':path*',
    'local-supabase/docs/:path*': 'local-supabase/:path*',
    'conformance/docs/:path*': 'conformance/:path*',
    'conformance/protocol/:path*': 'conformance/protocol/:path*',
  },
  outDir: '../dist-docs',
  cleanUrls: true,
  // A page is text: `<key>` and `{{ .SiteURL }}` are no elements and no expressions.
  markdown: { html: false, config: repositoryLinks },
  // The repository's root is Vite's, whose configuration there is that of the application.
  vite: { configFile: false, publicDir: fileURLToPath(new URL('../public', import.meta.url)) },
  head: [['link', { rel: 'icon', href: '/icon.svg', type: 'image/svg+xml' }]],
  buildEnd: llmsFiles,
  themeConfig: {
    search: { provider: 'local' },
    outline: [2, 3],
    nav: [...sections, { title: 'API', folder: 'api' }].map(({ title, folder }) => ({
      text: title,
      link: `/${folder}/`,
      activeMatch: `^/${folder}/`,
    })),
    sidebar: {
      ...Object.fromEntries(sections.map((section) => [`/${section.folder}/`, sidebarOf(section)])),
      '/api/': apiSidebar(),
    },
    footer: { message: 'MIT licensed.' },
  },
});
