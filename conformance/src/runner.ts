import type { Audit, AuditNeed } from './audit.ts';
import { createAuditContext } from './audit-context.ts';
import { createAuditRun, type AuditRun } from './run.ts';
import { NotRunError, type ConformanceTarget } from './target.ts';
import { readTargetSettings, type TargetSettings } from './target-settings.ts';
import { at, parseJson, UnexpectedReplyError } from './wire.ts';

export type AuditOutcome =
  | { readonly status: 'passed' }
  | { readonly status: 'failed'; readonly reason: string }
  | { readonly status: 'not-run'; readonly reason: string };

/** The result of one audit. `known` is the reason of an expected failure. */
export interface AuditResult {
  readonly audit: Audit;
  readonly outcome: AuditOutcome;
  readonly known: string | null;
  readonly durationMs: number;
}

export interface RunOptions {
  /** Ids of audits that are known to fail on this target, with the reason. They run too. */
  readonly knownFailing?: ReadonlyMap<string, string>;
  /** The number of concurrent audits. Default 4. */
  readonly concurrency?: number;
  /** The timeout of one audit in milliseconds. Default 30,000. */
  readonly timeoutMs?: number;
  /** Collects what the audits create, for `removeRun`. Default: a run of its own. */
  readonly run?: AuditRun;
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
    run = createAuditRun(),
    signal,
  }: RunOptions = {},
): Promise<readonly AuditResult[]> {
  const settings = await readTargetSettings(createAuditContext(target).auth);
  const missingSchema = (await hasSchema(target)) ? undefined : 'protocol/product.md';
  const results: AuditResult[] = [];
  let next = 0;
  const work = async () => {
    for (let index = next++; index < audits.length; index = next++) {
      const audit = audits[index];
      if (!audit) return;
      const startedMs = performance.now();
      const outcome = signal?.aborted
        ? ({ status: 'not-run', reason: 'the run was interrupted' } as const)
        : await runAudit(audit, target, run, { settings, missingSchema, timeoutMs });
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

interface AuditConditions {
  readonly settings: TargetSettings;
  /** The section that describes the tables that the target lacks. */
  readonly missingSchema: string | undefined;
  readonly timeoutMs: number;
}

interface WatchedTarget {
  readonly watched: ConformanceTarget;
  /** The error codes of the auth service's refusals. */
  readonly codes: readonly string[];
}

/** A target for one audit that records refusals, and the users that the audit creates. */
function watchTarget(
  target: ConformanceTarget,
  run: AuditRun,
  missingSchema: string | undefined,
): WatchedTarget {
  const codes: string[] = [];
  return {
    codes,
    watched: {
      ...target,
      async fetch(input, init) {
        const response = await target.fetch(input, init);
        const code = response.headers.get('x-sb-error-code');
        if (code !== null) codes.push(code);
        if (missingSchema !== undefined && (await isUnknownToRest(response)))
          throw new NotRunError(needsSchema(missingSchema));
        if (init.method === 'POST' && response.ok && input.startsWith(target.authUrl))
          recordUser(parseJson(await response.clone().text()), run);
        return response;
      },
    },
  };
}

/** PostgREST's codes for a relation and for a function that it does not have. */
const UNKNOWN_TO_REST: ReadonlySet<unknown> = new Set(['PGRST205', 'PGRST202']);

async function isUnknownToRest(response: Response): Promise<boolean> {
  if (response.status !== 404) return false;
  const json = parseJson(await response.clone().text());
  return UNKNOWN_TO_REST.has(at(json, 'code')) && OWN_NAMES.test(String(at(json, 'message')));
}

/** What `protocol/product.md` describes; audits name unknown relations too, and expect to be refused. */
const OWN_NAMES =
  /\bpublic\.(?:notification\w*|muted_threads|blocked_senders|invitations|\w+_invitation|unsubscribe\w*)\b/;

/** How a subscription to a table that is not there ends, and a join of a private topic without its policy. */
const NO_SUBSCRIPTION =
  /system ok did not arrive; received .*system:error|permissions to read from this Channel topic: user:/;

const needsSchema = (section: string): string => `needs the schema of ${section}, which the target lacks`;

/** Whether the target has the tables that most audits of REST and realtime use. */
async function hasSchema(target: ConformanceTarget): Promise<boolean> {
  if (target.restUrl === null) return true;
  const { rest } = createAuditContext(target);
  const { json } = await rest.send('GET', '/notifications', { query: { select: 'id', limit: '0' } });
  return !UNKNOWN_TO_REST.has(at(json, 'code'));
}

/** Records the user of a session, or a bare user, which has an audience. */
function recordUser(json: unknown, { userIds }: AuditRun): void {
  const id = at(json, 'user', 'id') ?? (at(json, 'aud') === undefined ? undefined : at(json, 'id'));
  if (typeof id === 'string') userIds.add(id);
}

async function runAudit(
  audit: Audit,
  target: ConformanceTarget,
  run: AuditRun,
  { settings, missingSchema, timeoutMs }: AuditConditions,
): Promise<AuditOutcome> {
  const { watched, codes } = watchTarget(target, run, missingSchema);
  const lacking = audit.needs.find((need) => !provides(target, need, settings));
  if (lacking) return { status: 'not-run', reason: `the target lacks: ${lacking}` };
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`not finished within ${timeoutMs} ms`)), timeoutMs);
  });
  try {
    await Promise.race([audit.run(createAuditContext(watched, run)), timeout]);
    return { status: 'passed' };
  } catch (problem) {
    const refused = problem instanceof UnexpectedReplyError ? settings.explain(problem.reply) : undefined;
    const setting = refused ?? settings.explainGate(codes);
    if (setting !== undefined)
      return { status: 'not-run', reason: `the target's settings forbid it: ${setting}` };
    const reason = problem instanceof Error ? problem.message : String(problem);
    if (missingSchema !== undefined && NO_SUBSCRIPTION.test(reason))
      return { status: 'not-run', reason: needsSchema(missingSchema) };
    return { status: problem instanceof NotRunError ? 'not-run' : 'failed', reason };
  } finally {
    clearTimeout(timer);
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
