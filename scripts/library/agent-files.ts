import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { libraryEntries, libraryName } from './library-entries.ts';

interface Page {
  readonly file: string;
  readonly title: string;
  /** The first sentence below the title; empty where the page begins with something else. */
  readonly about: string;
}

/** The package's files for programs that write code, generated from its pages, which are tested. */
export interface AgentFiles {
  /** The list of pages (llmstxt.org). */
  readonly llms: string;
  /** The rules of `docs/clients/agents.md`, the entries, and the pages. */
  readonly agents: string;
}

/** @param pages the folder of the clients' pages, which is `docs` in the package. */
export function createAgentFiles(pages: string): AgentFiles {
  const read = (file: string) => readFileSync(join(pages, file), 'utf8');
  const files = readdirSync(pages).filter((name) => name.endsWith('.md') && name !== 'agents.md');
  const listed = files
    .map((file) => toPage(file, read(file)))
    .sort(
      (a, b) => Number(b.file === 'index.md') - Number(a.file === 'index.md') || (a.file < b.file ? -1 : 1),
    );
  const titles = listed.map(({ file, title }) => `- [${title}](docs/${file})`).join('\n');
  const pageList = listed.map(({ file, title, about }) => `- [${title}](docs/${file}): ${about}`).join('\n');
  const rules = read('agents.md')
    .replace(/^# .*\n/, '')
    .trim();
  return {
    llms: `# ${libraryName}\n\n> ${summaryOf(read('index.md'))}\n\n## Pages\n\n${pageList}\n\n## Rules\n\n- [For coding agents](AGENTS.md)\n`,
    agents: `# ${libraryName}\n\n${summaryOf(read('index.md'))}\n\n${rules}\n\n## Entries\n\n${entriesOf(read('entries.md'))}\n\n## Pages\n\n${titles}\n`,
  };
}

function toPage(file: string, text: string): Page {
  const title = /^# (.*)$/m.exec(text)?.[1] ?? file;
  const [, paragraph = ''] = text.split(/\n\n/, 2);
  const isProse = /^[A-Z`]/.test(paragraph);
  const [sentence = ''] = /^[^]*?[.:](?=\s[A-Z`([]|$)/.exec(paragraph.replaceAll('\n', ' ')) ?? [];
  // Links of a page are relative to its folder.
  return {
    file,
    title,
    about: isProse ? sentence.replace(/\[([^\]]+)\]\([^)]+\)/g, '$1').replace(/:$/, '.') : '',
  };
}

const summaryOf = (index: string) => (index.split(/\n\n/)[1] ?? '').replaceAll('\n', ' ');

/** The first two columns of the table of entries, as a list. */
function entriesOf(table: string): string {
  const rows = table.matchAll(/^\| `(\.[^`]*)` \| (.*?) \| [\d.–]+ \| [\d.–]+ \|$/gm);
  return Array.from(rows, ([, entry = '', exports = '']) => {
    if (!(entry in libraryEntries))
      throw new Error(`The table of entries lists ${entry}, which the package lacks`);
    return `- \`${libraryName}${entry.slice(1)}\`: ${exports}`;
  }).join('\n');
}
