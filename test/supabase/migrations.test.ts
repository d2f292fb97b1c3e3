import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const folder = new URL('../../supabase/migrations/', import.meta.url);
/** Written at the release by `npm run freeze`: from then on a change of the schema is a file of its own. */
const checksums = new URL('../../supabase/migrations.sha256', import.meta.url);

type Files = Readonly<Record<string, string>>;

const files: Files = Object.fromEntries(
  readdirSync(folder)
    .filter((name) => name.endsWith('.sql'))
    .map((name) => [name, readFileSync(new URL(name, folder), 'utf8')]),
);

const definition =
  /^create (?:or replace )?(function|procedure|table|view|unique index|index|trigger|policy) (?:if not exists )?("[^"]+"|[\w.]+)(?:[^;]*?\bon ([\w.]+))?/gim;

/** The objects that more than one statement of the files defines. */
function definedTwice(migrations: Files): readonly string[] {
  const names = Object.values(migrations).flatMap((sql) =>
    [...sql.matchAll(definition)].map(([, kind = '', name = '', table = '']) =>
      /trigger|policy/i.test(kind) ? `${kind} ${name} on ${table}` : `${kind} ${name}`,
    ),
  );
  return names.filter((name, index) => names.indexOf(name) !== index);
}

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

/** The released files that are missing or have other content than at the release. */
function changedSince(released: string, migrations: Files): readonly string[] {
  const lines = released.trim().split('\n');
  return lines.flatMap((line) => {
    const [sum, name = ''] = line.split(/\s+/);
    const content = migrations[name];
    return content !== undefined && sha256(content) === sum ? [] : [name];
  });
}

const isReleased = () =>
  execFileSync('git', ['tag', '--list', 'v1.*'], { cwd: folder, encoding: 'utf8' }).trim() !== '';

it('each object of the schema is defined by one statement', () => {
  expect(Object.keys(files).length).toBeGreaterThan(5);
  expect(definedTwice(files)).toEqual([]);
});

it('finds an object that a second migration replaces', () => {
  const first = 'create function private.one() returns void language sql as $$ select $$;';
  const second = 'create or replace function private.one() returns void language sql as $$ select 1 $$;';
  expect(definedTwice({ a: first, b: second })).toEqual(['function private.one']);
});

it('released migrations keep their content', () => {
  if (!existsSync(checksums)) {
    expect(isReleased(), 'the release 1.0.0 records the checksums: npm run freeze').toBe(false);
    return;
  }
  expect(changedSince(readFileSync(checksums, 'utf8'), files)).toEqual([]);
});

it('finds a released migration that is changed or gone', () => {
  const released = `${sha256('select 1;')}  a.sql\n${sha256('select 2;')}  b.sql\n`;
  expect(changedSince(released, { 'a.sql': 'select 1;', 'b.sql': 'select 2;' })).toEqual([]);
  expect(changedSince(released, { 'a.sql': 'select 3;' })).toEqual(['a.sql', 'b.sql']);
});
