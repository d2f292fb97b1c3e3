import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import { build } from 'vite';
import { generateSW } from 'workbox-build';
import { readSignInWays } from '../sign-in-ways.ts';

interface SiteOptions {
  /** The site's path, such as `/`. */
  readonly base: string;
  readonly outDir: string;
}

/** The public keys of the vendor's local stack and the name of the project in the worker. */
const environment = {
  VITE_SUPABASE_URL: 'http://local-supabase.test',
  VITE_SUPABASE_ANON_KEY: 'sb_publishable_ACJWlzQHlZjBrEguHvfOxg_3BJgxAaH',
};

/** Builds the application for the demo's frame: unchanged, except for an entry that starts the project first. */
export async function buildDemo({ base, outDir }: SiteOptions): Promise<void> {
  await build({
    configFile: false,
    root: fileURLToPath(new URL('../../docs/.vitepress/demo/', import.meta.url)),
    base: `${base}demo-app/`,
    publicDir: false,
    plugins: [react()],
    define: {
      SIGN_IN_WAYS: JSON.stringify(readSignInWays(undefined)),
      SITE_BASE: JSON.stringify(base),
      ...Object.fromEntries(
        Object.entries(environment).map(([name, value]) => [
          `import.meta.env.${name}`,
          JSON.stringify(value),
        ]),
      ),
    },
    css: { modules: { generateScopedName: '[hash:base64:5]' } },
    resolve: { alias: { 'use-sync-external-store/shim/index.js': 'react' } },
    build: {
      outDir: fileURLToPath(new URL(`../../${outDir}/demo-app/`, import.meta.url)),
      emptyOutDir: true,
      target: ['chrome123', 'edge123', 'firefox129', 'safari17.5'],
      assetsInlineLimit: 0,
    },
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
