import { setOf, serviceOf } from '../src/audit.ts';
import { audits } from '../src/audits.ts';
import { parseKnownFailing } from '../src/known-failing.ts';

/** The page whose table of audits is generated. */
export const auditsPage = 'local-supabase/docs/embedded-supabase.md';

/** The real services on which the audits of the first round ran; later ones were written from recordings and sources. */
const realServices: Readonly<Record<string, string>> = {
  auth: 'auth server bc32168',
  rest: 'PostgREST 14.17',
  realtime: 'Realtime 2.129.8',
};

const begin = '<!-- audits: npm run docs:embedded -->';
const end = '<!-- /audits -->';

/** The page's text with a table of the audits as they are now. */
export function writeAuditTable(page: string, knownFailing: string): string {
  const [before, after] = [page.indexOf(begin), page.indexOf(end)];
  if (before < 0 || after < before) throw new Error(`${auditsPage} lacks the marks of the table of audits`);
  return `${page.slice(0, before)}${begin}\n${formatTable(knownFailing)}\n${page.slice(after)}`;
}

function formatTable(knownFailing: string): string {
  const known = parseKnownFailing(knownFailing);
  const services = [...new Set(audits.map(({ area }) => serviceOf(area)))];
  const rows = services.map((service) => {
    const of = (set: string, level: string) =>
      audits.filter(
        (audit) => serviceOf(audit.area) === service && setOf(audit.area) === set && audit.level === level,
      ).length;
    const failing = audits.filter((audit) => serviceOf(audit.area) === service && known.has(audit.id));
    return [
      service,
      of('server', 'MUST'),
      of('server', 'SHOULD'),
      of('client', 'MUST') + of('client', 'SHOULD'),
      failing.length === 0 ? 'none' : failing.map(({ id }) => id).join(', '),
      realServices[service] ?? '–',
    ];
  });
  const head = [
    'Service',
    'Server: MUST',
    'SHOULD',
    'Clients',
    'Known to fail here',
    'The first round also ran on',
  ];
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}
