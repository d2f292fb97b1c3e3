/** `npm run docs:asvs`: writes the tables of OWASP ASVS into the page `docs/inbox/what-protects-what.md`. */
import { readFileSync, writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

interface Requirement {
  readonly number: string;
  readonly requirement: string;
  readonly state: 'met' | 'not met' | 'not applicable';
  readonly where: string;
}

const chapters = {
  V6: 'Authentication',
  V7: 'Session management',
  V8: 'Authorization',
  V9: 'Self-contained tokens',
  V10: 'OAuth and OIDC',
} as const;
const states = ['met', 'not met', 'not applicable'] as const;
const folder = new URL('../../docs/inbox/', import.meta.url);
const page = new URL('what-protects-what.md', folder);
const [begin, end] = ['<!-- asvs: begin -->\n', '<!-- asvs: end -->'];

export function readRequirements(): readonly Requirement[] {
  return JSON.parse(readFileSync(new URL('asvs.json', folder), 'utf8')) as readonly Requirement[];
}

export function fillPage(text: string, requirements: readonly Requirement[]): string {
  const [before = '', rest = ''] = text.split(begin);
  const after = rest.slice(rest.indexOf(end));
  return before + begin + formatTables(requirements) + after;
}

function formatTables(requirements: readonly Requirement[]): string {
  const ofChapter = (chapter: string) =>
    requirements.filter(({ number }) => number.startsWith(`${chapter.slice(1)}.`));
  const counts = Object.entries(chapters).map(([chapter, title]) => {
    const numbers = states.map((wanted) => ofChapter(chapter).filter(({ state }) => state === wanted).length);
    return `| ${chapter} ${title} | ${numbers.join(' | ')} |`;
  });
  const summary = ['| Chapter | Met | Not met | Not applicable |', '|---|---|---|---|', ...counts];
  const tables = Object.entries(chapters).map(([chapter, title]) =>
    [
      `### ${chapter} ${title}\n`,
      '| # | Requirement | State | Where |',
      '|---|---|---|---|',
      ...ofChapter(chapter).map(
        (row) => `| ${row.number} | ${row.requirement} | ${row.state} | ${row.where} |`,
      ),
    ].join('\n'),
  );
  return `\n${[summary.join('\n'), ...tables].join('\n\n')}\n\n`;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href)
  writeFileSync(page, fillPage(readFileSync(page, 'utf8'), readRequirements()));
