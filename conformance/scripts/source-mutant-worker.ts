/** Runs audits on the instrumented copy of the embedded Supabase. Some faults end this process. */
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import type { InstrumenterContext } from '@stryker-mutator/api/core';
import type * as LocalSupabaseModule from 'local-supabase';
import { createLocalTarget } from '../bin/local-target.ts';
import type { Audit } from '../src/audit/audit.ts';
import { chooseAudits } from '../src/audits/audits.ts';
import { runAudits, type AuditResult } from '../src/runner/runner.ts';
import { createDeadlineScale } from '../src/target/deadlines.ts';

/** An audit that passes without a fault, and how often it executes each place of a fault. */
export interface AuditCoverage {
  readonly id: string;
  readonly durationMs: number;
  readonly executions: Readonly<Record<string, number>>;
}

export interface ServiceCoverage {
  readonly audits: readonly AuditCoverage[];
  /** The places that are executed at load. If nothing else executes them, a fault cannot be switched on there. */
  readonly atLoad: readonly string[];
  /** How often the start of a server, which precedes every audit, executes each place. */
  readonly atStart: Readonly<Record<string, number>>;
}

/** The faulty place and the audits that execute it, in their order. */
export interface MutantJob {
  readonly mutant: string;
  readonly executions: number;
  readonly audits: readonly string[];
}

const [entry = '', service = ''] = process.argv.slice(2);
// The code that StrykerJS inserts reads it at load.
const context: InstrumenterContext = {};
Reflect.set(globalThis, '__stryker__', context);
const { createDatabasePool, createLocalSupabase } = (await import(
  pathToFileURL(entry).href
)) as typeof LocalSupabaseModule;
const databases = createDatabasePool();
const start = () =>
  createLocalSupabase({
    config: false,
    databases,
    port: 0,
    mailboxPort: 0,
    auth: { bcryptCost: 4, mailResponseMs: 0 },
    report: () => undefined,
  });

/** Runs audits until one fails. */
async function run(
  supabase: LocalSupabaseModule.LocalSupabase,
  audits: readonly Audit[],
): Promise<readonly AuditResult[]> {
  const ended = new AbortController();
  return runAudits(audits, createLocalTarget(supabase), {
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

async function cover(): Promise<ServiceCoverage> {
  context.currentTestId = 'start';
  const supabase = await start();
  const passed: AuditCoverage[] = [];
  for (const audit of chooseAudits({ only: service, set: 'server' })) {
    // Else the first audit alone would execute what reads the schema.
    await supabase.database.query("notify pgrst, 'reload schema'");
    context.currentTestId = audit.id;
    const [result] = await run(supabase, [audit]);
    const executions = context.mutantCoverage?.perTest[audit.id] ?? {};
    if (result?.outcome.status === 'passed')
      passed.push({ id: audit.id, durationMs: result.durationMs, executions });
  }
  await supabase.close();
  const { static: atLoad = {}, perTest = {} } = context.mutantCoverage ?? {};
  return { audits: passed, atLoad: Object.keys(atLoad), atStart: perTest['start'] ?? {} };
}

/** The first audit that fails. The fast ones run first, because most faults are noticed by them. */
async function findFailure(
  supabase: LocalSupabaseModule.LocalSupabase,
  audits: readonly string[],
): Promise<string | null> {
  for (let begin = 0, size = 8; begin < audits.length; begin += size, size = 24) {
    const part = chooseAudits({ only: audits.slice(begin, begin + size).join(',') });
    const results = await run(supabase, part);
    const failed = results.find(({ outcome }) => outcome.status === 'failed');
    if (failed) return failed.audit.id;
  }
  return null;
}

async function findNoticing({ mutant, executions, audits }: MutantJob): Promise<string | null> {
  Object.assign(context, { activeMutant: mutant, hitCount: 0, hitLimit: executions * 20 + 1000 });
  const supabase = await start().catch(() => null);
  const failure = supabase ? await findFailure(supabase, audits).catch(String) : 'the start';
  delete context.activeMutant;
  // What the fault has left may never close.
  await Promise.race([supabase?.close().catch(() => undefined), sleep(3000)]);
  return failure;
}

// A fault may reject where nothing waits; what it breaks is for the audits to say.
process.on('unhandledRejection', () => undefined);
process.on('uncaughtException', () => undefined);
process.on(
  'message',
  (job: MutantJob) => void findNoticing(job).then((failure) => process.send?.({ failure })),
);
if (process.argv.includes('--cover')) process.send?.(await cover());
