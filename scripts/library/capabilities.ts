/**
 * `npm run docs:capabilities`: writes the tables of `docs/clients/migrating.md` from `docs/clients/capabilities.json`,
 * and the types by which the compiler verifies them.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { libraryName } from './library-entries.ts';

/** A public method of the vendor's packages, and its replacement here. */
export type Capability =
  | {
      /** Package, class and method, such as `auth-js GoTrueClient.signUp`. */
      readonly vendor: string;
      readonly state: 'yes';
      /** Entry and name, such as `./auth-client AuthClient.signUp`. */
      readonly ours: readonly string[];
      /** The first version of the library that has it. */
      readonly since: string;
    }
  | { readonly vendor: string; readonly state: 'no' | 'not needed'; readonly reason: string };

/** `docs/clients/capabilities.json`. */
export interface Capabilities {
  /** The vendor's packages, and the version that the matrix describes. */
  readonly vendor: Readonly<Record<string, string>>;
  readonly methods: readonly Capability[];
  /** The tables of the page, by its sections: how a call is written there and here. */
  readonly tables: readonly {
    readonly section: string;
    readonly columns: readonly string[];
    readonly rows: readonly (readonly string[])[];
  }[];
}

const root = new URL('../../', import.meta.url);
/** The written files, relative to the root. */
export const capabilityFiles = {
  matrix: 'docs/clients/capabilities.json',
  page: 'docs/clients/migrating.md',
  proof: 'test/library/capabilities.test-d.ts',
} as const;

const read = (path: string): Promise<string> => readFile(new URL(path, root), 'utf8');

export const readCapabilities = async (): Promise<Capabilities> =>
  JSON.parse(await read(capabilityFiles.matrix)) as Capabilities;

/** The expected page and proof, by their paths. */
export async function renderCapabilities(): Promise<Readonly<Record<string, string>>> {
  const capabilities = await readCapabilities();
  let page = await read(capabilityFiles.page);
  for (const { section, columns, rows } of capabilities.tables)
    page = replaceBetween(page, section, renderTable(columns, rows));
  page = replaceBetween(page, 'Summary', renderSummary(capabilities));
  return {
    [capabilityFiles.page]: page,
    [capabilityFiles.proof]: renderProof(capabilities.methods),
  };
}

function renderTable(columns: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [line(columns), `|${columns.map(() => '---|').join('')}`, ...rows.map(line)].join('\n');
}

/** How many methods of each package are supported here, and which are missing. */
function renderSummary({ vendor, methods }: Capabilities): string {
  const rows = Object.entries(vendor).map(([name, version]) => {
    const own = methods.filter((method) => method.vendor.startsWith(`${name} `));
    const count = (state: Capability['state']) => own.filter((method) => method.state === state).length;
    const counts = [own.length, count('yes'), count('not needed'), count('no')].map(String);
    return [`\`@supabase/${name}\` ${version}`].concat(counts);
  });
  const reasons = new Map<string, string[]>();
  for (const method of methods)
    if (method.state === 'no')
      reasons.set(method.reason, [...(reasons.get(method.reason) ?? []), `\`${nameOf(method.vendor)}\``]);
  return [
    renderTable(['Package', 'public methods', 'here', 'not needed', 'not here'], rows),
    '',
    renderTable(
      ['Not here', 'Why'],
      [...reasons].map(([reason, names]) => [names.join(', '), reason]),
    ),
  ].join('\n');
}

const nameOf = (vendor: string): string => vendor.slice(vendor.indexOf(' ') + 1);

function replaceBetween(page: string, name: string, text: string): string {
  const [start, end] = [`<!-- capabilities: ${name} -->\n`, '\n<!-- /capabilities -->'];
  const from = page.indexOf(start);
  const to = page.indexOf(end, from);
  if (from === -1 || to === -1) throw new Error(`${capabilityFiles.page} has no markers for ${name}`);
  return page.slice(0, from + start.length) + text + page.slice(to);
}

/** Type parameters of the interfaces that have no defaults. */
const typeArguments: Readonly<Record<string, string>> = {
  Broadcast: '<Record<string, unknown>>',
  Filterable: '<Model>',
  Presence: '<unknown>',
  RowsQuery: '<Model, unknown>',
  Selectable: '<Model>',
  Table: '<Model>',
};

/** One type for each of our names: the compiler refuses those that do not exist. */
function renderProof(methods: readonly Capability[]): string {
  const ours = methods.flatMap((method) => (method.state === 'yes' ? method.ours : []));
  const entries = [...new Set(ours.map((text) => text.split(' ')[0] ?? ''))].toSorted();
  const aliasOf = (entry: string) => `E${entries.indexOf(entry)}`;
  const types = [...new Set(ours)].toSorted().map((text) => {
    const [entry = '', name = ''] = text.split(' ');
    const [type = '', member] = name.split('.');
    const owner = `${aliasOf(entry)}.${type}`;
    return member === undefined
      ? `  typeof ${owner},`
      : `  ${owner}${typeArguments[type] ?? ''}['${member}'],`;
  });
  return `// Written by \`npm run docs:capabilities\`: each name of docs/clients/capabilities.json exists.
${entries.map((entry) => `import type * as ${aliasOf(entry)} from '${libraryName}${entry.slice(1)}';`).join('\n')}

type Model = ${aliasOf('./rest-client')}.Model;

/** The names, as types. */
export type Ours = [
${types.join('\n')}
];
`;
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  for (const [path, text] of Object.entries(await renderCapabilities()))
    await writeFile(new URL(path, root), text);
