import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Compile time on a schema of 200 tables: `npx tsx test/bench/rest-types.ts`. Each table has 12 columns and refers to
 * two others; 200 queries select lists and shapes of them. Compared with the same file without queries.
 */
const root = join(import.meta.dirname, '../..');
const folder = join(root, 'node_modules/.cache/rest-types');
const tables = Array.from({ length: 200 }, (_, index) => `table_${index}`);

const columns = Array.from({ length: 10 }, (_, index) => `c${index}: string | null;`).join(' ');
const relationship = (key: string, to: string) =>
  `{ foreignKeyName: '${key}_fkey'; columns: ['${key}']; isOneToOne: false; referencedRelation: '${to}'; referencedColumns: ['id'] }`;
const declaration = tables
  .map((name, index) => {
    const [a, b] = [tables[(index + 1) % 200] ?? '', tables[(index + 7) % 200] ?? ''];
    return `${name}: { Row: { id: string; a_id: string; b_id: string | null; ${columns} }; Insert: { id?: string };
      Update: { id?: string }; Relationships: [${relationship('a_id', a)}, ${relationship('b_id', b)}] };`;
  })
  .join('\n');
const head = `import { createRestClient, shape, type RestClientOptions } from '${root}/src/rest-client/index.ts';
interface Database { public: { Tables: { ${declaration} }; Views: { [_ in never]: never }; Functions: { [_ in never]: never } } }
declare const options: RestClientOptions<'public'>;
export const db = createRestClient<Database>(options);
`;
const queries = tables
  .map((name, index) => {
    const [a, b] = [tables[(index + 1) % 200] ?? '', tables[(index + 7) % 200] ?? ''];
    const deep = tables[(index + 2) % 200] ?? '';
    return `export const q${index} = async () => {
  const rows = await db.from('${name}').select('id, c1, alias:c2, c3::text').eq('c1', 'x').order('id').limit(3);
  const one = await db.from('${name}').select(shape({ id: true, ${a}: { c1: true, ${deep}: { c2: true } }, ${b}: { c3: true } })).single();
  return [rows[0]?.alias, one.${a}.${deep}.c2, one.${b}?.c3];
};`;
  })
  .join('\n');

function compile(name: string, text: string): number {
  writeFileSync(join(folder, 'input.ts'), text);
  const started = performance.now();
  const { status, stdout } = spawnSync(process.execPath, [
    join(root, 'node_modules/typescript-native/bin/tsc'),
    '--ignoreConfig',
    '--noEmit',
    '--strict',
    '--skipLibCheck',
    '--allowImportingTsExtensions',
    '--types',
    '',
    '--module',
    'esnext',
    '--moduleResolution',
    'bundler',
    '--target',
    'es2023',
    join(folder, 'input.ts'),
  ]);
  if (status !== 0) throw new Error(`${name} does not compile: ${stdout.toString().slice(0, 2000)}`);
  return Math.round(performance.now() - started);
}

mkdirSync(folder, { recursive: true });
try {
  const withoutMs = compile('The schema', head);
  const withMs = compile('The queries', head + queries);
  console.log(`200 tables: ${withoutMs} ms without queries, ${withMs} ms with 400 queries on them`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
