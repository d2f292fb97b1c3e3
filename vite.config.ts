import react from '@vitejs/plugin-react';
import { defineConfig, loadEnv, type Connect, type Plugin } from 'vite';
import { VitePWA } from 'vite-plugin-pwa';
import { readSignInWays } from './scripts/sign-in-ways.ts';
import { createPageHeaders, encodeHeadersFile, isSameOriginPost } from './scripts/page-headers.ts';

/** Modules that always load together: fewer requests and better compression. */
const chunkGroups = [
  {
    // Runs first and depends on nothing else. The schemas are here, because modules of several chunks call them at once.
    name: 'entry',
    test: /preload-helper|src\/inbox\/app\/boot\.css|src\/inbox\/ui\/(button|spinner|visually-hidden|page\/.*)\.module\.css|src\/(inbox\/entry|auth-client\/wire\/schema|inbox\/shared\/(routes|mail-link)|inbox\/app\/chunks\/(screen-chunks?|signed-in-chunks))\./,
  },
  {
    // Signed-in pages need these late or never.
    name: 'sign-in',
    test: /src\/auth-client\/(calls\/(?!sign-out)|callback\/(?!callback-parameters\.))/,
  },
  {
    name: 'base',
    test: /node_modules\/(react|react-dom|scheduler|wouter|regexparam|use-sync-external-store|ky)\/|src\/platform\/(?!worker-clock)|src\/auth-client\/(?!features\/(mfa|identities|claims|passkeys)|webauthn\/)|src\/(inbox\/main|clients\/)|src\/react\/|src\/inbox\/shared\/(outbox\/sign-out-question|open-store|clients\/|token-claims|unsaved-draft)|src\/inbox\/app\/(app\.tsx|app-texts\.ts|route-decision|restored-page|worker-url|connection\/watch-connection|data\/(clients|delete-persisted-data)|shell\/error-boundary|chunks\/(lazy-screen|screen-chunks))|src\/inbox\/ui\/(texts|locale|create-icon|button|spinner|visually|overlay\/history-navigation|state\/(loader|lazy-part|store|class-names|online|use-delay)|page\/(page-|announcer|narrow-page|message))/,
  },
  {
    name: 'inside',
    // The shell and the inbox, in one request; what opens later is excluded.
    test: /node_modules\/idb-keyval\/|src\/(?:inbox\/)?(features\/(outbox\/outbox|notifications\/search\/search-field)\.module\.css|features\/outbox\/(show-notice|outbox-texts\.ts)|app\/(shell\/(shell\.module|signed-in-app|signed-in-layout|inbox-frame|account-menu\.)|data\/((get-)?user-data|open-outbox))|ui\/(icons|avatar|badge|section\.module|overlay\/(popover|toast|dialog\.module)|page\/tab-links))|src\/inbox\/shared\/(cache-policy|outbox\/(?!sign-out-question))|src\/inbox\/features\/notifications\/(model\/|data\/(?!notification-changes|snooze-alarm|persisted-notifications)|bell\/(?!bell-panel)|arrivals\/device-switch|actions\/(?!inbox-commands|action-name|page-shortcuts|shortcuts|undo-toast|use-shortcuts)|list\/(?!group-row|row-[am]|selection-bar|virtual-list)|screen\/(?!filter-sheet|inbox-(empty|options|overlays|tools)|replay-|sample-slot|use-inbox-shortcuts)|texts\/(?!inbox-dialog|inbox-texts\.de))/,
  },
  {
    name: 'data',
    test: /src\/(?:inbox\/)?(rest-client\/|app\/data\/rest\.)/,
  },
  {
    name: 'live',
    test: /src\/(?:inbox\/)?(realtime-client\/(?!presence\/presence)|platform\/worker-clock|app\/data\/(realtime|timer-worker|live-channel|change-burst|database-notice|live-rows)\.|features\/notifications\/data\/notification-changes)/,
  },
  {
    // Who is online, which a page asks for after its first list.
    name: 'later-parts',
    test: /src\/(?:inbox\/)?(realtime-client\/presence\/presence|app\/data\/(later-parts|user-online)|features\/online\/)/,
  },
  {
    // What every signed-in page loads beside its first read.
    name: 'later',
    test: /src\/(?:inbox\/)?(shared\/cached\.|app\/(shell\/scroll-bars|data\/(data-cache|persisted-cache))|features\/notifications\/(data\/persisted-notifications|screen\/(inbox-tools|replay-|sample-slot|use-inbox-shortcuts)|search\/search-field|actions\/(inbox-commands|page-shortcuts|shortcuts|undo-toast|use-shortcuts))|features\/preferences\/(preferences(-texts)?\.ts|quiet\/quiet-hours\.ts|data\/(preferences-|load-preferences|stored-preferences))|ui\/(menu-icons|section\.tsx|overlay\/dialog\.tsx))/,
  },
  {
    // Loaded after the first list: all of it has to be there when the network is lost.
    name: 'outbox',
    test: /src\/(?:inbox\/)?(features\/notifications\/arrivals\/(arrivals|announcer|visible-tab|arrival-choices)|features\/preferences\/preferences-name|features\/outbox\/(pending-|sign-out-dialog)|app\/shell\/pending-changes|features\/notifications\/actions\/action-name)/,
  },
  {
    // Loaded when the page is idle; few visits show these screens.
    name: 'idle',
    test: /node_modules\/workbox-window\/|src\/inbox\/app\/(when-idle|connection\/connection-watch|service-worker|configuration-screen|shell\/not-found-screen)/,
  },
  {
    // Parts of the list that few visits show, each of about a kilobyte.
    name: 'list-parts',
    test: /src\/inbox\/features\/notifications\/(list\/group-row|search\/highlight|bell\/bell-panel|screen\/inbox-empty)/,
  },
  {
    name: 'join',
    test: /src\/inbox\/features\/join\/(join-texts\.ts|join\.module|invitation\.ts|invitation-answer|invitations-api)/,
  },
  // Muting and blocking in the inbox, and the lists of both in the preferences.
  { name: 'sender-controls', test: /src\/inbox\/shared\/(sender-controls\/|coming-time)/ },
  {
    name: 'account-base',
    test: /src\/inbox\/features\/account\/(account-texts\.ts|account\.module)/,
  },
  {
    name: 'shell-parts',
    test: /src\/inbox\/(ui\/theme\.|app\/(data\/save-language|shell\/(account-menu-items|display-choices|callback-error-toast)))/,
  },
  {
    name: 'forms',
    test: /src\/inbox\/ui\/form\/(choice|switch|field|text-field|password-field|submit-button|slow-note|use-form|credential-\w+\.ts)|src\/inbox\/ui\/provider-name|src\/inbox\/shared\/(known-passkey|auth-problem\/(auth-problem|auth-error-texts)\.ts)/,
  },
  {
    name: 'auth',
    test: /src\/inbox\/features\/auth\/(auth-page|auth-texts\.ts|use-|sign-in\/social-slot|email-links\/(last-|spent-link|link-problem\.tsx))/,
  },
];

export default defineConfig(({ mode }) => {
  const env = loadEnv(mode, process.cwd());
  const headers = createPageHeaders({
    supabaseUrl: env['VITE_SUPABASE_URL'],
    captchaProvider: env['VITE_CAPTCHA_SITE_KEY'] && (env['VITE_CAPTCHA_PROVIDER'] ?? 'hcaptcha'),
  });
  return {
    define: { SIGN_IN_WAYS: JSON.stringify(readSignInWays(env['VITE_SIGN_IN_WAYS'])) },
    plugins: [
      react(),
      pageHeaders(headers),
      preloadMain(env['VITE_SUPABASE_URL']),
      layerOrder(),
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
        // Every page has these before its first dynamic import.
        resolveDependencies: (_file, dependencies) =>
          dependencies.filter((name) => !/^assets\/(rolldown-runtime|entry|base)-/.test(name)),
      },
      // A data URL would need `data:` in more of the policy.
      assetsInlineLimit: 0,
      rolldownOptions: {
        input: { main: 'index.html', 'clear-cookies': 'clear-cookies.html', unsubscribe: 'unsubscribe.html' },
        output: { codeSplitting: { includeDependenciesRecursively: false, groups: chunkGroups } },
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
  return {
    name: 'preload-main',
    apply: 'build',
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
          ...files.map((file) => ({ rel: 'modulepreload', href: `/${file}` })),
          ...origin.map((href) => ({ rel: 'preconnect', href })),
        ].map((attrs) => ({ tag: 'link', attrs: { ...attrs, crossorigin: true }, injectTo: 'head' }));
      },
    },
  };
}

/** Style sheets load per screen in any order: each one declares the order of the layers, and the first one sets it. */
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

/** Answers the form of /clear-cookies when no script runs: the browser itself deletes the site's data. */
function clearSiteData(): Plugin {
  const answer: Connect.NextHandleFunction = (request, response, next) => {
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
    configureServer: ({ middlewares }) => void middlewares.use(answer),
    configurePreviewServer: ({ middlewares }) => void middlewares.use(answer),
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
      globPatterns: ['index.html', 'theme.js', '*.svg', 'assets/*.{js,css}'],
      // Large, and of use only with a network.
      globIgnores: ['assets/password-strength-*', 'assets/{clear-cookies,unsubscribe,static-page}-*'],
      // It is registered as a classic script, which may import nothing: that would need a policy of Trusted Types.
      rollupFormat: 'iife',
      sourcemap: false,
    },
  });
}
