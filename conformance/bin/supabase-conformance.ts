import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Pool } from 'pg';
import type { LocalSupabase } from 'local-supabase';
import type { Audit } from '../src/audit.ts';
import { chooseAudits } from '../src/audits.ts';
import { parseKnownFailing } from '../src/known-failing.ts';
import { createLocalTarget } from './local-target.ts';
import { countResults, formatJson, formatJUnit, formatTable } from '../src/reports.ts';
import { isUnexpected, runAudits, type AuditResult, type RunOptions } from '../src/runner.ts';
import { createAuditRun, type AuditRun } from '../src/run.ts';
import { removeRun } from '../src/cleanup.ts';
import type { ConformanceTarget } from '../src/target.ts';

const usage = `npm run conformance -- [options]

Without --url the embedded Supabase is started and audited.

  --url URL            the project's URL, or with --only auth a bare auth server's
  --anon-key KEY       its public key
  --service-key KEY    its service role key; audits that need it are not run without it
  --jwt-secret SECRET  its legacy secret, to sign expired tokens; default that of the vendor's local stack
  --database-url URL   its database, for audits of what the database broadcasts; likewise
  --mailbox URL        a Mailpit that receives its mails; likewise
  --sms-in-mailbox     codes sent by SMS arrive there too
  --redirect-to URL    a page that its allow-list permits; default http://localhost:5173/home
  --set SET            server: plain HTTP and WebSocket judge the server; client: our clients are judged on it; default both
  --only NAME          auth, rest, realtime, storage or functions; with -client, its client alone; or the id of
                       one audit; with auth, --url is a bare auth server's unless --project is given
  --project            with --only auth: --url is a project's URL all the same
  --keep               keep what the run created; default with a service key: remove it at the end and after an interruption
  --clean RUN          only remove what an earlier run created, by the id that it printed
  --known FILE         known failures: "ID reason" a line; default for the embedded one: its own list
  --reports FOLDER     where JUnit and JSON reports are written; default reports
  --concurrency N      audits at the same time; default 4`;

const { values } = parseArgs({
  options: {
    url: { type: 'string' },
    'anon-key': { type: 'string', default: '' },
    'service-key': { type: 'string' },
    'jwt-secret': { type: 'string' },
    'database-url': { type: 'string' },
    mailbox: { type: 'string' },
    'sms-in-mailbox': { type: 'boolean', default: false },
    'redirect-to': { type: 'string', default: 'http://localhost:5173/home' },
    set: { type: 'string' },
    only: { type: 'string' },
    project: { type: 'boolean', default: false },
    keep: { type: 'boolean', default: false },
    clean: { type: 'string' },
    known: { type: 'string' },
    reports: { type: 'string', default: 'reports' },
    concurrency: { type: 'string', default: '4' },
    help: { type: 'boolean', default: false },
  },
});

function describeTarget(url: string, pool: Pool | null): ConformanceTarget {
  const root = url.replace(/\/$/, '');
  const isBareAuth = values.only?.startsWith('auth') === true && !values.project;
  return {
    authUrl: isBareAuth ? root : `${root}/auth/v1`,
    restUrl: isBareAuth ? null : `${root}/rest/v1`,
    storageUrl: isBareAuth ? null : `${root}/storage/v1`,
    realtimeUrl: isBareAuth ? null : `${root.replace(/^http/, 'ws')}/realtime/v1/websocket`,
    anonKey: values['anon-key'],
    serviceKey: values['service-key'] ?? null,
    ...(values['jwt-secret'] !== undefined && { jwtSecret: values['jwt-secret'] }),
    mailboxUrl: values.mailbox?.replace(/\/$/, '') ?? null,
    smsInMailbox: values['sms-in-mailbox'],
    redirectTo: values['redirect-to'],
    fetch: (input, init) => fetch(input, init),
    ...(pool && { query: async (text, values = []) => (await pool.query(text, [...values])).rows }),
  };
}

/** @throws {Error} where the optional package local-supabase is not installed. */
async function startLocalSupabase(): Promise<LocalSupabase> {
  const { createLocalSupabase } = await import('local-supabase').catch((cause: unknown) => {
    throw new Error('Name a server with --url, or install local-supabase to audit an embedded one.', {
      cause,
    });
  });
  return createLocalSupabase({ port: 0, mailboxPort: 0, auth: { bcryptCost: 4 } });
}

async function readKnownFailing(file: string | URL | null): Promise<ReadonlyMap<string, string>> {
  return file === null ? new Map() : parseKnownFailing(await readFile(file, 'utf8'));
}

async function writeReports(target: ConformanceTarget, results: readonly AuditResult[]): Promise<void> {
  await mkdir(values.reports, { recursive: true });
  await writeFile(join(values.reports, 'conformance.xml'), formatJUnit(results));
  await writeFile(join(values.reports, 'conformance.json'), formatJson(results));
  console.log(formatTable(results));
  const { passed, failed, known, notRun } = countResults(results);
  console.log(
    `\n${target.authUrl}: ${passed} passed, ${failed} failed, ${known} known to fail, ${notRun} not run`,
  );
}

async function clean(target: ConformanceTarget, run: AuditRun | string): Promise<void> {
  const { users, buckets } = await removeRun(target, run);
  console.log(`Removed ${users} users and ${buckets} buckets of the run.`);
}

/** Audits a target of others: an interruption ends the run, and what it created is removed. */
async function auditRemote(
  chosen: readonly Audit[],
  target: ConformanceTarget,
  options: RunOptions,
): Promise<readonly AuditResult[]> {
  const run = createAuditRun();
  const interruption = new AbortController();
  process.once('SIGINT', () => {
    interruption.abort();
    process.exitCode = 130;
  });
  console.log(`Run ${run.id}`);
  try {
    return await runAudits(chosen, target, { ...options, run, signal: interruption.signal });
  } finally {
    if (target.serviceKey === null) console.log('What the run created stays: no service key was given.');
    else if (!values.keep) await clean(target, run);
  }
}

async function main(): Promise<number> {
  if (values.help) {
    console.log(usage);
    return 0;
  }
  const chosen = chooseAudits(values);
  const { url, clean: earlierRun, 'database-url': databaseUrl } = values;
  const concurrency = Number(values.concurrency);
  if (url === undefined) {
    const local = await startLocalSupabase();
    try {
      const target = createLocalTarget(local);
      const list = values.known ?? new URL('local-known-failing.txt', import.meta.url);
      const knownFailing = await readKnownFailing(list);
      const results = await runAudits(chosen, target, { knownFailing, concurrency });
      await writeReports(target, results);
      return results.some(isUnexpected) ? 1 : 0;
    } finally {
      await local.close();
    }
  }
  const pool = databaseUrl === undefined ? null : new Pool({ connectionString: databaseUrl });
  try {
    const target = describeTarget(url, pool);
    if (earlierRun !== undefined) {
      await clean(target, earlierRun);
      return 0;
    }
    const knownFailing = await readKnownFailing(values.known ?? null);
    const results = await auditRemote(chosen, target, { knownFailing, concurrency });
    await writeReports(target, results);
    return results.some(isUnexpected) ? 1 : 0;
  } finally {
    await pool?.end();
  }
}

try {
  const exitCode = await main();
  process.exitCode ??= exitCode;
} catch (problem) {
  console.error(problem instanceof Error ? problem.message : problem);
  process.exitCode = 2;
}
