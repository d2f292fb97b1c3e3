import react from '@vitejs/plugin-react';
import { defineConfig, loadEnv, type Connect, type Plugin } from 'vite';
import { VitePWA } from 'vite-plugin-pwa';
import { readCommonPasswords } from './scripts/common-passwords.ts';
import { interfaceFont } from './scripts/interface-font.ts';
import { readSignInWays } from './scripts/sign-in-ways.ts';
import { createPageHeaders, encodeHeadersFile, isSameOriginPost } from './scripts/page-headers.ts';

/**
 * Each `import()` begins a chunk. A group takes a module with everything that it imports, unless an earlier group has it: without
 * groups, each combination of screens that shares modules would become one more file.
 */
const chunkGroups = [
  // Runs first and requests the rest. The one style sheet of `ui` comes with it, before anything is painted.
  {
    name: 'entry',
    test: /src\/inbox\/(entry\.ts|app\/boot\.css|ui\/([^/]+|(overlay|page)\/[^/]+)\.css)/,
  },
  // React, the clients that are loaded at once, and what several screens share.
  { name: 'main', test: /src\/inbox\/(main\.tsx|(ui|shared)\/([^/.]+|(page|state|clients)\/[^/.]+)\.tsx?$)/ },
  { name: 'rest', test: 'src/inbox/app/data/rest.ts' },
  // Only the export of an account reads in pages; the next group would take it with the rest of the client.
  { name: 'pages', test: 'src/rest-client/long-reads/pages.ts' },
  // With dialogs and the region of toasts, which /login does without.
  { name: 'signed-in', test: 'src/inbox/app/shell/signed-in-app.tsx' },
  { name: 'inbox', test: 'src/inbox/features/notifications/screen/inbox-screen.tsx' },
  { name: 'live', test: 'src/inbox/app/live/live.ts' },
  // With the words for what the auth service refuses. The first list needs none of it.
  { name: 'form', test: /src\/inbox\/(ui\/form|shared\/auth-problem)\/[^.]+\.tsx?$/ },
  // With what the other screens for accounts share.
  { name: 'sign-in', test: 'src/inbox/features/auth/sign-in/login-screen.tsx' },
];

export default defineConfig(({ mode }) => {
  const env = loadEnv(mode, process.cwd());
  const headers = createPageHeaders({
    supabaseUrl: env['VITE_SUPABASE_URL'],
    errorReportsUrl: env['VITE_ERROR_REPORTS_URL'],
    captchaProvider: env['VITE_CAPTCHA_SITE_KEY'] && (env['VITE_CAPTCHA_PROVIDER'] ?? 'hcaptcha'),
  });
  return {
    define: {
      SIGN_IN_WAYS: JSON.stringify(readSignInWays(env['VITE_SIGN_IN_WAYS'])),
      COMMON_PASSWORDS: JSON.stringify(readCommonPasswords()),
    },
    plugins: [
      react(),
      interfaceFont(),
      pageHeaders(headers),
      preloadMain(env['VITE_SUPABASE_URL']),
      clearSiteData(),
      installable(),
    ],
    server: {
      port: 5173,
      strictPort: true,
      // Vite's own list, and the data of the embedded Supabase: keys, mails, password hashes.
      fs: { deny: ['.env', '.env.*', '*.{crt,pem,key}', '**/.git/**', '**/.local-supabase*/**'] },
      watch: { ignored: ['**/.local-supabase*/**'] },
    },
    preview: { port: 5173, strictPort: true, headers },
    css: {
      modules: { generateScopedName: mode === 'production' ? '[hash:base64:5]' : '[name]_[local]_[hash:4]' },
    },
    resolve: {
      // The router's dependency for React 16 and 17: since 18 React has the hook itself.
      alias: { 'use-sync-external-store/shim/index.js': 'react' },
    },
    build: {
      // What the interface needs anyway: light-dark(), popover, nested rules.
      target: ['chrome123', 'edge123', 'firefox129', 'safari17.5'],
      // Not for visitors: a host publishes all that lies in `dist`.
      sourcemap: process.env['SOURCE_MAPS'] === 'hidden' ? 'hidden' : false,
      modulePreload: {
        polyfill: false,
      },
      // A data URL would need `data:` in more of the policy.
      assetsInlineLimit: 0,
      rolldownOptions: {
        input: { main: 'index.html', 'clear-cookies': 'clear-cookies.html', unsubscribe: 'unsubscribe.html' },
        output: { codeSplitting: { groups: chunkGroups } },
      },
    },
  };
});

/** Emits the headers as a `_headers` file, which some hosts read. */
function pageHeaders(headers: Readonly<Record<string, string>>): Plugin {
  return {
    name: 'page-headers',
    apply: 'build',
    generateBundle() {
      this.emitFile({ type: 'asset', fileName: '_headers', source: encodeHeadersFile(headers) });
    },
  };
}

/** Preloads main.tsx, which the entry imports at once, and opens the connection to the project's server. */
function preloadMain(supabaseUrl = ''): Plugin {
  let base = '/';
  return {
    name: 'preload-main',
    apply: 'build',
    configResolved(config) {
      ({ base } = config);
    },
    transformIndexHtml: {
      order: 'post',
      handler(_html, { bundle = {}, path }) {
        if (path !== '/index.html') return [];
        const main = Object.values(bundle).find(
          (part) => part.type === 'chunk' && part.moduleIds.some((id) => id.endsWith('/src/inbox/main.tsx')),
        );
        const files = main?.type === 'chunk' ? [...main.imports, main.fileName] : [];
        const origin = URL.canParse(supabaseUrl) ? [new URL(supabaseUrl).origin] : [];
        return [
          ...files.map((file) => ({ rel: 'modulepreload', href: base + file })),
          ...origin.map((href) => ({ rel: 'preconnect', href })),
        ].map((attrs) => ({ tag: 'link', attrs: { ...attrs, crossorigin: true }, injectTo: 'head' }));
      },
    },
  };
}

/** Handles the form of /clear-cookies when no script runs: the browser itself deletes the site's data. */
function clearSiteData(): Plugin {
  const handle: Connect.NextHandleFunction = (request, response, next) => {
    if (request.method !== 'POST' || request.url !== '/clear-cookies') return next();
    if (!isSameOriginPost(request.headers)) {
      response.writeHead(403).end();
      return;
    }
    response.writeHead(303, {
      'Clear-Site-Data': '"cookies", "storage", "cache"',
      Location: '/clear-cookies?done',
    });
    response.end();
  };
  return {
    name: 'clear-site-data',
    configureServer: ({ middlewares }) => void middlewares.use(handle),
    configurePreviewServer: ({ middlewares }) => void middlewares.use(handle),
  };
}

/** The manifest, and a service worker that serves the shell without a network. src/inbox/app/service-worker.ts registers it. */
function installable(): ReturnType<typeof VitePWA> {
  return VitePWA({
    injectRegister: false,
    filename: 'sw.ts',
    manifestFilename: 'manifest.webmanifest',
    manifest: {
      name: 'Tidings',
      short_name: 'Tidings',
      description: 'Mentions, comments, edits and invites in one quiet inbox.',
      id: '/home',
      start_url: '/home',
      scope: '/',
      display: 'standalone',
      background_color: '#ffffff',
      theme_color: '#2456d6',
      icons: [
        { src: '/icon-192.png', sizes: '192x192', type: 'image/png' },
        { src: '/icon-512.png', sizes: '512x512', type: 'image/png' },
        { src: '/icon-maskable-512.png', sizes: '512x512', type: 'image/png', purpose: 'maskable' },
      ],
    },
    strategies: 'injectManifest',
    srcDir: 'src/inbox/service-worker',
    // Push messages need a worker in development too.
    devOptions: { enabled: true, type: 'module' },
    injectManifest: {
      globPatterns: ['index.html', 'theme.js', '*.svg', 'assets/*.{js,css}', 'assets/latin-????????.woff2'],
      // Of use only with a network.
      globIgnores: ['assets/password-*', 'assets/{clear-cookies,unsubscribe,static-page}-*'],
      // It is registered as a classic script, which may import nothing: that would need a policy of Trusted Types.
      rollupFormat: 'iife',
      sourcemap: false,
    },
  });
}
