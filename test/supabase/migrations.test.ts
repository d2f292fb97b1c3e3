import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { changedSince, checksumsFile, checksumsOf, readMigrations } from '../../scripts/frozen-migrations.ts';
import type { Migrations } from '../../scripts/frozen-migrations.ts';

interface Release {
  /** Undefined before the release. */
  readonly checksums: string | undefined;
  readonly isTagged: boolean;
}

const definition =
  /^\s*create (?:or replace )?(?:unique )?(function|procedure|table|view|type|index|trigger|policy|publication) (?:if not exists )?("[^"]+"|[\w.]+)(?:[^;]*?\bon ([\w.]+))?/gim;
const alteration = /^(?:drop \w+|alter function|alter table [\w.]+\s+(?:add column|drop|rename))[^;]*/gim;
const description = /^comment on (?:table|column|function) [\w.]+/gim;

/** The rules that the migrations break: before the release each object has one definition, afterwards no file changes. */
function problemsOf(migrations: Migrations, { checksums, isTagged }: Release): readonly string[] {
  if (checksums !== undefined)
    return changedSince(checksums, migrations).map((name) => `${name} has changed since its release`);
  const sql = Object.values(migrations).join('\n');
  const objects = [...sql.matchAll(definition)].map(([, kind = '', name = '', table = '']) =>
    /trigger|policy/i.test(kind) ? `${kind} ${name} on ${table}` : `${kind} ${name}`,
  );
  return [
    ...(isTagged ? ['The release has no checksums: npm run freeze'] : []),
    ...repeated(objects).map((object) => `${object} is defined twice`),
    ...repeated(sql.match(description) ?? []).map((comment) => `${comment} stands twice`),
    ...(sql.match(alteration) ?? []).map((statement) => `"${statement}" belongs in the definition`),
  ];
}

const repeated = (items: readonly string[]) => items.filter((item, index) => items.indexOf(item) !== index);

/** Null without git, or if git does not have it. */
function git(...args: readonly string[]): string | null {
  try {
    return execFileSync('git', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  } catch {
    return null;
  }
}

function readRelease(): Release {
  const recorded = existsSync(checksumsFile) ? readFileSync(checksumsFile, 'utf8') : null;
  const atTag = git('show', 'v1.0.0:supabase/migrations.sha256');
  return {
    checksums: recorded === null && atTag === null ? undefined : `${atTag ?? ''}\n${recorded ?? ''}`,
    isTagged: Boolean(git('tag', '--list', 'v1.0.0')?.trim()),
  };
}

it('the migrations define each object once until the release, and keep their content from then on', () => {
  const migrations = readMigrations();
  expect(Object.keys(migrations).length).toBeGreaterThan(5);
  expect(problemsOf(migrations, readRelease())).toEqual([]);
});

describe('before the release', () => {
  const before: Release = { checksums: undefined, isTagged: false };
  const first = `create function private.one() returns void language sql as $$ select $$;
    create trigger stamp before update on public.a for each row execute function private.two();`;

  it.each([
    ['create or replace function private.one() returns void', 'function private.one is defined twice'],
    ['create trigger stamp after insert on public.a', 'trigger stamp on public.a is defined twice'],
    ['drop function private.one()', '"drop function private.one()" belongs in the definition'],
    [
      'alter table public.a add column b text',
      '"alter table public.a add column b text" belongs in the definition',
    ],
  ])('the check refuses "%s" in a second file', (statement, problem) => {
    expect(problemsOf({ 'a.sql': first, 'b.sql': `${statement};` }, before)).toEqual([problem]);
  });

  it('the check accepts a trigger of the same name on another table', () => {
    const second = 'create trigger stamp before update on public.b;';
    expect(problemsOf({ 'a.sql': first, 'b.sql': second }, before)).toEqual([]);
  });
});

describe('from the release on', () => {
  const released = { 'a.sql': 'create function one() …;', 'b.sql': 'create function two() …;' };
  const after: Release = { checksums: checksumsOf(released), isTagged: true };

  it('the check accepts a further migration that replaces a function', () => {
    expect(problemsOf({ ...released, 'c.sql': 'create or replace function one() …;' }, after)).toEqual([]);
  });

  it('the check refuses a released migration that was edited or deleted', () => {
    expect(problemsOf({ 'a.sql': 'create function one() … -- edited;' }, after)).toEqual([
      'a.sql has changed since its release',
      'b.sql has changed since its release',
    ]);
  });

  it('the check refuses a tag without checksums', () => {
    expect(problemsOf(released, { checksums: undefined, isTagged: true })).toEqual([
      'The release has no checksums: npm run freeze',
    ]);
  });
});
