import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { reportMetric } from './report.ts';

/**
 * The compiler's work on a schema of 150 tables compared with postgrest-js: `npm run bench rest-types`. Each table has 13 columns
 * and refers to two others; 300 queries select columns, and related rows two levels deep, by the same texts in both clients.
 */
const root = join(import.meta.dirname, '../..');
const folder = join(root, 'node_modules/.cache/rest-types');
const tableCount = 150;
const tableName = (index: number) => `table_${index % tableCount}`;
const indexes = Array.from({ length: tableCount }, (_, index) => index);

const columns = Array.from({ length: 10 }, (_, index) => `c${index}: string | null;`).join(' ');
const relationship = (key: string, to: string) =>
  `{ foreignKeyName: '${key}_fkey'; columns: ['${key}']; isOneToOne: false; referencedRelation: '${to}'; referencedColumns: ['id'] }`;
const tables = indexes.map((index) => {
  const relationships = [
    relationship('a_id', tableName(index + 1)),
    relationship('b_id', tableName(index + 7)),
  ];
  return `${tableName(index)}: { Row: { id: string; a_id: string; b_id: string | null; ${columns} }; Insert: { id?: string };
    Update: { id?: string }; Relationships: [${relationships.join()}] };`;
});
const none = '{ [_ in never]: never }';
const database = `interface Database { public: { Tables: { ${tables.join('\n')} }; Views: ${none}; Functions: ${none} } }`;

const ours = `import { createRestClient, type RestClientOptions } from '${root}/src/rest-client/index.ts';
${database}
declare const options: RestClientOptions<'public'>;
export const db = createRestClient<Database>(options);`;
const vendor = `import { PostgrestClient } from '@supabase/postgrest-js';
${database}
export const db = new PostgrestClient<Database>('https://project.test');`;

/** @param rows how the rows of a response are named: `rows` here, `{ data: rows }` there. */
function queries(rows: (name: string) => string): string {
  const functions = indexes.map((index) => {
    const [a, b, deep] = [tableName(index + 1), tableName(index + 7), tableName(index + 2)];
    const from = `await db.from('${tableName(index)}')`;
    return `export const q${index} = async () => {
  const ${rows('list')} = ${from}.select('id, c1, alias:c2, c3::text').eq('c1', 'x').order('id').limit(3);
  const ${rows('one')} = ${from}.select('id, ${a}(c1, ${deep}(c2)), ${b}(c3)').eq('id', 'x').single();
  return [list?.[0]?.alias, one?.${a}.${deep}.c2, one?.${b}?.c3];
};`;
  });
  return functions.join('\n');
}

interface Work {
  readonly instantiations: number;
  readonly seconds: number;
}

function compile(name: string, text: string): Work {
  const file = join(folder, `${name}.ts`);
  writeFileSync(file, text);
  const flags =
    '--ignoreConfig --noEmit --strict --skipLibCheck --allowImportingTsExtensions --extendedDiagnostics';
  const target = '--module esnext --moduleResolution bundler --target es2023 --lib es2023,dom --types node';
  const compiler = join(root, 'node_modules/typescript/bin/tsc');
  const { status, stdout } = spawnSync(
    process.execPath,
    [compiler, ...`${flags} ${target}`.split(' '), file],
    {
      cwd: root,
      encoding: 'utf8',
    },
  );
  if (status !== 0) throw new Error(`${name} does not compile: ${stdout.slice(0, 2000)}`);
  const numberAfter = (label: string) => Number(new RegExp(`${label}:\\s+([\\d.]+)`).exec(stdout)?.[1]);
  return { instantiations: numberAfter('Instantiations'), seconds: numberAfter('Total time') };
}

mkdirSync(folder, { recursive: true });
try {
  const here = compile('ours', `${ours}\n${queries((name) => name)}`);
  const there = compile('vendor', `${vendor}\n${queries((name) => `{ data: ${name} }`)}`);
  for (const [measure, unit] of [
    ['instantiations', 'types'],
    ['seconds', 's'],
  ] as const)
    reportMetric({
      name: `REST: ${measure} of the compiler, ${tableCount} tables and ${2 * tableCount} queries`,
      ours: here[measure],
      peer: there[measure],
      unit,
      goal: null,
    });
} finally {
  rmSync(folder, { recursive: true, force: true });
}
