/** Runs audits on the instrumented copy of the embedded Supabase. Some faults end this process. */
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import type { InstrumenterContext } from '@stryker-mutator/api/core';
import type * as LocalSupabaseModule from 'local-supabase';
import type { Audit } from '../src/audit/audit.ts';
import { chooseAudits } from '../src/audits/audits.ts';
import { runAudits, type AuditResult } from '../src/runner/runner.ts';
import { createDeadlineScale } from '../src/target/deadlines.ts';
import { createHookServer } from '../src/target/hook-server.ts';
import { otherAuthServers, startAuthServer, type AuthServer } from '../test/auth-servers.ts';

/** An audit that passes without a fault, and how often it executes each place of a fault. */
export interface AuditCoverage {
  readonly id: string;
  /** The first server on which it passes. */
  readonly server: string;
  readonly durationMs: number;
  readonly executions: Readonly<Record<string, number>>;
}

export interface ServiceCoverage {
  readonly audits: readonly AuditCoverage[];
  /** The places that are executed at load. If nothing else executes them, a fault cannot be switched on there. */
  readonly atLoad: readonly string[];
  /** How often the start of each server, which precedes its audits, executes each place. */
  readonly atStart: Readonly<Partial<Record<string, Readonly<Record<string, number>>>>>;
}

/** The faulty place and the audits that execute it, in their order, by their server. */
export interface MutantJob {
  readonly mutant: string;
  readonly executions: number;
  readonly audits: Readonly<Record<string, readonly string[]>>;
}

export interface MutantReply {
  /** The audit that fails because of the fault. */
  readonly failure: string | null;
  /** An audit that is not run because of it: the fault looks like a setting of the target. */
  readonly notRun: string | null;
}

const [entry = '', service = ''] = process.argv.slice(2);
// The code that StrykerJS inserts reads it at load.
const context: InstrumenterContext = {};
Reflect.set(globalThis, '__stryker__', context);
const { createDatabasePool, createLocalSupabase } = (await import(
  pathToFileURL(entry).href
)) as typeof LocalSupabaseModule;
const databases = createDatabasePool();
const hooks = await createHookServer(0);

interface AuditedServer extends AuthServer {
  readonly realtime?: LocalSupabaseModule.LocalSupabaseOptions['realtime'];
  /** Audits that also run here, although they pass on an earlier server. */
  readonly repeated?: readonly string[];
}

const otherServers: Readonly<Record<string, readonly AuditedServer[]>> = {
  auth: otherAuthServers,
  realtime: [
    {
      name: 'a server that polls and has a limit of messages',
      auth: {},
      realtime: { maxEventsPerSecond: 10, pollIntervalMs: 50 },
      repeated: ['RT-104', 'RT-105', 'RT-113'],
    },
  ],
};

/** The default server, and those of other settings. */
const servers: readonly AuditedServer[] = [
  { name: 'the default server', auth: {} },
  ...(otherServers[service] ?? []),
];
type Server = Awaited<ReturnType<typeof startAuthServer>>;

const start = (server: AuditedServer): Promise<Server> =>
  startAuthServer(createLocalSupabase, server, hooks, {
    databases,
    auth: { mailResponseMs: 0 },
    ...(server.realtime && { realtime: server.realtime }),
    report: () => undefined,
  });

/** Runs audits until one fails. */
async function run({ target }: Server, audits: readonly Audit[]): Promise<readonly AuditResult[]> {
  const ended = new AbortController();
  return runAudits(audits, target, {
    concurrency: 8,
    timeoutMs: 15_000,
    // Deadlines stay as short as on a fast server: some faults are noticed by them.
    scale: { ...createDeadlineScale(), record: () => undefined },
    signal: ended.signal,
    onResult: ({ outcome }) => {
      if (outcome.status === 'failed') ended.abort();
    },
  });
}

/** Runs the audits that pass on none of the earlier servers, and the repeated ones. */
async function coverOn(
  server: AuditedServer,
  earlier: readonly AuditCoverage[],
): Promise<readonly AuditCoverage[]> {
  context.currentTestId = server.name;
  const started = await start(server);
  const passed: AuditCoverage[] = [];
  for (const audit of chooseAudits({ only: service, set: 'server' })) {
    if (earlier.some(({ id }) => id === audit.id) && !server.repeated?.includes(audit.id)) continue;
    // Else the first audit alone would execute what reads the schema.
    await started.supabase.database.query("notify pgrst, 'reload schema'");
    await started.supabase.database.query('notify realtime_schema');
    const testId = `${audit.id} on ${server.name}`;
    context.currentTestId = testId;
    const [result] = await run(started, [audit]);
    if (result?.outcome.status === 'passed')
      passed.push({
        id: audit.id,
        server: server.name,
        durationMs: result.durationMs,
        executions: context.mutantCoverage?.perTest[testId] ?? {},
      });
  }
  await started.supabase.close();
  return passed;
}

async function cover(): Promise<ServiceCoverage> {
  const audits: AuditCoverage[] = [];
  for (const server of servers) audits.push(...(await coverOn(server, audits)));
  const { static: atLoad = {}, perTest: atStart = {} } = context.mutantCoverage ?? {};
  return { audits, atLoad: Object.keys(atLoad), atStart };
}

const firstOf = (results: readonly AuditResult[], status: 'failed' | 'not-run'): Audit | undefined =>
  results.find(({ outcome }) => outcome.status === status)?.audit;

/**
 * The first audit that fails, among others and by itself: on a busy machine an audit also fails because it waits too long.
 * The fast ones run first, because most faults are noticed by them.
 */
async function findFailure(server: Server, audits: readonly string[]): Promise<MutantReply> {
  let notRun: string | null = null;
  for (let begin = 0, size = 8; begin < audits.length; begin += size, size = 24) {
    let part = chooseAudits({ only: audits.slice(begin, begin + size).join(',') });
    let results = await run(server, part);
    let failed = firstOf(results, 'failed');
    while (failed) {
      const { id } = failed;
      const [again] = await run(server, [failed]);
      if (again?.outcome.status !== 'passed') return { failure: id, notRun };
      part = part.filter((audit) => audit.id !== id);
      results = await run(server, part);
      failed = firstOf(results, 'failed');
    }
    notRun ??= firstOf(results, 'not-run')?.id ?? null;
  }
  return { failure: null, notRun };
}

async function findNoticing({ mutant, executions, audits }: MutantJob): Promise<MutantReply> {
  let notRun: string | null = null;
  for (const server of servers) {
    const ids = audits[server.name] ?? [];
    if (ids.length === 0) continue;
    Object.assign(context, { activeMutant: mutant, hitCount: 0, hitLimit: executions * 20 + 1000 });
    const started = await start(server).catch(() => null);
    const found: MutantReply = started
      ? await findFailure(started, ids).catch((problem: unknown) => ({ failure: String(problem), notRun }))
      : { failure: 'the start', notRun };
    delete context.activeMutant;
    // What the fault has left may never close.
    await Promise.race([started?.supabase.close().catch(() => undefined), sleep(3000)]);
    notRun ??= found.notRun;
    if (found.failure !== null) return found;
  }
  return { failure: null, notRun };
}

// A fault may reject where nothing waits; what it breaks is for the audits to say.
process.on('unhandledRejection', () => undefined);
process.on('uncaughtException', () => undefined);
process.on('message', (job: MutantJob) => void findNoticing(job).then((reply) => process.send?.(reply)));
if (process.argv.includes('--cover')) process.send?.(await cover());
