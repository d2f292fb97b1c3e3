import { join } from 'node:path';
import ts from 'typescript';
import { describe, expect, test } from 'vitest';

/** What an editor shows over a name: types of the generated `Database` of the inbox. */
const root = join(import.meta.dirname, '../..');
const file = join(import.meta.dirname, 'hovered.ts');
const source = `
import { createRestClient, shape, type RestClientOptions } from '../../src/rest-client/index.ts';
import { createLiveQuery, type LiveQueryOptions } from '../../src/realtime-client/live-query/live-query.ts';
import type { Database } from '../../src/inbox/database.types.ts';
declare const options: RestClientOptions<'public'>;
declare const live: Pick<LiveQueryOptions<{ id: string; status: string }>, 'channel' | 'platform'>;
const rest = createRestClient<Database>(options);
const inbox = rest.from('notifications');
const query = inbox.select('id, status');
const filtered = query.eq('id', '1').order('id').limit(1);
const rows = await query;
const [row] = rows;
const whole = inbox.select();
const wholeRows = await whole;
const one = query.single();
const maybe = query.maybeSingle();
const counted = query.withCount();
const shaped = inbox.select(shape({ id: true, status: true }));
const total = inbox.count();
const insert = inbox.insert({ recipient_id: '1' });
const inserted = inbox.insert({ recipient_id: '1' }).select('id');
const update = inbox.update({});
const updated = update.eq('id', '1');
const counts = rest.rpc('notification_counts');
const sent = rest.rpc('message_status', { message_id: '1' });
const liveQuery = createLiveQuery({
  ...live,
  query,
  key: 'id',
});
const liveRows = liveQuery.getSnapshot().rows;
export { counted, counts, filtered, inserted, liveRows, maybe, one, row, sent, shaped, updated, wholeRows };
export { insert, total };
`;

const compilerOptions: ts.CompilerOptions = {
  strict: true,
  noEmit: true,
  skipLibCheck: true,
  allowImportingTsExtensions: true,
  target: ts.ScriptTarget.ES2023,
  module: ts.ModuleKind.ESNext,
  moduleResolution: ts.ModuleResolutionKind.Bundler,
  lib: ['lib.es2023.d.ts', 'lib.dom.d.ts'],
  types: ['node'],
};

const service = ts.createLanguageService({
  readFile: ts.sys.readFile,
  directoryExists: ts.sys.directoryExists,
  getCompilationSettings: () => compilerOptions,
  getScriptFileNames: () => [file],
  getScriptVersion: () => '1',
  getScriptSnapshot: (name) => {
    const text = name === file ? source : ts.sys.readFile(name);
    return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text);
  },
  getCurrentDirectory: () => root,
  getDefaultLibFileName: ts.getDefaultLibFilePath,
  fileExists: (name) => name === file || ts.sys.fileExists(name),
});

/** The text of the hover over the last character of `text`, in one line. */
function hoverOver(text: string): string {
  const info = service.getQuickInfoAtPosition(file, source.indexOf(text) + text.length - 1);
  return ts.displayPartsToString(info?.displayParts).replace(/\s+/g, ' ');
}

const model = 'DatabaseModel<Database, "public", "notifications">';
const row = '{ id: string; status: string; }';

test('the file compiles', () => {
  const problems = service.getSemanticDiagnostics(file).map(({ messageText }) => messageText);
  expect(problems).toEqual([]);
}, 60_000);

describe('a hover over', () => {
  // In the order of the file, as an editor that truncates one type shortens later ones, too.
  test.each([
    ['const inbox', `const inbox: Table<${model}>`],
    ['const query', `const query: RowsQuery<${model}, ${row}, "rows">`],
    ['const filtered', `const filtered: RowsQuery<${model}, ${row}, "rows">`],
    ['const rows', `const rows: ${row}[]`],
    ['const [row', `const row: ${row}`],
    ['const one', `const one: RowsQuery<${model}, ${row}, "row">`],
    ['const maybe', `const maybe: RowsQuery<${model}, ${row}, "row or null">`],
    ['const counted', `const counted: RowsQuery<${model}, ${row}, "rows, counted">`],
    ['const shaped', `const shaped: RowsQuery<${model}, ${row}, "rows">`],
    ['const total', `const total: CountQuery<${model}>`],
    ['const insert', `const insert: WriteQuery<${model}, void>`],
    ['const inserted', `const inserted: RowsQuery<${model}, { id: string; }, "rows">`],
    ['const updated', `const updated: FilteredWriteQuery<${model}>`],
    ['const liveQuery', `const liveQuery: LiveQuery<${row}>`],
    ['const liveRows', `const liveRows: readonly ${row}[]`],
  ])('%s shows the row, and the database by its name', (text, shown) => {
    expect(hoverOver(text)).toBe(shown);
  });

  test.each(['const whole', 'const wholeRows', 'const counts', 'const sent'])(
    '%s is at most 500 characters and shortens nothing',
    (text) => {
      expect(hoverOver(text)).toMatch(/^const \w+: (?!.*\.\.\.)/);
      expect(hoverOver(text).length).toBeLessThanOrEqual(500);
    },
  );

  test.each([
    ['rest.from', `from<"notifications">(table: "notifications"): Table<${model}>`],
    ['inbox.select', `): RowsQuery<${model}, ${row}, "rows">`],
    ['query.eq', `): RowsQuery<${model}, ${row}, "rows">`],
    ['inbox.insert', `): WriteQuery<${model}, void>`],
  ])('the method %s is at most 500 characters and ends with what it returns', (text, shown) => {
    const hover = hoverOver(text);
    expect(hover).toContain(shown);
    expect(hover.length).toBeLessThanOrEqual(500);
  });
});
