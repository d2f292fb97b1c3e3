import { readFileSync } from 'node:fs';

interface SourceManifest {
  readonly name: string;
  readonly exports: Readonly<Record<string, string>>;
  readonly [field: string]: unknown;
}

/** The manifest in `src`: everything there except the application belongs to the library, and `exports` are its entries. */
const manifest = JSON.parse(
  readFileSync(new URL('../../src/package.json', import.meta.url), 'utf8'),
) as SourceManifest;

export const libraryName = manifest.name;

/** What the package exports: the name after the package's, and the module behind it, relative to src. */
export const libraryEntries: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(manifest.exports).map(([name, path]) => [name, path.replace(/^\.\/|\.tsx?$/g, '')]),
);

/** The folder with a copy of the declarations for `require`. */
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

/** The manifest of the built package: that of the sources, with entries that point to the compiled modules. */
export function createLibraryManifest() {
  return {
    ...manifest,
    exports: {
      ...Object.fromEntries(
        Object.entries(libraryEntries).map(([name, file]) => [
          name,
          {
            // Node loads ES modules by `require` too; TypeScript requires declarations of CommonJS for it (TS1479).
            require: { types: `./${commonJsTypes}/${file}.d.ts`, default: `./${file}.js` },
            default: { types: `./${file}.d.ts`, default: `./${file}.js` },
          },
        ]),
      ),
      './browser.js': { types: './browser.d.ts', default: './browser.js' },
      './package.json': './package.json',
    },
  };
}
