import { readFile } from 'node:fs/promises';
import { gzipSync } from 'node:zlib';
import { build, type Rolldown } from 'vite';
import { libraryEntries, libraryName } from './library/library-entries.ts';
import { isPublicPath } from '../src/inbox/shared/routes.ts';
import { buildAppInto } from '../test/e2e/support/app-build.ts';

interface Screen {
  readonly path: string;
  readonly entry: string;
  readonly kB: number;
  readonly beyond?: string;
}

/** Budgets in kB of gzip, level 9. `beyond`: the screen whose code is loaded already when this one opens. */
const clients = { firstScreen: 32, everyFeature: 63 };
const styles = 10;
/** The font of a text in English or German. */
const font = 26;
const screens: readonly Screen[] = [
  { path: '/login', entry: 'features/auth/sign-in/login-screen.tsx', kB: 117 },
  { path: '/home', entry: 'features/notifications/screen/inbox-screen.tsx', kB: 157 },
  { path: '/signup', entry: 'features/auth/sign-up/signup-screen.tsx', beyond: '/login', kB: 25 },
  {
    path: '/reset-password',
    entry: 'features/auth/reset-password/reset-password-screen.tsx',
    beyond: '/login',
    kB: 25,
  },
  { path: '/join', entry: 'features/join/join-screen.tsx', beyond: '/login', kB: 25 },
  { path: '/preferences', entry: 'app/shell/preferences-route.tsx', beyond: '/home', kB: 18 },
  { path: '/account', entry: 'features/account/account-screen.tsx', beyond: '/home', kB: 26 },
];
/** The layout around every screen that needs a session. */
const frame = 'app/shell/signed-in-app.tsx';
/** A text that exists in development only, where `import.meta.env.DEV` is true. */
const developmentText = 'A sample is on its way.';

const gzip = (content: string | Uint8Array): number => gzipSync(content, { level: 9 }).byteLength;

type Output = Rolldown.RolldownOutput['output'];

/** The chunks of a build by file name, and what some of them load before they run. */
function readChunks(output: Output) {
  const byName = new Map(
    output.flatMap((part) => (part.type === 'chunk' ? [[part.fileName, part] as const] : [])),
  );
  const closure = (names: Iterable<string>, found = new Set<string>()): ReadonlySet<string> => {
    for (const name of names) if (!found.has(name)) closure(byName.get(name)?.imports ?? [], found.add(name));
    return found;
  };
  const bytesOf = (names: Iterable<string>) =>
    Array.from(names).reduce((sum, name) => sum + gzip(byName.get(name)?.code ?? ''), 0);
  return { byName, closure, bytesOf };
}

/**
 * The clients by themselves, bundled as the application's bundler does, but without its preloading of chunks: that is the
 * application's, and counted there.
 *
 * @param counts `static`: the code that is loaded first; `all`: also the code that is loaded later, in one file. Not counted:
 *   jose, loaded on the first verification of a token, and the SHA-256 of @noble/hashes, loaded where Web Crypto is missing.
 */
async function measureClients(code: string, counts: 'static' | 'all'): Promise<number> {
  const entry = '\0clients';
  const { output } = (await build({
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
  const { closure, bytesOf } = readChunks(output);
  const entries = output.filter((part) => part.type === 'chunk' && part.isEntry);
  return bytesOf(closure(entries.map(({ fileName }) => fileName)));
}

/** The JavaScript and the style sheets of each screen, and the font of all, in bytes. */
async function measureScreens() {
  // `npm test` runs the journeys in this build.
  const { output } = await buildAppInto('test-results/build');
  const { byName, closure, bytesOf } = readChunks(output);
  const find = (path: string) =>
    [...byName.values()].find(({ moduleIds }) => moduleIds.some((id) => id.includes(path)));
  if ([...byName.values()].some(({ code }) => code.includes(developmentText)))
    throw new Error('The build contains the sample button');
  const sources = new Map(
    output.flatMap((part) => (part.type === 'asset' ? [[part.fileName, part.source]] : [])),
  );
  // The files that index.html itself requests.
  const page = Array.from(
    String(sources.get('index.html')).matchAll(/"\/(assets\/[^"]+)"/g),
    ([, name = '']) => name,
  );
  const chunkOf = (module: string): string => {
    const chunk = find(`/src/inbox/${module}`);
    if (!chunk) throw new Error(`The build has no chunk with ${module}`);
    return chunk.fileName;
  };
  const scriptsOf = ({ path, entry }: Screen) => {
    const modules = isPublicPath(path) ? [entry] : [frame, entry];
    return closure([...page.filter((name) => byName.has(name)), ...modules.map(chunkOf)]);
  };
  const [, latin = ''] = Array.from(sources).find(([name]) => /^assets\/latin-(?!ext-)/.test(name)) ?? [];
  const measured = screens.map((screen) => {
    const { path, beyond, kB } = screen;
    const scripts = scriptsOf(screen);
    const known = screens.find((other) => other.path === beyond);
    const there = known ? scriptsOf(known) : new Set();
    const sheets = new Set(page.filter((name) => name.endsWith('.css')));
    for (const name of scripts)
      for (const sheet of byName.get(name)?.viteMetadata?.importedCss ?? []) sheets.add(sheet);
    const css = Array.from(sheets).reduce((sum, name) => sum + gzip(sources.get(name) ?? ''), 0);
    return { path, beyond, kB, js: bytesOf([...scripts].filter((name) => !there.has(name))), css };
  });
  return { measured, fontBytes: latin.length };
}

let isOver = false;
function check(what: string, bytes: number, kB: number): void {
  const isFine = bytes <= kB * 1000;
  isOver ||= !isFine;
  console.log(
    `${isFine ? '✓' : '✗'} ${what.padEnd(52)}${(bytes / 1000).toFixed(1).padStart(7)} kB of ${kB} kB`,
  );
}

const firstScreen = await readFile('scripts/size/first-screen.js', 'utf8');
const everyFeature = Object.keys(libraryEntries)
  .filter((entry) => /auth|rest|realtime|platform/.test(entry))
  .map((entry) => `export * from '${libraryName}${entry.slice(1)}';`)
  .join('\n');
check('three clients, first screen', await measureClients(firstScreen, 'static'), clients.firstScreen);
check('three clients, every feature', await measureClients(everyFeature, 'all'), clients.everyFeature);
const { measured, fontBytes } = await measureScreens();
for (const { path, beyond, js, css, kB } of measured) {
  check(`JavaScript of ${path}${beyond ? `, beyond ${beyond}` : ''}`, js, kB);
  check(`CSS of ${path}`, css, styles);
}
check('font of all screens', fontBytes, font);
process.exitCode = isOver ? 1 : 0;
