import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';

/** The compiler's errors for the most common mistakes: the message contains the wrong part and the alternatives. */
const columns =
  '"author_id" | "created_at" | "data" | "during" | "id" | "owner_id" | "rating" | "status" | "tags"';
const mistakes: readonly (readonly [mistake: string, message: string])[] = [
  [
    "db.from('note')",
    '"note"\' is not assignable to parameter of type \'"note_counts" | "notes" | "owners" | "people"',
  ],
  ["db.schema('archives')", 'is not assignable to parameter of type \'"archive" | "public"\''],
  ["notes.select('id, titel')", `NoSuchColumn<"titel", ${columns}`],
  ["notes.select('id, people(nam)')", 'NoSuchColumn<"nam", "id" | "name">'],
  ["notes.select('id, person(name)')", 'NoSuchRelation<"person", "note_counts" | "owners" | "people">'],
  ["notes.select('id, people(name')", 'UnclosedParenthesis<"people(">'],
  ['notes.select(shape({ people: { nam: true } }))', 'NoSuchColumn<"nam", "id" | "name">'],
  [
    'notes.select(shape({ person: { name: true } }))',
    'NoSuchRelation<"person", "note_counts" | "owners" | "people">',
  ],
  ["notes.select().eq('titel', 'x')", `'"titel"' is not assignable to parameter of type '${columns}`],
  ["notes.select().eq('status', 'archived')", 'Comparable<"done" | "draft">'],
  ["notes.select().in('status', ['archived'])", 'Comparable<"done" | "draft">'],
  ["notes.select().like('titel', 'a%')", `'"titel"' is not assignable to parameter of type '${columns}`],
  ["notes.select().contains('tags', 'a')", "'string' is not assignable to parameter of type 'Quantified<"],
  ["notes.select().order('titel')", `'"titel"' is not assignable to parameter of type '${columns}`],
  ["notes.select().where(or(eq('id', '1'), eq('titel', 'x')))", `NoSuchColumn<"titel", "author_id" | `],
  ["notes.select().where(eq('status', 'archived'))", 'NotComparable<"status", "archived", "done" | "draft">'],
  ['async () => { await notes.delete(); }', "is not assignable to method's 'this' of type 'AddFilterOrAll'"],
  ["notes.insert({ status: 'done' })", "Property 'title' is missing in type '{ status: \"done\"; }'"],
  ["notes.update({ titel: 'x' }).eq('id', '1')", "'titel' does not exist in type 'Written<{ id?: string"],
  [
    "notes.upsert({ title: 'x' }, { onConflict: ['titel'] })",
    `"titel"' is not assignable to type '"author_id" | `,
  ],
  [
    "notes.upsert({ title: 'x' }, { onConflict: 'owner_id,title' })",
    `"owner_id,title"' is not assignable to type '"author_id" | `,
  ],
  [
    "notes.select('id, people(name)').order(relatedColumn('people', 'nam'))",
    `'RelatedColumn<"people", "nam">' is not assignable to`,
  ],
  ["db.from('note_counts').insert({ n: 1 })", 'NotWritable<"note_counts">'],
  [
    "db.rpc('great', { name: 'x' })",
    '\'"great"\' is not assignable to parameter of type \'"area" | "clear_all" | ',
  ],
  ["db.rpc('greet')", 'Expected 2 arguments, but got 1'],
  ["db.rpc('greet', { name: 1 })", "Type 'number' is not assignable to type 'string'"],
  ["db.rpc('greet', { nam: 'x' })", "'nam' does not exist in type '{ name: string; }'"],
  ["db.rpc('recent').select('id, titel')", 'NoSuchColumn<"titel", "id" | "title">'],
  [
    "notes.select('id').then(({ data }) => data)",
    "Property 'data' does not exist on type '{ id: string; }[]'",
  ],
  [
    "notes.select('id').maybeSingle().then((row) => row?.data)",
    "Property 'data' does not exist on type '{ id: string; }'",
  ],
  ["notes.select('id, people(name)').then(([row]) => row?.people.name)", "'row.people' is possibly 'null'"],
];

const root = join(import.meta.dirname, '../..');
const folder = join(root, 'node_modules/.cache/type-errors');
const header = `import { createRestClient, eq, or, relatedColumn, shape, type RestClientOptions } from '${root}/src/rest-client/index.ts';
import type { SampleDatabase } from '${root}/test/rest-client/support/sample-database.ts';
declare const options: RestClientOptions<'public'>;
const db = createRestClient<SampleDatabase>(options);
const notes = db.from('notes');
export const used = [eq, or, relatedColumn, shape];
`;
const headerLines = header.split('\n').length - 1;

/** The compiler's messages by line of the file, the first line being 1. */
function compile(text: string): ReadonlyMap<number, string> {
  const file = join(folder, 'mistakes.ts');
  writeFileSync(file, text);
  const flags =
    '--ignoreConfig --noEmit --strict --skipLibCheck --allowImportingTsExtensions --noErrorTruncation';
  const target = '--module esnext --moduleResolution bundler --target es2023 --types node --pretty false';
  const compiler = join(root, 'node_modules/typescript-native/bin/tsc');
  const { stdout } = spawnSync(process.execPath, [compiler, ...`${flags} ${target}`.split(' '), file], {
    cwd: root,
    encoding: 'utf8',
  });
  const messages = new Map<number, string>();
  let line = 0;
  for (const text of stdout.split('\n')) {
    const start = /mistakes\.ts\((\d+),\d+\): error (.*)$/.exec(text);
    if (start) line = Number(start[1]);
    messages.set(line, `${messages.get(line) ?? ''}${start?.[2] ?? text}\n`);
  }
  return messages;
}

let messages: ReadonlyMap<number, string> = new Map();

beforeAll(() => {
  mkdirSync(folder, { recursive: true });
  messages = compile(header + mistakes.map(([mistake]) => `${mistake};`).join('\n'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test.each(mistakes.map(([mistake, message], index) => [mistake, message, headerLines + index + 1] as const))(
  '%s',
  (_mistake, message, line) => {
    expect(messages.get(line)).toContain(message);
  },
);
