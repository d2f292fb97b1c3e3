/**
 * `npm run test:mutants:audits -- --service storage --seed 1 --count 60`: draws faults of the embedded Supabase's services
 * by a seed, made by the rules of StrykerJS, runs the audits that execute each, and lists the faults that no audit notices.
 */
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import * as fc from 'fast-check';
import { Instrumenter } from '@stryker-mutator/instrumenter';
import type { Mutant } from '@stryker-mutator/api/core';
import type { Logger } from '@stryker-mutator/api/logging';
import { createMachineFilter } from './machine-places.ts';
import type { AuditCoverage, MutantJob, MutantReply, ServiceCoverage } from './source-mutant-worker.ts';

const { values } = parseArgs({
  options: {
    service: { type: 'string', default: 'storage' },
    seed: { type: 'string', default: '1' },
    count: { type: 'string', default: '60' },
    /** Only these faults, by the ids of an earlier draw, separated by commas. */
    ids: { type: 'string' },
    /** With what no client of a real service can observe (`machine-places.ts`). */
    all: { type: 'boolean', default: false },
  },
});
const root = fileURLToPath(new URL('../..', import.meta.url));
const copy = join(root, 'test-results/source-mutants');
const timeoutMs = 300_000;
const silentLogger = new Proxy({} as Logger, { get: () => () => false });

/** Copies the embedded Supabase, and inserts every fault of the service into the copy, each switched off. */
async function instrument(service: string): Promise<readonly Mutant[]> {
  rmSync(copy, { recursive: true, force: true });
  cpSync(join(root, 'local-supabase'), copy, {
    recursive: true,
    filter: (path) => !/node_modules|local-supabase\/(test|docs|examples)$/.test(path),
  });
  const folder = join(copy, 'src/services', service);
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => ({
      name: join(folder, name),
      mutate: true,
      content: readFileSync(join(folder, name), 'utf8'),
    }));
  const instrumented = await new Instrumenter(silentLogger).instrument(files, {
    plugins: null,
    excludedMutations: [],
    ignorers: [],
  });
  for (const { name, content } of instrumented.files) writeFileSync(name, content);
  return instrumented.mutants;
}

function startWorker(...options: readonly string[]): ChildProcess {
  const worker = fileURLToPath(new URL('source-mutant-worker.ts', import.meta.url));
  return fork(worker, [join(copy, 'src/entries/index.ts'), values.service, ...options], {
    cwd: root,
    execArgv: ['--import', 'tsx'],
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
}

/** The next message of a worker; undefined: it ended, or took too long. */
async function nextMessage<T>(worker: ChildProcess, withinMs: number): Promise<T | undefined> {
  const ended = new AbortController();
  const { signal } = ended;
  try {
    const [message] = await Promise.race([
      once(worker, 'message', { signal }),
      once(worker, 'exit', { signal }).then(() => []),
      sleep(withinMs, [], { signal }),
    ]);
    return message as T | undefined;
  } finally {
    ended.abort();
  }
}

async function readCoverage(): Promise<ServiceCoverage> {
  const worker = startWorker('--cover');
  const coverage = await nextMessage<ServiceCoverage>(worker, 1_800_000);
  worker.kill();
  if (!coverage?.audits.some(({ executions }) => Object.keys(executions).length > 0))
    throw new Error(`No audit of ${values.service} executes a place of a fault`);
  return coverage;
}

function draw(mutants: readonly Mutant[]): readonly Mutant[] {
  if (values.ids !== undefined) {
    const ids = values.ids.split(',');
    return mutants.filter(({ id }) => ids.includes(id));
  }
  const [order = []] = fc.sample(fc.shuffledSubarray([...mutants], { minLength: mutants.length }), {
    seed: Number(values.seed),
    numRuns: 1,
  });
  return order.slice(0, Number(values.count));
}

function formatMutant({ fileName, location: { start, end }, replacement }: Mutant): string {
  const name = relative(copy, fileName);
  const lines = readFileSync(join(root, 'local-supabase', name), 'utf8').split('\n');
  const before = lines[start.line]?.slice(start.column, start.line === end.line ? end.column : undefined);
  return `${name}:${start.line + 1} ${before} → ${replacement.replaceAll(/\s+/g, ' ')}`;
}

const mutants = await instrument(values.service);
const { audits, atLoad, atStart } = await readCoverage();
const executionsOf = (mutant: string, { executions, server }: AuditCoverage): number =>
  (executions[mutant] ?? 0) + (atStart[server]?.[mutant] ?? 0);
const coveringOf = (mutant: string): readonly AuditCoverage[] =>
  audits.filter((audit) => executionsOf(mutant, audit) > 0).toSorted((a, b) => a.durationMs - b.durationMs);
const loaded = new Set(atLoad);
const isOfMachine = createMachineFilter(join(root, 'local-supabase/src/services'));
const switchable = mutants.filter(({ id }) => !loaded.has(id) || coveringOf(id).length > 0);
const candidates =
  values.all || values.ids !== undefined
    ? switchable
    : switchable.filter(
        ({ fileName, location }) =>
          !isOfMachine(relative(join(copy, 'src/services'), fileName), location.start),
      );
console.log(
  `${values.service}: ${candidates.length} faults, and ${switchable.length - candidates.length} left out`,
);
const drawn = draw(candidates);
let worker = startWorker();
const counts = { noticed: 0, 'no longer run': 0, survived: 0, 'not executed': 0 };
for (const mutant of drawn) {
  const covering = coveringOf(mutant.id);
  const byServer: Record<string, string[]> = {};
  for (const { server, id } of covering) (byServer[server] ??= []).push(id);
  const job: MutantJob = {
    mutant: mutant.id,
    executions: covering.reduce((sum, audit) => sum + executionsOf(mutant.id, audit), 0),
    audits: byServer,
  };
  let { failure, notRun }: MutantReply = { failure: null, notRun: null };
  if (covering.length > 0) {
    worker.send(job);
    const reply = await nextMessage<MutantReply>(worker, timeoutMs);
    if (reply === undefined) {
      worker.kill('SIGKILL');
      worker = startWorker();
    }
    ({ failure, notRun } = reply ?? { failure: 'the end of the process', notRun });
  }
  const outcome =
    failure !== null
      ? 'noticed'
      : notRun !== null
        ? 'no longer run'
        : covering.length > 0
          ? 'survived'
          : 'not executed';
  counts[outcome] += 1;
  const by = failure ?? notRun;
  console.log(`${outcome} ${mutant.id} ${formatMutant(mutant)}${by === null ? '' : ` [${by}]`}`);
}
worker.kill();
rmSync(copy, { recursive: true, force: true });
console.log(
  `${values.service}: of ${drawn.length} faults, ${counts.noticed} are noticed, ${counts['no longer run']} end audits, ${counts.survived} do not, and no audit executes ${counts['not executed']}`,
);
