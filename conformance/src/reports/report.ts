import { setOf, type AuditArea, type AuditLevel } from '../audit/audit.ts';
import type { Evidence } from '../runner/evidence.ts';
import { isUnexpected, type AuditResult } from '../runner/runner.ts';
import { readSection, sectionLinks, type PublicSource } from '../audit/sources.ts';

/** The version of the suite, as in its package.json. An audit names the version that introduced it. */
export const suiteVersion = '1.0.0';

/** A run as data, for all report formats. */
export interface ConformanceReport {
  readonly suite: string;
  readonly run: ReportedRun;
  readonly counts: AuditCounts;
  readonly audits: readonly ReportedAudit[];
}

export interface ReportedRun {
  readonly id: string;
  /** ISO 8601. */
  readonly startedAt: string;
  readonly url: string;
  /** The audited client, with its version. */
  readonly client: string;
  /** The median round trip at the end of the run, in milliseconds. */
  readonly roundTripMs: number;
}

export interface AuditCounts {
  readonly passed: number;
  readonly failed: number;
  readonly known: number;
  readonly notRun: number;
}

export type ReportedStatus = 'passed' | 'failed' | 'known' | 'not-run';

export interface ReportedAudit {
  readonly id: string;
  readonly area: AuditArea;
  readonly set: 'server' | 'client';
  readonly level: AuditLevel;
  readonly since: string;
  readonly title: string;
  /** The cited section and its public sources, with absolute links. */
  readonly source: string;
  readonly publicSources: readonly PublicSource[];
  readonly breaks: string;
  readonly status: ReportedStatus;
  /** Why it was not run, or why the failure is known. */
  readonly reason: string | null;
  readonly evidence: Evidence | null;
  /** Whether the result fails the run. */
  readonly unexpected: boolean;
  readonly durationMs: number;
}

export function createReport(results: readonly AuditResult[], run: ReportedRun): ConformanceReport {
  const audits = results.map(reportAudit);
  return { suite: suiteVersion, run, counts: countAudits(audits), audits };
}

export function countAudits(audits: readonly Pick<ReportedAudit, 'status'>[]): AuditCounts {
  const count = (wanted: ReportedStatus) => audits.filter(({ status }) => status === wanted).length;
  return {
    passed: count('passed'),
    failed: count('failed'),
    known: count('known'),
    notRun: count('not-run'),
  };
}

function reportAudit(result: AuditResult): ReportedAudit {
  const { audit, outcome, known, durationMs } = result;
  const { id, area, level, since, title, source } = audit;
  return {
    id,
    area,
    set: setOf(area),
    level,
    since,
    title,
    source,
    publicSources: sectionLinks(source),
    breaks: readSection(source).breaks,
    status: outcome.status === 'failed' && known !== null ? 'known' : outcome.status,
    reason: outcome.status === 'not-run' ? outcome.reason : known,
    evidence: outcome.status === 'failed' ? evidenceOf(outcome) : null,
    unexpected: isUnexpected(result),
    durationMs: Math.round(durationMs),
  };
}

const evidenceOf = ({ expectation, came, request, response, frames }: Evidence): Evidence => ({
  expectation,
  came,
  request,
  response,
  frames,
});

/** The reasons why audits were not run, most frequent first. */
export function countReasons(audits: readonly ReportedAudit[]): readonly (readonly [string, number])[] {
  const counts = new Map<string, number>();
  for (const { status, reason } of audits)
    if (status === 'not-run' && reason !== null) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  return [...counts].toSorted(([, one], [, other]) => other - one);
}
