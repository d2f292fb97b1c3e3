import { UnmetExpectationError } from '../target/assertion.ts';
import { serviceOf, type Audit, type AuditNeed } from '../audit/audit.ts';
import { createAuditContext } from '../audit/audit-context.ts';
import {
  createDeadlineScale,
  startDeadline,
  withDeadlineScale,
  withWaits,
  type DeadlineScale,
} from '../target/deadlines.ts';
import { collectEvidence, type Evidence } from './evidence.ts';
import { hasProductSchema, isWithoutSubscription, needsSchema } from '../schema/product-schema.ts';
import { createChangeTables } from '../schema/change-tables.ts';
import { createAuditRun, type AuditRun } from '../target/run.ts';
import { NotRunError, type ConformanceTarget } from '../target/target.ts';
import { readTargetSettings, type TargetSettings } from '../target/target-settings.ts';
import { watchTarget } from './watched-target.ts';
import { UnexpectedResponseError } from '../target/wire.ts';

export type AuditOutcome =
  | { readonly status: 'passed' }
  | ({ readonly status: 'failed' } & Evidence)
  | { readonly status: 'not-run'; readonly reason: string };

/** The result of one audit. `known` is the reason of an expected failure. */
export interface AuditResult {
  readonly audit: Audit;
  readonly outcome: AuditOutcome;
  readonly known: string | null;
  readonly durationMs: number;
}

export interface RunOptions {
  /** Audits that are known to fail on this target, by id, with the reason. They run, too. */
  readonly knownFailing?: ReadonlyMap<string, string>;
  /** The number of concurrent audits. Default 4. */
  readonly concurrency?: number;
  /** The timeout of one audit in milliseconds, extended on a slow target. Default 30,000. */
  readonly timeoutMs?: number;
  /**
   * The wait before the retry of a rate-limited request whose response names no time, in milliseconds; at most 12
   * retries per request. Default 5000.
   */
  readonly limitPauseMs?: number;
  /** Collects the test data of the audits, for `removeRun`. Default: a new run. */
  readonly run?: AuditRun;
  /** Extends deadlines for a slow target. Default: measures the run's round trips. */
  readonly scale?: DeadlineScale;
  /** Called with each result, in the order in which the audits end. */
  readonly onResult?: (result: AuditResult) => void;
  /** Ends the run: started audits finish, the others are reported as not run. */
  readonly signal?: AbortSignal;
}

/** Runs audits against a target. The results have the order of the audits. */
export async function runAudits(
  audits: readonly Audit[],
  target: ConformanceTarget,
  {
    knownFailing = new Map(),
    concurrency = 4,
    timeoutMs = 30_000,
    limitPauseMs = 5000,
    run = createAuditRun(),
    signal,
    onResult,
    scale = createDeadlineScale(),
  }: RunOptions = {},
): Promise<readonly AuditResult[]> {
  if (audits.some(({ area }) => area === 'realtime')) await createChangeTables(target);
  const settings = await readTargetSettings(createAuditContext(target).auth);
  const missingSchema = (await hasProductSchema(target)) ? undefined : 'protocol/product.md';
  const results: AuditResult[] = [];
  let next = 0;
  const work = async () => {
    for (let index = next++; index < audits.length; index = next++) {
      const audit = audits[index];
      if (!audit) return;
      const startedMs = performance.now();
      const outcome = signal?.aborted
        ? ({ status: 'not-run', reason: 'the run was interrupted' } as const)
        : await runAudit(audit, target, { run, settings, missingSchema, timeoutMs, limitPauseMs, scale });
      const known = knownFailing.get(audit.id) ?? null;
      const result = { audit, outcome, known, durationMs: performance.now() - startedMs };
      results[index] = result;
      onResult?.(result);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, work));
  return results;
}

interface AuditConditions {
  readonly run: AuditRun;
  readonly settings: TargetSettings;
  /** The section about the tables that the target lacks. */
  readonly missingSchema: string | undefined;
  readonly timeoutMs: number;
  readonly limitPauseMs: number;
  readonly scale: DeadlineScale;
}

/** An auth service alone is a target too. */
const serves = ({ restUrl, realtimeUrl, storageUrl }: ConformanceTarget, service: string): boolean =>
  ({ rest: restUrl, realtime: realtimeUrl, storage: storageUrl })[service] !== null;

async function runAudit(
  audit: Audit,
  target: ConformanceTarget,
  { run, settings, missingSchema, timeoutMs, limitPauseMs, scale: runScale }: AuditConditions,
): Promise<AuditOutcome> {
  const scale = withWaits(runScale);
  const recorded = watchTarget(target, { run, missingSchema, scale, limitPauseMs });
  const service = serviceOf(audit.area);
  if (!serves(target, service)) return { status: 'not-run', reason: `the target has no ${service} service` };
  const lacking = audit.needs.find((need) => !provides(target, need, settings));
  if (lacking) return { status: 'not-run', reason: `the target lacks: ${lacking}` };
  let cancel: (() => void) | undefined;
  const timeout = new Promise<never>((_resolve, reject) => {
    const expire = (passedMs: number) =>
      reject(new UnmetExpectationError(audit.title, `the audit did not end within ${passedMs} ms`));
    cancel = startDeadline(timeoutMs, expire, scale);
  });
  try {
    const task = withDeadlineScale(scale, () => audit.run(createAuditContext(recorded.watched, run)));
    await Promise.race([task, timeout]);
    return { status: 'passed' };
  } catch (problem) {
    const reason = problem instanceof Error ? problem.message : String(problem);
    if (problem instanceof NotRunError) return { status: 'not-run', reason };
    const refused =
      problem instanceof UnexpectedResponseError ? settings.explain(problem.response) : undefined;
    const setting = refused ?? settings.explainGate(recorded.codes);
    if (setting !== undefined)
      return { status: 'not-run', reason: `the target's settings forbid it: ${setting}` };
    if (missingSchema !== undefined && isWithoutSubscription(reason))
      return { status: 'not-run', reason: needsSchema(missingSchema) };
    return { status: 'failed', ...collectEvidence(audit, problem, recorded, target) };
  } finally {
    cancel?.();
  }
}

function provides(
  { mailboxUrl, query, serviceKey, smsInMailbox }: ConformanceTarget,
  need: AuditNeed,
  settings: TargetSettings,
): boolean {
  switch (need) {
    case 'database':
      return query !== undefined;
    case 'email-confirmation':
      return !settings.isEmailAutoconfirmed;
    case 'mailbox':
      return mailboxUrl !== null;
    case 'phone-confirmation':
      return settings.confirmsPhones;
    case 'service-key':
      return serviceKey !== null;
    case 'sms':
      return mailboxUrl !== null && smsInMailbox;
  }
}

/** Whether a result fails the run: an unknown failure of a MUST, or a known failure that passed. */
export function isUnexpected({ audit, outcome, known }: AuditResult): boolean {
  if (outcome.status === 'passed') return known !== null;
  return outcome.status === 'failed' && known === null && audit.level === 'MUST';
}
