#!/usr/bin/env node
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Pool } from 'pg';
import type { ClientAdapter } from '../src/target/client-adapter.ts';
import { setOf, type Audit } from '../src/audit/audit.ts';
import { createAuditContext } from '../src/audit/audit-context.ts';
import { audits as allAudits, chooseAudits, hasClientAudits, portableAudits } from '../src/audits/audits.ts';
import { removeLibrary, removeRun } from '../src/schema/cleanup.ts';
import { compareReports, formatComparison, parseReport } from '../src/reports/comparison.ts';
import { createDeadlineScale } from '../src/target/deadlines.ts';
import { createHookServer } from '../src/target/hook-server.ts';
import { findForeignUsers } from '../src/schema/foreign-users.ts';
import { formatHtml } from '../src/reports/html-report.ts';
import { parseKnownFailing } from '../src/runner/known-failing.ts';
import { awaitLiveTables } from '../src/audits/realtime/live-tables.ts';
import { createReport, suiteVersion, type ConformanceReport } from '../src/reports/report.ts';
import { formatJson, formatJUnit, formatText } from '../src/reports/reports.ts';
import { createAuditRun, type AuditRun } from '../src/target/run.ts';
import { runAudits } from '../src/runner/runner.ts';
import type { ConformanceTarget } from '../src/target/target.ts';
import { applySchema, readSchemaSql, removeSchema } from '../src/schema/schema-sql.ts';
import { loadChosenClient } from './chosen-client.ts';
import { describeFailure } from '../src/runner/watched-target.ts';
import { createLocalTarget, startLocalSupabase } from './local-target.ts';
import { parseOptions, usage, type CommandOptions } from './options.ts';
import { createRemoteTarget } from './remote-target.ts';

async function readKnownFailing(file: string | URL | null): Promise<ReadonlyMap<string, string>> {
  if (file === null) return new Map();
  const known = parseKnownFailing(await readFile(file, 'utf8'));
  const withoutAudit = [...known.keys()].filter((id) => !allAudits.some((audit) => audit.id === id));
  // Only a warning: those of clients are missing where the clients are not installed.
  if (withoutAudit.length > 0)
    console.error(`${String(file)} names audits that are not installed: ${withoutAudit.join(', ')}`);
  return known;
}

async function writeReports(report: ConformanceReport, folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'conformance.xml'), formatJUnit(report));
  await writeFile(join(folder, 'conformance.json'), formatJson(report));
  await writeFile(join(folder, 'conformance.html'), formatHtml(report));
  console.log(formatText(report));
  const { passed, failed, known, notRun } = report.counts;
  const counts = `${passed} passed, ${failed} failed, ${known} known to fail, ${notRun} not run`;
  console.log(`\n${report.run.url}: ${counts}\n${join(folder, 'conformance.html')}`);
}

/** Reports progress after each tenth of the run. */
function reportProgress(total: number): () => void {
  let done = 0;
  return () => {
    done += 1;
    if (total >= 100 && Math.floor((done * 10) / total) > Math.floor(((done - 1) * 10) / total))
      console.error(`${done} of ${total} audits`);
  };
}

interface CommandRun {
  readonly audits: readonly Audit[];
  readonly target: ConformanceTarget;
  readonly run: AuditRun;
  readonly options: CommandOptions;
  readonly knownFailing: ReadonlyMap<string, string>;
  readonly signal?: AbortSignal;
}

async function auditAndReport({ audits, target, run, options, ...rest }: CommandRun): Promise<number> {
  const startedAt = new Date().toISOString();
  const scale = createDeadlineScale();
  const concurrency = Number(options.concurrency);
  const results = await runAudits(audits, target, {
    ...rest,
    run,
    scale,
    concurrency,
    onResult: reportProgress(audits.length),
  });
  const hasClients = audits.some(({ area }) => setOf(area) === 'client');
  const report = createReport(results, {
    id: run.id,
    startedAt,
    url: target.authUrl.replace(/\/auth\/v1$/, ''),
    client: (hasClients && target.client?.name) || 'no client',
    roundTripMs: Math.round(scale.roundTripMs()),
  });
  await writeReports(report, options.reports);
  return report.audits.some(({ unexpected }) => unexpected) ? 1 : 0;
}

async function auditLocal(
  audits: readonly Audit[],
  options: CommandOptions,
  client: ClientAdapter | undefined,
): Promise<number> {
  const local = await startLocalSupabase();
  try {
    const list = options.known ?? new URL('local-known-failing.txt', import.meta.url);
    const knownFailing = await readKnownFailing(list);
    const target = { ...createLocalTarget(local), ...(client && { client }) };
    return await auditAndReport({ audits, target, run: createAuditRun(), options, knownFailing });
  } finally {
    await local.close();
  }
}

async function clean(target: ConformanceTarget, run: AuditRun | string): Promise<void> {
  const { users, keptUsers, buckets } = await removeRun(target, run);
  console.log(`Removed ${users} users and ${buckets} buckets of the run.`);
  if (keptUsers > 0)
    console.log(
      `${keptUsers} users could not be removed: do tables of the project refer to auth.users without "on delete cascade"?`,
    );
}

/** The signals of a terminal and of a supervisor, with the exit codes of shells. */
const interruptions = [
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const;

/** Audits a remote target: an interruption ends the run and removes the test data. */
async function auditRemote(
  audits: readonly Audit[],
  target: ConformanceTarget,
  options: CommandOptions,
): Promise<number> {
  const foreign = options['allow-foreign-users'] ? null : await findForeignUsers(target);
  if (foreign !== null)
    throw new Error(`The audits were not started: ${foreign}. --allow-foreign-users runs them anyway.`);
  const knownFailing = await readKnownFailing(options.known ?? null);
  const removeTables = options['apply-schema'] ? await applySchema(target) : null;
  const run = createAuditRun();
  const interruption = new AbortController();
  for (const [name, exitCode] of interruptions)
    process.once(name, () => {
      interruption.abort(exitCode);
      console.log(
        'Interrupted: waiting for the running audits. A second interruption leaves what they created.',
      );
    });
  console.log(`Run ${run.id}`);
  try {
    if (removeTables && target.realtimeUrl !== null) await notifyWhenLive(target, run);
    const { signal } = interruption;
    const exitCode = await auditAndReport({ audits, target, run, options, knownFailing, signal });
    return signal.aborted ? Number(signal.reason) : exitCode;
  } finally {
    try {
      await removeTables?.();
    } finally {
      if (target.serviceKey === null) {
        console.log('Test data was not removed: no service key was given.');
        if (!options.keep) await removeLibrary(target);
      } else if (!options.keep) await clean(target, run);
    }
  }
}

/** Waits for live changes. The audits run in any case and report what the realtime service lacks. */
async function notifyWhenLive(target: ConformanceTarget, run: AuditRun): Promise<void> {
  try {
    if (await awaitLiveTables(createAuditContext(target, run))) return;
    console.log('The realtime service delivers no changes of the new tables.');
  } catch (problem) {
    console.log(`The realtime service delivers no changes of the new tables: ${describeFailure(problem)}`);
  }
}

async function compare(files: readonly string[]): Promise<number> {
  const [earlier, later] = files;
  if (earlier === undefined || later === undefined) throw new Error('--compare needs two JSON reports');
  const read = async (file: string) => parseReport(await readFile(file, 'utf8'), file);
  const comparison = compareReports(await read(earlier), await read(later));
  console.log(formatComparison(comparison));
  return comparison.isWorse ? 1 : 0;
}

async function main(): Promise<number> {
  const { values: options, positionals } = parseOptions(process.argv.slice(2));
  if (options.help || options.version) {
    console.log(options.help ? usage : suiteVersion);
    return 0;
  }
  if (options['print-schema']) {
    console.log(await readSchemaSql('apply'));
    return 0;
  }
  if (options.compare) return compare(positionals);
  const isOtherClient = options.client !== undefined || options['client-command'] !== undefined;
  const client = await loadChosenClient(options);
  const all = chooseAudits(isOtherClient ? { set: 'client', ...options } : options);
  // An adapter drives another client than ours, so the audits of our clients are left out.
  const audits = isOtherClient
    ? all.filter((audit) => setOf(audit.area) === 'server' || portableAudits.includes(audit))
    : all;
  if (options.set !== 'server' && !hasClientAudits && !isOtherClient)
    console.log('The audits of clients are not run: supabase-protocol-clients is not installed.');
  const { url, clean: earlierRun, 'database-url': databaseUrl } = options;
  if (url === undefined) return auditLocal(audits, options, client);
  const pool = databaseUrl === undefined ? null : new Pool({ connectionString: databaseUrl });
  const hooksPort = options['hooks-port'];
  const hooks = hooksPort === undefined ? undefined : await createHookServer(Number(hooksPort));
  try {
    const remote = await createRemoteTarget(url, options, pool);
    const target = { ...remote, ...(client && { client }), ...(hooks && { hooks }) };
    if (earlierRun === undefined) return await auditRemote(audits, target, options);
    if (pool) await removeSchema(target);
    await clean(target, earlierRun);
    return 0;
  } finally {
    await hooks?.close();
    await pool?.end();
  }
}

try {
  process.exitCode = await main();
} catch (problem) {
  const isUnreachable = problem instanceof TypeError && problem.message === 'fetch failed';
  if (isUnreachable) console.error(`The server cannot be reached: ${describeFailure(problem)}`);
  else console.error(problem instanceof Error ? problem.message : problem);
  process.exitCode = 2;
}
