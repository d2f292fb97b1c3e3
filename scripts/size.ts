import { readFile } from 'node:fs/promises';
import { gzipSync } from 'node:zlib';
import { build, type Manifest, type Rolldown } from 'vite';

const kB = 1000;

/** Budgets in bytes of gzip, level 9. */
const budgets = {
  firstScreenClients: 24 * kB,
  allClients: 36 * kB,
  login: 105 * kB,
  home: 125 * kB,
  route: 15 * kB,
  css: 8 * kB,
} as const;

interface Measure {
  readonly what: string;
  readonly bytes: number;
  readonly budget: number;
}

const gzip = (content: string | Uint8Array): number => gzipSync(content, { level: 9 }).byteLength;

/** The clients by themselves, bundled as the application's bundler does. */
async function measureClients(what: string, code: string, budget: number): Promise<Measure> {
  const entry = '\0clients';
  const output = (await build({
    configFile: false,
    logLevel: 'error',
    build: {
      write: false,
      target: 'es2022',
      rolldownOptions: {
        input: entry,
        output: { format: 'es' },
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
  const bytes = [...initial].reduce(
    (sum, name) => sum + gzip(chunks.find((chunk) => chunk.fileName === name)?.code ?? ''),
    0,
  );
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

/** The modules whose dynamic imports lead from the page to `screen`, the screen included; null where none do. */
function findWay(
  manifest: Manifest,
  from: string,
  screen: string,
  seen = new Set<string>(),
): readonly string[] | null {
  if (from === screen) return [from];
  if (seen.has(from)) return null;
  seen.add(from);
  for (const name of staticClosure([from], (key) => manifest[key]?.imports ?? [])) {
    for (const next of manifest[name]?.dynamicImports ?? []) {
      const way = findWay(manifest, next, screen, seen);
      if (way) return [from, ...way];
    }
  }
  return null;
}

async function measureRoutes(): Promise<readonly Measure[]> {
  const outDir = 'dist';
  await build({ logLevel: 'error', build: { outDir, manifest: true } });
  const manifest = JSON.parse(await readFile(`${outDir}/.vite/manifest.json`, 'utf8')) as Manifest;
  const screens: readonly (readonly [route: string, screen: string])[] = [
    ['/login', 'src/features/auth/login-screen.tsx'],
    ['/signup', 'src/features/auth/sign-up-screen.tsx'],
    ['/reset-password', 'src/features/auth/reset-password-screen.tsx'],
    ['/home', 'src/features/notifications/inbox-screen.tsx'],
    ['/preferences', 'src/features/preferences/preferences-screen.tsx'],
    ['/account', 'src/features/account/account-screen.tsx'],
    ['/join', 'src/features/join/join-screen.tsx'],
  ];
  const sizeOf = async (file: string) => gzip(await readFile(`${outDir}/${file}`));
  const filesOf = (screen: string, kind: 'js' | 'css'): ReadonlySet<string> => {
    const way = findWay(manifest, 'index.html', screen);
    if (!way)
      throw new Error(
        `No dynamic imports lead to ${screen}; known: ${Object.keys(manifest)
          .filter((key) => key.endsWith('screen.tsx'))
          .join(', ')}`,
      );
    const modules = staticClosure(way, (key) => manifest[key]?.imports ?? []);
    return new Set(
      [...modules].flatMap((key) =>
        kind === 'js' ? [manifest[key]?.file ?? ''] : (manifest[key]?.css ?? []),
      ),
    );
  };
  const total = async (files: Iterable<string>) =>
    (await Promise.all([...files].map(sizeOf))).reduce((sum, bytes) => sum + bytes, 0);
  const login = filesOf('src/features/auth/login-screen.tsx', 'js');
  const home = filesOf('src/features/notifications/inbox-screen.tsx', 'js');
  return Promise.all(
    screens.flatMap(([route, screen]) => {
      const scripts = filesOf(screen, 'js');
      const isMain = route === '/login' || route === '/home';
      const own = isMain
        ? scripts
        : new Set([...scripts].filter((file) => !login.has(file) && !home.has(file)));
      const budget = route === '/login' ? budgets.login : route === '/home' ? budgets.home : budgets.route;
      return [
        total(own).then((bytes) => ({
          what: `JavaScript of ${route}${isMain ? '' : ', beyond the first screens'}`,
          bytes,
          budget,
        })),
        total(filesOf(screen, 'css')).then((bytes) => ({
          what: `CSS of ${route}`,
          bytes,
          budget: budgets.css,
        })),
      ];
    }),
  );
}

const root = process.cwd();
const firstScreen = await readFile('scripts/size/first-screen.js', 'utf8');
const everything = await readFile('scripts/size/everything.js', 'utf8');
const measures = [
  await measureClients(
    'three clients, first screen',
    firstScreen.replaceAll('@/', `${root}/src/`),
    budgets.firstScreenClients,
  ),
  await measureClients(
    'three clients, every feature',
    everything.replaceAll('@/', `${root}/src/`),
    budgets.allClients,
  ),
  ...(await measureRoutes()),
];
for (const { what, bytes, budget } of measures) {
  const mark = bytes > budget ? '✗' : '✓';
  console.log(
    `${mark} ${what.padEnd(52)}${(bytes / kB).toFixed(1).padStart(7)} kB of ${(budget / kB).toFixed(0)} kB`,
  );
}
process.exitCode = measures.some(({ bytes, budget }) => bytes > budget) ? 1 : 0;
