import { build, type Plugin } from 'vite';
import { generateSW } from 'workbox-build';

interface SiteOptions {
  /** The site's path, such as `/`. */
  readonly base: string;
  readonly outDir: string;
}

/** The URL of the project in the worker, and the public key of the vendor's local stack. */
const environment = {
  // The service worker has its list of files in a production build only, and Vitest sets another environment.
  NODE_ENV: 'production',
  VITE_SUPABASE_URL: 'http://local-supabase.test',
  VITE_SUPABASE_ANON_KEY: 'sb_publishable_ACJWlzQHlZjBrEguHvfOxg_3BJgxAaH',
};

/** Replaces the application's first script by one that starts the project before it. */
function demoEntry(): Plugin {
  return {
    name: 'demo-entry',
    transformIndexHtml: {
      order: 'pre',
      handler(html, { path }) {
        if (path !== '/index.html') return html;
        const started = html.replace('/src/inbox/entry.ts', '/docs/.vitepress/demo/main.ts');
        if (started === html) throw new Error('index.html no longer names src/inbox/entry.ts');
        return { html: started, tags: [{ tag: 'meta', attrs: { name: 'robots', content: 'noindex' } }] };
      },
    },
  };
}

/** Builds the application for the demo's frame, by the configuration of every other build: fonts, manifest and service worker, too. */
export async function buildDemo({ base, outDir }: SiteOptions): Promise<void> {
  Object.assign(process.env, environment);
  await build({
    base: `${base}demo-app/`,
    plugins: [demoEntry()],
    define: { SITE_BASE: JSON.stringify(base) },
    build: { outDir: `${outDir}/demo-app`, emptyOutDir: true },
  });
}

/** Writes the service worker that the playground registers: afterwards it and the demo open without a network. */
export async function writeOfflineWorker({ base, outDir }: SiteOptions): Promise<void> {
  const { warnings } = await generateSW({
    globDirectory: outDir,
    globPatterns: [
      '{playground,demo}.html',
      'assets/**',
      'playground-files/**',
      'demo-app/**',
      '*.svg',
      'hashmap.json',
    ],
    globIgnores: ['assets/{api,conformance,decisions}_*', 'assets/chunks/@localSearch*'],
    swDest: `${outDir}/playground-sw.js`,
    modifyURLPrefix: { '': base },
    maximumFileSizeToCacheInBytes: 20_000_000,
    clientsClaim: true,
    skipWaiting: true,
    inlineWorkboxRuntime: true,
    sourcemap: false,
  });
  for (const warning of warnings) console.warn(warning);
}
