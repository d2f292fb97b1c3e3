import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitepress';
import { llmsFiles } from './llms-files.ts';
import { repositoryLinks } from './repository-links.ts';
import { apiSidebar, sections, sidebarOf } from './sections.ts';

/**
 * The site: the pages of `docs`, and those in other folders next to their code. `npm run docs` builds it into
 * `dist-docs`, for any static host; `DOCS_BASE=/path/` for one that serves it below a path.
 */
const base = process.env['DOCS_BASE'] ?? '/';
const sizeFile = fileURLToPath(new URL('../public/playground-files/size.json', import.meta.url));
const playgroundBytes = existsSync(sizeFile)
  ? (JSON.parse(readFileSync(sizeFile, 'utf8')) as { readonly bytes: number }).bytes
  : 0;

/** Pages that compile WebAssembly and run their readers' code. */
const playgroundPages = new Set(['playground.html', 'demo.html']);

/** Adds a content security policy that allows only files of the site and, by their hashes, the page's inline scripts. */
function addPolicy(html: string): string {
  const scripts = Array.from(
    html.matchAll(/<script(?![^>]*\ssrc=)[^>]*>([^]*?)<\/script>/g),
    ([, code = '']) => code,
  );
  const hashes = scripts.map((code) => `'sha256-${createHash('sha256').update(code).digest('base64')}'`);
  const policy = [
    `default-src 'self'`,
    `script-src 'self' 'wasm-unsafe-eval' blob: ${hashes.join(' ')}`,
    `style-src 'self' 'unsafe-inline'`,
    `img-src 'self' data:`,
    `worker-src 'self' blob:`,
    `connect-src 'self' blob: data:`,
    `object-src 'none'`,
    `base-uri 'none'`,
    `form-action 'none'`,
  ].join('; ');
  return html.replace('<head>', `<head><meta http-equiv="Content-Security-Policy" content="${policy}">`);
}

export default defineConfig({
  title: 'Supabase without the SDK',
  description:
    'Typed clients of Supabase, a Supabase in one process, audits for any server or client, and a notification inbox.',
  lang: 'en-US',
  base,
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
  ignoreDeadLinks: 'localhostLinks',
  // Pages are plain text: `<key>` and `{{ .SiteURL }}` are neither elements nor expressions.
  markdown: { html: false, config: repositoryLinks },
  // Vite's root would be the repository's root, with the configuration of the application.
  vite: {
    configFile: false,
    publicDir: fileURLToPath(new URL('../public', import.meta.url)),
    define: { SITE_BASE: JSON.stringify(base), PLAYGROUND_BYTES: String(playgroundBytes) },
  },
  transformHtml: (html, id) => (playgroundPages.has(basename(id)) ? addPolicy(html) : html),
  head: [['link', { rel: 'icon', href: '/icon.svg', type: 'image/svg+xml' }]],
  buildEnd: llmsFiles,
  themeConfig: {
    search: {
      provider: 'local',
      options: {
        miniSearch: {
          searchOptions: {
            // Rank a page that explains a word above a list that mentions it, and a guide above the members of the API that have the
            // word as their name. VitePress passes this function to the page as text.
            boostDocument: (id: string) =>
              /^\/(?:api|decisions)\/|^\/\w[\w-]*\/decisions\/|^\/conformance\/(?:audits|mutants|protocol)/.test(
                id,
              )
                ? 0.2
                : 1,
          },
        },
      },
    },
    outline: [2, 3],
    nav: [...sections, { title: 'API', folder: 'api' }]
      .map(({ title, folder }) => ({ text: title, link: `/${folder}/`, activeMatch: `^/${folder}/` }))
      .concat({ text: 'Playground', link: '/playground', activeMatch: '^/(playground|demo)' }),
    sidebar: {
      ...Object.fromEntries(sections.map((section) => [`/${section.folder}/`, sidebarOf(section)])),
      '/api/': apiSidebar(),
    },
    footer: { message: 'MIT licensed.' },
  },
});
