import { NotRunError, type Audit, type AuditNeed } from './audit.ts';
import { createAuditContext, type AuditContext } from './audit-context.ts';
import { NoMailError } from './mailbox.ts';
import type { ConformanceTarget } from './target.ts';
import { readTargetSettings, type TargetSettings } from './target-settings.ts';
import { UnexpectedReplyError } from './wire.ts';

export type AuditOutcome =
  | { readonly status: 'passed' }
  | { readonly status: 'failed'; readonly reason: string }
  | { readonly status: 'not-run'; readonly reason: string };

/** What became of one audit. `known` is the reason for which it was expected to fail, if it was. */
export interface AuditResult {
  readonly audit: Audit;
  readonly outcome: AuditOutcome;
  readonly known: string | null;
  readonly durationMs: number;
}

export interface RunOptions {
  /** Ids of audits that are known to fail on this target, with the reason. They run all the same. */
  readonly knownFailing?: ReadonlyMap<string, string>;
  /** How many audits run at the same time. Default 4. */
  readonly concurrency?: number;
  /** Longest time in milliseconds for one audit. Default 30,000. */
  readonly timeoutMs?: number;
}

/** Runs audits against a target. The results stand in the order of the audits. */
export async function runAudits(
  audits: readonly Audit[],
  target: ConformanceTarget,
  { knownFailing = new Map(), concurrency = 4, timeoutMs = 30_000 }: RunOptions = {},
): Promise<readonly AuditResult[]> {
  const context = createAuditContext(target);
  const settings = await readTargetSettings(context.auth);
  const results: AuditResult[] = [];
  let next = 0;
  const work = async () => {
    for (let index = next++; index < audits.length; index = next++) {
      const audit = audits[index];
      if (!audit) return;
      const startedMs = performance.now();
      const outcome = await runAudit(audit, context, settings, timeoutMs);
      results[index] = {
        audit,
        outcome,
        known: knownFailing.get(audit.id) ?? null,
        durationMs: performance.now() - startedMs,
      };
    }
  };
  await Promise.all(Array.from({ length: concurrency }, work));
  return results;
}

async function runAudit(
  audit: Audit,
  context: AuditContext,
  settings: TargetSettings,
  timeoutMs: number,
): Promise<AuditOutcome> {
  const lacking = audit.needs.find((need) => !provides(context.target, need));
  if (lacking) return { status: 'not-run', reason: `the target lacks: ${lacking}` };
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`not finished within ${timeoutMs} ms`)), timeoutMs);
  });
  try {
    await Promise.race([audit.run(context), timeout]);
    return { status: 'passed' };
  } catch (problem) {
    const setting = explainFailure(problem, settings);
    if (setting !== undefined)
      return { status: 'not-run', reason: `the target's settings forbid it: ${setting}` };
    const reason = problem instanceof Error ? problem.message : String(problem);
    return { status: problem instanceof NotRunError ? 'not-run' : 'failed', reason };
  } finally {
    clearTimeout(timer);
  }
}

/** The setting of the target that explains a failure; undefined where none does. */
function explainFailure(problem: unknown, settings: TargetSettings): string | undefined {
  if (problem instanceof UnexpectedReplyError) return settings.explain(problem.reply);
  return problem instanceof NoMailError && settings.isEmailAutoconfirmed ? 'mailer_autoconfirm' : undefined;
}

function provides({ mailboxUrl, serviceKey, smsInMailbox }: ConformanceTarget, need: AuditNeed): boolean {
  switch (need) {
    case 'mailbox':
      return mailboxUrl !== null;
    case 'service-key':
      return serviceKey !== null;
    case 'sms':
      return mailboxUrl !== null && smsInMailbox;
  }
}

/** Whether a result speaks against the target: a MUST that failed unknown, or a known failure that passed. */
export function isUnexpected({ audit, outcome, known }: AuditResult): boolean {
  if (outcome.status === 'passed') return known !== null;
  return outcome.status === 'failed' && known === null && audit.level === 'MUST';
}
