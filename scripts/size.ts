import { readFile } from 'node:fs/promises';
import { gzipSync } from 'node:zlib';
import { build, type Rolldown } from 'vite';
import { libraryEntries, libraryName } from './library/library-entries.ts';
import { buildAppInto } from '../test/e2e/support/app-build.ts';

const kB = 1000;

/** Budgets in bytes of gzip, level 9. */
const budgets = {
  firstScreenClients: 26 * kB,
  allClients: 46 * kB,
  login: 115 * kB,
  home: 155 * kB,
  route: 25 * kB,
  // 8 kB until /account became a page of cards with devices and data.
  css: 10 * kB,
} as const;

const page = ['src/inbox/entry.ts', 'src/inbox/main.tsx'];
const signedIn = [...page, 'src/inbox/app/shell/signed-in-app.tsx', 'src/inbox/app/data/rest.ts'];
const login = [...page, 'src/inbox/features/auth/sign-in/login-screen.tsx'];
const home = [...signedIn, 'src/inbox/features/notifications/screen/inbox-screen.tsx'];

/** The modules that each route loads, and the routes whose code is there already when it is called a further one. */
const routes = [
  { route: '/login', modules: login, beyond: [], budget: budgets.login },
  { route: '/home', modules: home, beyond: [], budget: budgets.home },
  {
    route: '/signup',
    modules: [...page, 'src/inbox/features/auth/sign-up/signup-screen.tsx'],
    beyond: [login],
    budget: budgets.route,
  },
  {
    route: '/reset-password',
    modules: [...page, 'src/inbox/features/auth/reset-password/reset-password-screen.tsx'],
    beyond: [login],
    budget: budgets.route,
  },
  {
    route: '/preferences',
    modules: [...signedIn, 'src/inbox/app/shell/preferences-route.tsx'],
    // Every signed-in page loads the data cache, beside its first read.
    beyond: [[...home, 'src/inbox/app/data/data-cache.ts']],
    budget: budgets.route,
  },
  {
    route: '/account',
    modules: [...signedIn, 'src/inbox/features/account/account-screen.tsx'],
    beyond: [[...home, 'src/inbox/app/data/data-cache.ts']],
    budget: budgets.route,
  },
  {
    route: '/join',
    modules: [...page, 'src/inbox/features/join/join-screen.tsx'],
    beyond: [login],
    budget: budgets.route,
  },
] as const;

interface Measure {
  readonly what: string;
  readonly bytes: number;
  readonly budget: number;
}

/** Its parts are imported where `import.meta.env.DEV` is true. */
const developmentFolder = '/src/inbox/features/notifications/sample/';

const gzip = (content: string | Uint8Array): number => gzipSync(content, { level: 9 }).byteLength;

/**
 * The clients by themselves, bundled as the application's bundler does, but without its preloading of chunks: that is the
 * application's, and counted there.
 *
 * @param counts `static`: what is there before anything runs; `all`: also what is loaded later, in one file. Not counted: jose,
 * loaded on the first verification of a token, and the SHA-256 of @noble/hashes, loaded where Web Crypto is missing.
 */
async function measureClients(
  what: string,
  code: string,
  counts: 'static' | 'all',
  budget: number,
): Promise<Measure> {
  const entry = '\0clients';
  const output = (await build({
    configFile: false,
    logLevel: 'error',
    ssr: { noExternal: true },
    build: {
      ssr: true,
      minify: true,
      write: false,
      target: 'es2022',
      rolldownOptions: {
        input: entry,
        external: ['jose', /^@noble\/hashes/],
        output: { format: 'es', codeSplitting: counts === 'static' },
        treeshake: true,
        preserveEntrySignatures: 'strict',
      },
    },
    plugins: [
      {
        name: 'clients-entry',
        resolveId: (id) => (id === entry ? id : null),
        load: (id) => (id === entry ? code : null),
      },
    ],
  })) as Rolldown.RolldownOutput;
  const chunks = output.output.filter((part) => part.type === 'chunk');
  const initial = staticClosure(
    chunks.filter((chunk) => chunk.isEntry).map((chunk) => chunk.fileName),
    (name) => chunks.find((chunk) => chunk.fileName === name)?.imports ?? [],
  );
  const bytes = chunks
    .filter(({ fileName }) => initial.has(fileName))
    .reduce((sum, chunk) => sum + gzip(chunk.code), 0);
  return { what, bytes, budget };
}

function staticClosure(
  names: readonly string[],
  importsOf: (name: string) => readonly string[],
): ReadonlySet<string> {
  const found = new Set<string>();
  const visit = (name: string) => {
    if (found.has(name)) return;
    found.add(name);
    importsOf(name).forEach(visit);
  };
  names.forEach(visit);
  return found;
}

async function measureRoutes(): Promise<readonly Measure[]> {
  // `npm test` runs the journeys in this build.
  const { output } = await buildAppInto('test-results/build');
  const chunks = new Map(
    output.flatMap((part) => (part.type === 'chunk' ? [[part.fileName, part] as const] : [])),
  );
  for (const { facadeModuleId, moduleIds } of chunks.values()) {
    // The bundler would write a file that passes on exports, or even leaves them out, as it did for main.tsx.
    if (facadeModuleId && moduleIds.length > 0 && !moduleIds.includes(facadeModuleId))
      throw new Error(
        `vite.config.ts puts ${facadeModuleId} into another chunk than ${moduleIds.join(', ')}`,
      );
    const developmentModule = moduleIds.find((id) => id.includes(developmentFolder));
    if (developmentModule) throw new Error(`The build contains ${developmentModule}, a part of development`);
  }
  const assets = new Map(
    output.flatMap((part) => (part.type === 'asset' ? [[part.fileName, part.source] as const] : [])),
  );
  const chunkOf = (module: string): string => {
    const found = [...chunks.values()].find(({ moduleIds }) =>
      moduleIds.some((id) => id.endsWith(`/${module}`)),
    );
    if (!found) throw new Error(`The build has no chunk with ${module}`);
    return found.fileName;
  };
  const scriptsOf = (modules: readonly string[]) =>
    staticClosure(modules.map(chunkOf), (name) => chunks.get(name)?.imports ?? []);
  const linked = String(assets.get('index.html')).matchAll(/href="\/([^"]+\.css)"/g);
  const pageStyles = Array.from(linked, ([, name = '']) => name);
  const stylesOf = (modules: readonly string[]) =>
    new Set([
      ...pageStyles,
      ...[...scriptsOf(modules)].flatMap((name) =>
        Array.from(chunks.get(name)?.viteMetadata?.importedCss ?? []),
      ),
    ]);
  const sum = (contents: readonly (string | Uint8Array)[]) =>
    contents.reduce((bytes, content) => bytes + gzip(content), 0);
  return routes.flatMap(({ route, modules, beyond, budget }) => {
    const known = new Set(beyond.flatMap((other) => [...scriptsOf(other)]));
    const own = [...scriptsOf(modules)].filter((name) => !known.has(name));
    return [
      {
        what: `JavaScript of ${route}${beyond.length === 0 ? '' : ', further'}`,
        bytes: sum(own.map((name) => chunks.get(name)?.code ?? '')),
        budget,
      },
      {
        what: `CSS of ${route}`,
        bytes: sum([...stylesOf(modules)].map((name) => assets.get(name) ?? '')),
        budget: budgets.css,
      },
    ];
  });
}

const firstScreen = await readFile('scripts/size/first-screen.js', 'utf8');
const everything = Object.keys(libraryEntries)
  .filter((entry) => /auth|rest|realtime|platform/.test(entry))
  .map((entry) => `export * from '${libraryName}${entry.slice(1)}';`)
  .join('\n');
const measures = [
  await measureClients('three clients, first screen', firstScreen, 'static', budgets.firstScreenClients),
  await measureClients('three clients, every feature', everything, 'all', budgets.allClients),
  ...(await measureRoutes()),
];
for (const { what, bytes, budget } of measures) {
  const mark = bytes > budget ? '✗' : '✓';
  console.log(
    `${mark} ${what.padEnd(52)}${(bytes / kB).toFixed(1).padStart(7)} kB of ${(budget / kB).toFixed(0)} kB`,
  );
}
process.exitCode = measures.some(({ bytes, budget }) => bytes > budget) ? 1 : 0;
