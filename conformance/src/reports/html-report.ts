import { pageScript, pageStyles } from './html-page.ts';
import { countAudits, type ConformanceReport, type ReportedAudit, type ReportedStatus } from './report.ts';
import { escapeXml } from './reports.ts';

const statusNames: Readonly<Record<ReportedStatus, string>> = {
  failed: 'Failed',
  known: 'Known failure',
  'not-run': 'Not run',
  passed: 'Passed',
};

/** Formats a report as a self-contained page with every audit and its evidence; light or dark as the reader's system. */
export function formatHtml({ audits, run, suite }: ConformanceReport): string {
  const { passed, failed, known, notRun } = countAudits(audits);
  const areas = [...new Set(audits.map(({ area }) => area))];
  const shown = audits.toSorted((one, other) => rank(one) - rank(other));
  const host = URL.canParse(run.url) ? new URL(run.url).host : run.url;
  const verdict = audits.some(({ unexpected }) => unexpected) ? 'Does not conform' : 'Conforms';
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${failed} failed, ${passed} passed – ${escapeXml(host)}</title>
<style>${pageStyles}</style>
<header>
  <h1>Supabase conformance <span class="verdict ${failed === 0 ? 'good' : 'bad'}">${verdict}</span></h1>
  <p class="run">${escapeXml(run.url)} <span>${escapeXml(run.client)}</span> <span>run ${escapeXml(run.id)}</span>
    <time datetime="${escapeXml(run.startedAt)}">${escapeXml(run.startedAt.slice(0, 16).replace('T', ' '))} UTC</time>
    <span>suite ${escapeXml(suite)}</span> <span>round trip ${run.roundTripMs} ms</span></p>
</header>
<form id="filters" role="search" aria-label="Filter the audits">
  <fieldset><legend>Status</legend>${[
    statusBox('failed', failed),
    statusBox('known', known),
    statusBox('not-run', notRun),
    statusBox('passed', passed),
  ].join('')}</fieldset>
  <label>Level <select name="level"><option value="">All</option><option>MUST</option><option>SHOULD</option></select></label>
  <label>Area <select name="area"><option value="">All</option>${areas.map((area) => `<option>${area}</option>`).join('')}</select></label>
  <label class="text">Text <input type="search" name="text" placeholder="id, statement or response" autocomplete="off"></label>
</form>
<p id="shown" role="status"></p>
<main>
${shown.map(formatAudit).join('\n')}
<p id="none" hidden>No audit matches these filters. <button type="button" id="clear">Clear filters</button></p>
</main>
<script>${pageScript}</script>
</html>
`;
}

const order: readonly ReportedStatus[] = ['failed', 'known', 'not-run', 'passed'];
const rank = ({ status, level }: ReportedAudit) => order.indexOf(status) * 2 + (level === 'MUST' ? 0 : 1);

const statusBox = (status: ReportedStatus, count: number) =>
  `<label class="status ${status}"><input type="checkbox" name="status" value="${status}" checked>${statusNames[status]} <b>${count}</b></label>`;

function formatAudit(audit: ReportedAudit): string {
  const { id, area, level, since, title, status, reason, breaks, evidence, publicSources, durationMs } =
    audit;
  const rows = [
    ...(reason === null ? [] : [row(status === 'not-run' ? 'Why not run' : 'Known', text(reason))]),
    ...(evidence ? [row('Expected', text(evidence.expectation)), row('Came', code(evidence.came))] : []),
    ...(evidence?.request ? [row('Request', code(evidence.request))] : []),
    ...(evidence?.response ? [row('Response', code(evidence.response))] : []),
    ...(evidence && evidence.frames.length > 0 ? [row('Frames', code(evidence.frames.join('\n')))] : []),
    row('What breaks', text(breaks)),
    row('Source', publicSources.map(({ label, url }) => link(label, url)).join(', ')),
    row('Since', `${escapeXml(since)}, took ${durationMs} ms`),
  ];
  return `<details class="${status}" data-status="${status}" data-level="${level}" data-area="${area}"${status === 'failed' ? ' open' : ''}>
<summary><span class="mark">${statusNames[status]}</span> <code>${escapeXml(id)}</code> <span class="level">${level}</span> <span class="title">${escapeXml(title)}</span> <span class="area">${area}</span></summary>
<dl>${rows.join('')}</dl></details>`;
}

const row = (name: string, html: string) => `<div><dt>${name}</dt><dd>${html}</dd></div>`;
const text = (value: string) => escapeXml(value);
const code = (value: string) => `<pre tabindex="0">${escapeXml(value)}</pre>`;
const link = (label: string, url: string) =>
  `<a href="${escapeXml(url)}" rel="noreferrer">${escapeXml(label)}</a>`;
