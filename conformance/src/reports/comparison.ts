import type { ConformanceReport, ReportedAudit } from './report.ts';
import { at, parseJson } from '../target/wire.ts';

/** The differences between two reports. */
export interface Comparison {
  /** Audits that fail now, and passed or did not exist before. */
  readonly broken: readonly ReportedAudit[];
  /** Audits that failed and pass now. */
  readonly repaired: readonly ReportedAudit[];
  /** Audits that fail in both reports, with another deviation. */
  readonly otherwise: readonly ReportedAudit[];
  /** Audits that ran in the earlier report only. */
  readonly noLongerRun: readonly ReportedAudit[];
  readonly newlyRun: readonly ReportedAudit[];
  /** Audits that exist in only one report. */
  readonly added: readonly ReportedAudit[];
  readonly removed: readonly ReportedAudit[];
  /** Whether a MUST is broken. */
  readonly isWorse: boolean;
}

const isFailure = ({ status }: Pick<ReportedAudit, 'status'>): boolean =>
  status === 'failed' || status === 'known';

export function compareReports(earlier: ConformanceReport, later: ConformanceReport): Comparison {
  const before = new Map(earlier.audits.map((audit) => [audit.id, audit]));
  const after = new Map(later.audits.map((audit) => [audit.id, audit]));
  const changed = (matches: (now: ReportedAudit, was: ReportedAudit) => boolean) =>
    later.audits.filter((now) => {
      const was = before.get(now.id);
      return was !== undefined && matches(now, was);
    });
  const added = later.audits.filter(({ id }) => !before.has(id));
  const broken = [
    ...changed((now, was) => isFailure(now) && !isFailure(was)),
    ...added.filter((audit) => isFailure(audit)),
  ];
  return {
    broken,
    repaired: changed((now, was) => now.status === 'passed' && isFailure(was)),
    otherwise: changed(
      (now, was) => isFailure(now) && isFailure(was) && now.evidence?.came !== was.evidence?.came,
    ),
    noLongerRun: changed((now, was) => now.status === 'not-run' && was.status !== 'not-run'),
    newlyRun: changed((now, was) => now.status === 'passed' && was.status === 'not-run'),
    added,
    removed: earlier.audits.filter(({ id }) => !after.has(id)),
    isWorse: broken.some(({ level }) => level === 'MUST'),
  };
}

/** Formats the differences for a terminal; one line without any. */
export function formatComparison(comparison: Comparison): string {
  const parts: readonly (readonly [string, readonly ReportedAudit[]])[] = [
    ['Broken', comparison.broken],
    ['Repaired', comparison.repaired],
    ['Fails otherwise', comparison.otherwise],
    ['No longer run', comparison.noLongerRun],
    ['Newly run', comparison.newlyRun],
    ['Added', comparison.added],
    ['Removed', comparison.removed],
  ];
  const shown = parts.filter(([, audits]) => audits.length > 0);
  if (shown.length === 0) return 'Nothing changed.';
  return shown
    .map(([name, audits]) => [`${name}: ${audits.length}`, ...audits.map(line)].join('\n'))
    .join('\n\n');
}

function line({ id, level, title, evidence, status, reason }: ReportedAudit): string {
  const detail = evidence
    ? `\n      came: ${evidence.came}`
    : status === 'not-run'
      ? `\n      ${reason}`
      : '';
  return `  ${id} ${level} ${title}${detail}`;
}

/** @throws {Error} for a text that is not a report of this suite. */
export function parseReport(text: string, name: string): ConformanceReport {
  const json = parseJson(text);
  const audits = at(json, 'audits');
  const isReport =
    typeof at(json, 'suite') === 'string' &&
    Array.isArray(audits) &&
    audits.every((audit) => typeof at(audit, 'id') === 'string' && typeof at(audit, 'status') === 'string');
  if (!isReport) throw new Error(`${name} is not a JSON report of supabase-conformance`);
  return json as ConformanceReport;
}
