/**
 * `npm run -w local-supabase bench:instances -- [instances]`: compares Vitest runs with 30 instances and with as many
 * plain PGlite databases: one in each test file, or all at once in one file. Prints a table of time and memory. Run it
 * alone, because it measures wall-clock time.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { availableParallelism, loadavg } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const repository = fileURLToPath(new URL('../../', import.meta.url));
const folder = join(repository, 'test-results/instances');
const count = Number(process.argv[2] ?? 30);
const MIB = 2 ** 20;

/** The resources of one process; each test file writes its own. */
interface Usage {
  readonly pid: number;
  readonly cpuMs: number;
  readonly peakBytes: number;
}
interface Kind {
  readonly name: string;
  readonly imports: string;
  /** Code that starts instance `at` and queries rows. */
  readonly start: string;
}

const localSupabase: Kind = {
  name: 'Local Supabase',
  imports: `import { createLocalSupabase } from 'local-supabase';`,
  start: `const at = await createLocalSupabase({ config: false, project: ${JSON.stringify(repository)} });
    const headers = { apikey: at.serviceRoleKey, authorization: 'Bearer ' + at.serviceRoleKey };
    const response = await at.fetch(at.url + '/rest/v1/notifications?limit=1', { headers });
    expect(response.status).toBe(200);`,
};
const pglite: Kind = {
  name: 'PGlite alone',
  imports: `import { PGlite } from '@electric-sql/pglite';`,
  start: `const at = await PGlite.create();
    await at.exec('create table notifications (id int primary key)');
    expect((await at.query('select * from notifications limit 1')).rows).toEqual([]);`,
};

/** A test file with this many `instances` at once. */
const testFile = ({ imports, start }: Kind, instances: number) => `
  import { expect, it } from 'vitest';
  import { appendFileSync } from 'node:fs';
  ${imports}
  it('responds', async () => {
    const started = [];
    for (let each = 0; each < ${instances}; each += 1) {
      ${start}
      started.push(at);
    }
    for (const at of started) await at.close();
    const { user, system } = process.cpuUsage();
    const usage = { pid: process.pid, cpuMs: (user + system) / 1000, peakBytes: process.resourceUsage().maxRSS * 1024 };
    appendFileSync(${JSON.stringify(join(folder, 'usage'))}, JSON.stringify(usage) + '\\n');
  }, 600_000);`;

async function measure(kind: Kind, { files, isIsolated }: { files: number; isIsolated: boolean }) {
  for (const name of await readdir(folder)) if (name !== 'node_modules') await rm(join(folder, name));
  for (let file = 0; file < files; file += 1)
    await writeFile(join(folder, `${file}.test.js`), testFile(kind, count / files));
  const config = { test: { isolate: isIsolated, pool: 'forks', maxWorkers: availableParallelism() } };
  await writeFile(join(folder, 'vitest.config.js'), `export default ${JSON.stringify(config)};`);
  const vitest = join(repository, 'node_modules/vitest/vitest.mjs');
  const startMs = performance.now();
  const child = spawn(process.execPath, [vitest, 'run', '--root', folder, '--reporter', 'dot'], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const [code] = (await once(child, 'exit')) as [number];
  if (code !== 0) throw new Error(`The run of ${kind.name} failed`);
  const seconds = (performance.now() - startMs) / 1000;
  const lines = (await readFile(join(folder, 'usage'), 'utf8')).trim().split('\n');
  const last = new Map(lines.map((line) => JSON.parse(line) as Usage).map((usage) => [usage.pid, usage]));
  const processes = [...last.values()];
  return {
    seconds,
    cpuSeconds: processes.reduce((sum, { cpuMs }) => sum + cpuMs, 0) / 1000,
    peakMib: Math.max(...processes.map(({ peakBytes }) => peakBytes)) / MIB,
  };
}

await rm(folder, { recursive: true, force: true });
await mkdir(folder, { recursive: true });
const build = spawn(
  process.execPath,
  [
    '--import',
    'tsx',
    join(repository, 'local-supabase/scripts/build-package.ts'),
    join(folder, 'node_modules/local-supabase'),
  ],
  { stdio: 'inherit' },
);
await once(build, 'exit');
console.log(
  `\n${count} instances, ${availableParallelism()} cores, Node ${process.version}, load ${loadavg()
    .map((load) => load.toFixed(1))
    .join(' ')}\n`,
);
const ways = [
  { name: 'A process for each file', files: count, isIsolated: true },
  { name: 'Shared processes (`isolate: false`)', files: count, isIsolated: false },
  { name: 'All at once in one file', files: 1, isIsolated: true },
];
// Fill the snapshot cache first.
await measure(localSupabase, { files: 1, isIsolated: true });
console.log('| | | Time | CPU of the workers | Most memory of a process |\n|---|---|---|---|---|');
for (const way of ways)
  for (const kind of [localSupabase, pglite]) {
    const { seconds, cpuSeconds, peakMib } = await measure(kind, way);
    console.log(
      `| ${way.name} | ${kind.name} | ${seconds.toFixed(1)} s | ${cpuSeconds.toFixed(1)} s | ${peakMib.toFixed(0)} MiB |`,
    );
  }
console.log(
  `\nload at the end ${loadavg()
    .map((load) => load.toFixed(1))
    .join(' ')}`,
);
await rm(folder, { recursive: true, force: true });
