import react from '@vitejs/plugin-react';
import { defineConfig, loadEnv, type Connect, type Plugin } from 'vite';
import { createPageHeaders, encodeHeadersFile } from './scripts/page-headers.ts';

/** Modules that are always wanted together: fewer requests, and they compress better whole. */
const chunkGroups = [
  {
    // Runs first and depends on nothing else.
    name: 'entry',
    test: /preload-helper|src\/(entry|shared\/routes|app\/chunks\/(screen-chunks?|signed-in-chunks))\./,
  },
  {
    // A signed-in page calls these late or never.
    name: 'sign-in',
    test: /src\/auth-client\/(calls\/(?!sign-out)|callback\/)/,
  },
  {
    name: 'base',
    test: /node_modules\/(react|react-dom|scheduler|wouter|regexparam|use-sync-external-store|ky)\/|src\/platform\/|src\/auth-client\/(?!features\/(mfa|identities|claims))|src\/shared\/(clients\/clients-context|second-factor)|src\/app\/(shell\/error-boundary|chunks\/lazy-screen|texts\/app-texts\.(en|ts))|src\/ui\/(texts|button|spinner|visually|state\/(loader|lazy-part|store|class-names|online)|page\/(page-|announcer|narrow-page|message)|form\/choice)/,
  },
  {
    name: 'inside',
    test: /src\/(app\/(shell\/(signed-in-app|signed-in-layout|inbox-frame|account-menu|display-choices|not-found)|data\/(user-data|live-channel))|ui\/(icons|avatar|badge|overlay\/(popover|toast)|page\/tab-links))|src\/features\/notifications\/(model\/(?!held-arrivals|day-groups)|data\/|bell\/(?!bell-panel)|arrivals\/(?!desktop-notifications|arrival-sound)|actions\/(?!shortcuts|use-inbox-actions)|list\/(kind-icon|notification-row\.module)|screen\/(inbox-navigation|inbox\.module)|texts\/(?!notification-texts\.de))/,
  },
  {
    name: 'data',
    test: /src\/(rest-client\/|app\/data\/data-clients)/,
  },
  {
    name: 'forms',
    test: /src\/ui\/form\/(field|text-field|password-field|submit-button|use-form|use-countdown|credential-\w+\.(en|ts))|src\/ui\/provider-name|src\/shared\/auth-problem\/(auth-problem|urgent-texts\.en)/,
  },
  {
    name: 'auth',
    test: /src\/features\/auth\/(auth-page|texts\/auth-texts\.(en|ts)|use-|sign-in\/social-slot|email-links\/(carried|link-problem\.tsx))/,
  },
];

export default defineConfig(({ mode }) => {
  const env = loadEnv(mode, process.cwd());
  const headers = createPageHeaders({
    supabaseUrl: env['VITE_SUPABASE_URL'],
    captchaProvider: env['VITE_CAPTCHA_SITE_KEY'] && (env['VITE_CAPTCHA_PROVIDER'] ?? 'hcaptcha'),
  });
  return {
    plugins: [
      react(),
      pageHeaders(headers),
      preloadMain(env['VITE_SUPABASE_URL']),
      layerOrder(),
      clearSiteData(),
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
    build: {
      // What the interface needs anyway: light-dark(), popover, nested rules.
      target: ['chrome123', 'edge123', 'firefox129', 'safari17.5'],
      sourcemap: 'hidden',
      modulePreload: { polyfill: false },
      // A data URL would need `data:` in more of the policy.
      assetsInlineLimit: 0,
      rolldownOptions: {
        input: { main: 'index.html', 'clear-cookies': 'clear-cookies.html' },
        output: { codeSplitting: { includeDependenciesRecursively: false, groups: chunkGroups } },
      },
    },
  };
});

/** Leaves the headers beside the pages, for hosts that read a `_headers` file. */
function pageHeaders(headers: Readonly<Record<string, string>>): Plugin {
  return {
    name: 'page-headers',
    apply: 'build',
    generateBundle() {
      this.emitFile({ type: 'asset', fileName: '_headers', source: encodeHeadersFile(headers) });
    },
  };
}

/** The entry asks for main.tsx at once: the page says so before the entry is there, and greets the project's server. */
function preloadMain(supabaseUrl = ''): Plugin {
  return {
    name: 'preload-main',
    apply: 'build',
    transformIndexHtml: {
      order: 'post',
      handler(_html, { bundle = {}, path }) {
        if (path !== '/index.html') return [];
        const main = Object.values(bundle).find(
          (part) => part.type === 'chunk' && part.moduleIds.some((id) => id.endsWith('/src/main.tsx')),
        );
        const files = main?.type === 'chunk' ? [...main.imports, main.fileName] : [];
        const origin = URL.canParse(supabaseUrl) ? [new URL(supabaseUrl).origin] : [];
        return [
          ...files.map((file) => ({ rel: 'modulepreload', href: `/${file}` })),
          ...origin.map((href) => ({ rel: 'preconnect', href })),
        ].map((attrs) => ({ tag: 'link', attrs: { ...attrs, crossorigin: true }, injectTo: 'head' }));
      },
    },
  };
}

/** Styles are loaded per screen in any order: each file states the order of the layers, so that the first one sets it. */
function layerOrder(): Plugin {
  return {
    name: 'layer-order',
    apply: 'build',
    enforce: 'post',
    generateBundle(_options, bundle) {
      for (const asset of Object.values(bundle)) {
        if (asset.type === 'asset' && asset.fileName.endsWith('.css')) {
          asset.source = `@layer tokens,base,components,screens;${String(asset.source)}`;
        }
      }
    },
  };
}

/** Answers the form of /clear-cookies where no script runs at all: the browser itself forgets everything. */
function clearSiteData(): Plugin {
  const answer: Connect.NextHandleFunction = (request, response, next) => {
    if (request.method !== 'POST' || request.url !== '/clear-cookies') return next();
    response.writeHead(303, {
      'Clear-Site-Data': '"cookies", "storage", "cache"',
      Location: '/clear-cookies?done',
    });
    response.end();
  };
  return {
    name: 'clear-site-data',
    configureServer: ({ middlewares }) => void middlewares.use(answer),
    configurePreviewServer: ({ middlewares }) => void middlewares.use(answer),
  };
}
