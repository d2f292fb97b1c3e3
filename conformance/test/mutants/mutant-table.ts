import { readFile, writeFile } from 'node:fs/promises';

/** A mutant and the audits that detected it. */
export interface TableRow {
  readonly mutant: {
    readonly name: string;
    readonly subject: string;
    readonly area: string;
    readonly survives?: string | undefined;
  };
  readonly noticedBy: readonly { readonly id: string }[];
}

const page = new URL('../../docs/mutants.md', import.meta.url);

/**
 * Writes a part of docs/mutants.md if WRITE_MUTANTS is set (`npm run -w conformance docs:mutants`), because the
 * detecting audits may differ between runs and tests should not change files.
 */
export async function writeMutantTable(
  part: 'servers' | 'clients',
  results: readonly TableRow[],
): Promise<void> {
  if (process.env['WRITE_MUTANTS'] === undefined) return;
  const text = await readFile(page, 'utf8');
  const [begin, end] = [`<!-- ${part} -->`, `<!-- end of ${part} -->`];
  const before = text.slice(0, text.indexOf(begin) + begin.length);
  await writeFile(
    page,
    `${before}\n\n${formatMutantTable(part, results)}\n\n${text.slice(text.indexOf(end))}`,
  );
}

const shownAudits = 4;

/** The mutants by subject, with the audits that detected each. */
function formatMutantTable(part: string, results: readonly TableRow[]): string {
  const caught = results.filter(({ noticedBy }) => noticedBy.length > 0);
  const groups = new Map<string, TableRow[]>();
  for (const result of results) {
    const name = `${result.mutant.area}: ${result.mutant.subject}`;
    groups.set(name, [...(groups.get(name) ?? []), result]);
  }
  const tables = [...groups].map(([name, group]) =>
    [
      `### ${name}`,
      '',
      `| A ${part.slice(0, -1)} that … | Noticed by, among others |`,
      '|---|---|',
      ...group.map(formatRow),
    ].join('\n'),
  );
  return [`${caught.length} of ${results.length} are noticed.`, ...tables].join('\n\n');
}

function formatRow({ mutant, noticedBy }: TableRow): string {
  const ids = noticedBy.slice(0, shownAudits).map(({ id }) => id);
  const result = ids.length > 0 ? ids.join(', ') : `not noticed: ${mutant.survives ?? 'unexplained'}`;
  return `| ${mutant.name} | ${result} |`;
}
