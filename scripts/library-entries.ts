export const libraryName = 'supabase-protocol-clients';

/** What the package exports: the name after the package's, and the module behind it, relative to src. */
export const libraryEntries: Readonly<Record<string, string>> = {
  '.': 'supabase-clients',
  './lazy': 'lazy-clients',
  './server': 'server-clients',
  './platform': 'platform/index',
  './platform/worker-clock': 'platform/worker-clock',
  './auth-client': 'auth-client/index',
  './auth-client/mfa': 'auth-client/features/mfa',
  './auth-client/passkeys': 'auth-client/features/passkeys',
  './auth-client/identities': 'auth-client/features/identities',
  './auth-client/sso': 'auth-client/features/sso',
  './auth-client/web3': 'auth-client/features/web3',
  './auth-client/id-token': 'auth-client/features/id-token',
  './auth-client/claims': 'auth-client/features/claims',
  './auth-client/server': 'auth-client/server/server',
  './rest-client': 'rest-client/index',
  './rest-client/long-reads': 'rest-client/long-reads/long-reads',
  './rest-client/table': 'rest-client/table',
  './rest-client/share-reads': 'rest-client/share-reads/share-reads',
  './realtime-client': 'realtime-client/index',
  './realtime-client/live-query': 'realtime-client/live-query/live-query',
  './realtime-client/shared-socket': 'realtime-client/tabs/shared-socket',
  './realtime-client/postgres-changes': 'realtime-client/changes/postgres-changes',
  './realtime-client/broadcast': 'realtime-client/broadcast/broadcast',
  './realtime-client/broadcast-buffer': 'realtime-client/broadcast/buffer',
  './realtime-client/http-broadcast': 'realtime-client/broadcast/http-broadcast',
  './realtime-client/presence': 'realtime-client/presence/presence',
  './realtime-client/database-broadcast': 'realtime-client/changes/database-broadcast',
  './storage-client': 'storage-client/index',
  './functions-client': 'functions-client/index',
  './react': 'react/index',
  './testing': 'testing/index',
};

/** The folder of the package that has the declarations once more, for `require`. */
export const commonJsTypes = 'commonjs-types';

/** The entries that `browser.js` holds in one file, for pages without a bundler. */
export const browserEntries = [
  '.',
  './platform',
  './auth-client',
  './rest-client',
  './realtime-client',
  './realtime-client/postgres-changes',
  './realtime-client/live-query',
  './storage-client',
  './functions-client',
] as const;

/** What of the repository's manifest the package's repeats. */
export interface RepositoryManifest {
  readonly version: string;
  readonly license: string;
  readonly engines: Readonly<Record<string, string>>;
  readonly dependencies: Readonly<Record<string, string>>;
}

const runtimeDependencies = ['@noble/hashes', 'jose', 'ky'] as const;

export function createLibraryManifest({ version, license, engines, dependencies }: RepositoryManifest) {
  return {
    name: libraryName,
    version,
    description: 'Typed clients of the auth, REST, realtime, storage and functions services of Supabase',
    license,
    type: 'module',
    sideEffects: false,
    engines,
    exports: {
      ...Object.fromEntries(
        Object.entries(libraryEntries).map(([name, file]) => [
          name,
          {
            // Node loads ES modules by `require` too; TypeScript wants declarations of CommonJS for it (TS1479).
            require: { types: `./${commonJsTypes}/${file}.d.ts`, default: `./${file}.js` },
            default: { types: `./${file}.d.ts`, default: `./${file}.js` },
          },
        ]),
      ),
      './browser.js': { types: './browser.d.ts', default: './browser.js' },
      './package.json': './package.json',
    },
    dependencies: Object.fromEntries(runtimeDependencies.map((name) => [name, dependencies[name]])),
    peerDependencies: { react: '>=19' },
    peerDependenciesMeta: { react: { optional: true } },
  };
}
