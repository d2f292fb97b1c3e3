import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { AuditSource } from './audit.ts';
import type { AuditResult } from './runner.ts';
import { isUnexpected } from './runner.ts';
import { readSection } from './sources.ts';

export interface AuditCounts {
  readonly passed: number;
  readonly failed: number;
  readonly known: number;
  readonly notRun: number;
}

export function countResults(results: readonly AuditResult[]): AuditCounts {
  const count = (matches: (result: AuditResult) => boolean) => results.filter(matches).length;
  return {
    passed: count(({ outcome }) => outcome.status === 'passed'),
    failed: count(({ outcome, known }) => outcome.status === 'failed' && known === null),
    known: count(({ outcome, known }) => outcome.status === 'failed' && known !== null),
    notRun: count(({ outcome }) => outcome.status === 'not-run'),
  };
}

/** A readable table: the audits that did not pass, then counts by area and level. */
export function formatTable(results: readonly AuditResult[]): string {
  const lines = results.flatMap(({ audit, outcome, known }) => {
    if (outcome.status === 'passed')
      return known === null ? [] : [`! ${audit.id} passes, but is listed as failing: ${known}`];
    const mark = outcome.status === 'not-run' ? '-' : known === null ? '✗' : '~';
    return [
      `${mark} ${audit.id} ${audit.level} ${audit.title}`,
      `    ${(known === null ? '' : `known: ${known}; `) + firstLine(outcome.reason)}`,
      ...(outcome.status === 'failed' ? [`    ${describeSource(audit.source)}`] : []),
    ];
  });
  const groups = groupResults(results);
  const rows = [...groups].map(([name, group]) => {
    const { passed, failed, known, notRun } = countResults(group);
    return `${name.padEnd(18)}${cell(group.length)}${cell(passed)}${cell(failed)}${cell(known)}${cell(notRun)}`;
  });
  const header = `${'area and level'.padEnd(18)}${['audits', 'passed', 'failed', 'known', 'not run'].map((name) => name.padStart(9)).join('')}`;
  return [...lines, '', header, ...rows].join('\n');
}

/** JUnit XML, for build servers. */
export function formatJUnit(results: readonly AuditResult[]): string {
  const { failed, notRun } = countResults(results);
  const cases = results.map(({ audit, outcome, durationMs }) => {
    const head = `<testcase classname="${audit.area}.${audit.level}" name="${escapeXml(`${audit.id} ${audit.title}`)}" time="${(durationMs / 1000).toFixed(3)}"`;
    if (outcome.status === 'passed') return `  ${head}/>`;
    const element = outcome.status === 'failed' ? 'failure' : 'skipped';
    return `  ${head}><${element} message="${escapeXml(firstLine(outcome.reason))}"/></testcase>`;
  });
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuite name="conformance" tests="${results.length}" failures="${failed}" skipped="${notRun}">\n${cases.join('\n')}\n</testsuite>\n`;
}

/** A report for programs: counts, and each audit with its result. */
export function formatJson(results: readonly AuditResult[]): string {
  const audits = results.map((result) => ({
    id: result.audit.id,
    area: result.audit.area,
    level: result.audit.level,
    title: result.audit.title,
    source: result.audit.source,
    publicSources: readSection(result.audit.source).publicSources,
    ...result.outcome,
    known: result.known,
    unexpected: isUnexpected(result),
    durationMs: Math.round(result.durationMs),
  }));
  return `${JSON.stringify({ counts: countResults(results), audits }, null, 2)}\n`;
}

/** The cited section as a path from the working directory, and its first public source. */
function describeSource(source: AuditSource): string {
  const [document = '', anchor = ''] = source.split('#');
  const path = relative(process.cwd(), fileURLToPath(new URL(`../${document}`, import.meta.url)));
  const [first] = readSection(source).publicSources;
  return `${path}#${anchor}${first ? ` ${first.url}` : ''}`;
}

const groupName = ({ audit }: AuditResult) => `${audit.area} ${audit.level}`;

function groupResults(results: readonly AuditResult[]): Map<string, AuditResult[]> {
  const groups = new Map<string, AuditResult[]>();
  for (const result of results)
    groups.set(groupName(result), [...(groups.get(groupName(result)) ?? []), result]);
  return groups;
}

const cell = (count: number) => String(count).padStart(9);

const firstLine = (text: string) => text.split('\n', 1)[0] ?? '';

const escapeXml = (text: string) =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll(/(?![\t\n\r])\p{Cc}/gu, '');
