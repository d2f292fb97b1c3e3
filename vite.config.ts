import react from '@vitejs/plugin-react';
import { defineConfig, loadEnv, type Connect, type Plugin } from 'vite';
import { createPageHeaders, encodeHeadersFile } from './scripts/page-headers.ts';

/** Modules that are always wanted together: fewer requests, and they compress better whole. */
const chunkGroups = [
  {
    // What a page of somebody who is signed in calls late or never.
    name: 'sign-in',
    test: /src\/auth-client\/(later-calls|sign-in|account|redirects|callback|flow|pkce|verifier-slots|adopt|user-call)/,
  },
  {
    name: 'base',
    test: /node_modules\/(react|react-dom|scheduler|wouter|regexparam|use-sync-external-store|ky)\/|preload-helper|src\/platform\/|src\/auth-client\/(?!mfa|identities|claims)|src\/app\/(routes|clients-context|second-factor|app-texts\.(en|ts))|src\/ui\/(texts|store|page-|button|spinner|class-names|visually|announcer|narrow-page|message|warning-icon|online)/,
  },
  {
    name: 'forms',
    test: /src\/ui\/(field|text-field|password-field|submit-button|use-form|use-countdown|credential-\w+\.(en|ts)|provider-name)|src\/app\/(auth-problem|urgent-texts\.en)/,
  },
  {
    name: 'auth',
    test: /src\/features\/auth\/(auth-page|auth-texts\.(en|ts)|use-|carried|social-slot|link-problem\.tsx)/,
  },
];

export default defineConfig(({ mode }) => {
  const env = loadEnv(mode, process.cwd());
  const headers = createPageHeaders({
    supabaseUrl: env['VITE_SUPABASE_URL'],
    captchaProvider: env['VITE_CAPTCHA_SITE_KEY'] && (env['VITE_CAPTCHA_PROVIDER'] ?? 'hcaptcha'),
  });
  return {
    plugins: [react(), pageHeaders(headers), layerOrder(), clearSiteData()],
    server: { port: 5173, strictPort: true },
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
