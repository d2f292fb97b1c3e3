import { countAudits, countReasons, type ConformanceReport, type ReportedAudit } from './report.ts';

/** Formats a report for a terminal: the audits that did not pass with their evidence, then counts by area and level. */
export function formatText({ audits }: ConformanceReport): string {
  const failures = audits.filter(({ status }) => status === 'failed' || status === 'known');
  const surprises = audits.filter(({ status, reason }) => status === 'passed' && reason !== null);
  const reasons = countReasons(audits).map(([reason, count]) => `- ${count} not run: ${reason}`);
  return [
    ...failures.map(formatFailure),
    ...surprises.map(({ id, reason }) => `! ${id} passes, but is listed as failing: ${reason}`),
    ...reasons,
    '',
    formatCounts(audits),
  ].join('\n');
}

const shownFrames = 6;

function formatFailure({ id, level, title, status, reason, evidence, breaks, publicSources }: ReportedAudit) {
  const lines = [
    `${status === 'known' ? '~' : '✗'} ${id} ${level} ${title}`,
    ...(status === 'known' ? [field('Known', reason ?? '')] : []),
    field('Expected', evidence?.expectation ?? ''),
    field('Came', evidence?.came ?? ''),
    ...(evidence?.request ? [field('Request', evidence.request)] : []),
    ...(evidence?.response ? [field('Response', evidence.response)] : []),
    ...(evidence && evidence.request === null && evidence.frames.length > 0
      ? [field('Frames', evidence.frames.slice(-shownFrames).join('\n'))]
      : []),
    field('Breaks', breaks),
    ...publicSources.slice(0, 2).map(({ url }) => field('Source', url)),
  ];
  return `${lines.join('\n')}\n`;
}

const field = (name: string, text: string): string =>
  `    ${`${name}:`.padEnd(10)}${text.replaceAll('\n', `\n${' '.repeat(14)}`)}`;

function formatCounts(audits: readonly ReportedAudit[]): string {
  const groups = new Map<string, ReportedAudit[]>();
  for (const audit of audits) {
    const name = `${audit.area} ${audit.level}`;
    groups.set(name, [...(groups.get(name) ?? []), audit]);
  }
  const rows = [...groups].map(([name, group]) => {
    const { passed, failed, known, notRun } = countAudits(group);
    return `${name.padEnd(24)}${[group.length, passed, failed, known, notRun].map(cell).join('')}`;
  });
  const header = ['audits', 'passed', 'failed', 'known', 'not run'].map(cell).join('');
  return [`${'area and level'.padEnd(24)}${header}`, ...rows].join('\n');
}

const cell = (value: number | string) => String(value).padStart(9);

/** JUnit XML, for build servers. */
export function formatJUnit({ audits, run, suite }: ConformanceReport): string {
  const failures = audits.filter(({ status }) => status === 'failed' || status === 'known');
  const skipped = audits.filter(({ status }) => status === 'not-run');
  const cases = audits.map((audit) => {
    const { area, level, id, title, durationMs, status } = audit;
    const head = `<testcase classname="${area}.${level}" name="${escapeXml(`${id} ${title}`)}" time="${(durationMs / 1000).toFixed(3)}"`;
    if (status === 'passed') return `  ${head}/>`;
    if (status === 'not-run')
      return `  ${head}><skipped message="${escapeXml(audit.reason ?? '')}"/></testcase>`;
    const message = `expected: ${audit.evidence?.expectation}; came: ${audit.evidence?.came}`;
    return `  ${head}><failure message="${escapeXml(message)}">${escapeXml(formatFailure(audit))}</failure></testcase>`;
  });
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuite name="supabase-conformance ${suite}" timestamp="${run.startedAt}" tests="${audits.length}" failures="${failures.length}" skipped="${skipped.length}">\n${cases.join('\n')}\n</testsuite>\n`;
}

/** Formats a report for programs. `--compare` reads it. */
export const formatJson = (report: ConformanceReport): string => `${JSON.stringify(report, null, 2)}\n`;

/** Escapes text for XML and HTML, including attributes. */
export const escapeXml = (text: string): string =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll(/(?![\t\n\r])\p{Cc}/gu, '');
