/**
 * Costs of the clients before their first request (bytes, import, heap, creation): `createClient` of supabase-js compared with this library's clients for auth, REST, realtime, storage and functions. Run: `npm run bench clients`
 */
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { mkdtemp, rm, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { libraryEntries } from '../../scripts/library/library-entries.ts';
import { packLibrary } from '../../scripts/library/pack-library.ts';
import { bundle, bundledBytes } from './bundle.ts';
import { reportMetric } from './report.ts';
import { alternate, median } from './rounds.ts';

const exporting = (name: string, file: string) => `export { ${name} } from './src/${file}.ts';`;
const exportingAll = (...files: readonly string[]) =>
  files.map((file) => `export * from './src/${file}.ts';`).join('');
const platform = exporting('createPlatform', 'platform/index');
const storage = exporting('createStorageClient', 'storage-client/index');
const functions = exporting('createFunctionsClient', 'functions-client/index');
const set = exporting('createSupabaseClients', 'clients/supabase-clients') + storage + functions;
const features = exportingAll(
  ...readdirSync('src/auth-client/features').map((name) => `auth-client/features/${name.slice(0, -3)}`),
  ...['changes/postgres-changes', 'broadcast/broadcast', 'broadcast/http-broadcast', 'presence/presence'].map(
    (name) => `realtime-client/${name}`,
  ),
  'auth-client/admin/admin',
);

const vendorRest = `export { PostgrestClient } from '@supabase/postgrest-js';`;
const vendorStorage = `export { StorageClient } from '@supabase/storage-js';`;
const vendorSet = `export { createClient } from '@supabase/supabase-js';`;

for (const [name, ours, counts, peer, goal] of [
  ['REST alone', exporting('createRestClient', 'rest-client/index'), 'all', vendorRest, 1],
  ['storage alone', storage, 'all', vendorStorage, 1],
  ['all clients, at once', set, 'at once', vendorSet, 0.5],
  ['all clients with late parts', set, 'all', vendorSet, 0.5],
  ['all clients and features with late parts', set + features, 'all', vendorSet, null],
] as const)
  reportMetric({
    name: `clients: bundle of ${name}, gzip`,
    ours: await bundledBytes(ours, counts),
    peer: await bundledBytes(peer, 'all'),
    unit: 'bytes',
    goal,
  });

/** The number that a script prints in a separate process. */
function numberFrom(script: string): number {
  const flags = ['--no-warnings', '--expose-gc', '--input-type=module', '-e', script];
  const { status, stdout, stderr } = spawnSync(process.execPath, flags, { encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
  return Number(stdout);
}

/** CPU time, because wall time includes other work of the machine. */
const importScript = (files: readonly string[]) =>
  `const before = process.cpuUsage();
   await Promise.all(${JSON.stringify(files)}.map((file) => import(file)));
   const { user, system } = process.cpuUsage(before);
   console.log((user + system) / 1000);`;

async function reportImport(name: string, ours: readonly string[], peer: string): Promise<void> {
  const files = { ours, peer: [peer] };
  const measured = await alternate(20, async (side) => numberFrom(importScript(files[side])));
  reportMetric({
    name: `clients: import of ${name}`,
    ours: median(measured.ours),
    peer: median(measured.peer),
    unit: 'ms',
    goal: 1,
  });
}

/** The module that Node loads for an import of the package; tsx would resolve it otherwise. */
function installed(name: string): string {
  const manifest = createRequire(import.meta.url)(`../../node_modules/${name}/package.json`) as {
    readonly exports?: { readonly '.'?: { readonly import?: string | { readonly default: string } } };
    readonly main: string;
  };
  const found = manifest.exports?.['.']?.import ?? manifest.main;
  const file = typeof found === 'string' ? found : found.default;
  return pathToFileURL(resolve('node_modules', name, file)).href;
}

const ourFile = await bundle('clients', set + platform);
const vendorFile = await bundle('vendor-clients', vendorSet);
const folder = await mkdtemp(join(tmpdir(), 'bench-'));
const packed = await packLibrary(folder);
await symlink(resolve('node_modules'), join(packed.folder, 'node_modules'));
const entry = (name: string) => pathToFileURL(join(packed.folder, `${libraryEntries[name]}.js`)).href;
// A client needs a platform, so the import of a client includes the platform's.
for (const [client, ours, peer] of [
  ['REST', exporting('createRestClient', 'rest-client/index'), 'postgrest-js'],
  ['storage', storage, 'storage-js'],
] as const) {
  const [oursAlone, peerAlone] = [
    await bundle(`${client}-alone`, ours + platform),
    await bundle(`vendor-${client}-alone`, client === 'REST' ? vendorRest : vendorStorage),
  ];
  await reportImport(`${client} alone, one file`, [oursAlone], peerAlone);
  await reportImport(
    `${client} alone, as installed`,
    [entry(`./${client.toLowerCase()}-client`), entry('./platform')],
    installed(`@supabase/${peer}`),
  );
}
await reportImport('all clients, one file', [ourFile], vendorFile);
await reportImport(
  'all clients, as installed',
  [entry('.'), entry('./storage-client'), entry('./functions-client')],
  installed('@supabase/supabase-js'),
);
await rm(folder, { recursive: true });

/** Prepares `create`, which makes one set, and `use`, after which its session has been read. */
const preparation = (side: 'ours' | 'peer') =>
  side === 'ours'
    ? `const { createSupabaseClients, createStorageClient, createFunctionsClient } = await import('${ourFile}');
       const create = () => {
         const clients = createSupabaseClients({ url, apiKey });
         const { connection } = clients;
         return { clients, storage: createStorageClient(connection), functions: createFunctionsClient(connection) };
       };
       const use = ({ clients }) => clients.auth.getSession();`
    : `const { createClient } = await import('${vendorFile}');
       const create = () => {
         const clients = createClient(url, apiKey, { auth: { autoRefreshToken: false } });
         return { clients, functions: clients.functions };
       };
       const use = ({ clients }) => clients.auth.getSession();`;
const COUNT = 1000;
/** Node 20 has no WebSocket, without which the vendor's client cannot be created. */
const setScript = (side: 'ours' | 'peer', measured: string) =>
  `globalThis.WebSocket ??= class {};
   const url = 'https://project.test', apiKey = 'sb_publishable_x';
   const settled = () => new Promise((resolve) => setTimeout(resolve, 50));
   ${preparation(side)}
   const sets = Array.from({ length: 200 }, create);
   await settled();
   gc();
   const heap = process.memoryUsage().heapUsed;
   const cpu = process.cpuUsage();
   for (let count = 0; count < ${COUNT}; count += 1) sets.push(create());
   ${measured}
   process.exit();`;
const heapOfSet = `await settled(); gc(); console.log((process.memoryUsage().heapUsed - heap) / ${COUNT});`;
for (const [name, measured, unit] of [
  ['heap of a set, created', heapOfSet, 'bytes'],
  [
    'heap of a set, its session read',
    `for (const each of sets.slice(-${COUNT})) await use(each);\n${heapOfSet}`,
    'bytes',
  ],
  [
    'creation of a set',
    `await settled(); const { user, system } = process.cpuUsage(cpu); console.log((user + system) / ${COUNT});`,
    'µs',
  ],
] as const) {
  const results = await alternate(5, async (side) => numberFrom(setScript(side, measured)));
  const [ours, peer] = [median(results.ours), median(results.peer)];
  reportMetric({ name: `clients: ${name}`, ours, peer, unit, goal: 1 });
}
