import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';

/** The SQL of the migrations by the names of their files. */
export type Migrations = Readonly<Record<string, string>>;

const folder = new URL('../supabase/migrations/', import.meta.url);

/** The checksums of the released migrations, in the format of `sha256sum`. The file begins with the release 1.0.0. */
export const checksumsFile = new URL('../supabase/migrations.sha256', import.meta.url);

export function readMigrations(): Migrations {
  const names = readdirSync(folder).filter((name) => name.endsWith('.sql'));
  return Object.fromEntries(
    names.toSorted().map((name) => [name, readFileSync(new URL(name, folder), 'utf8')]),
  );
}

export function checksumsOf(migrations: Migrations): string {
  return Object.entries(migrations)
    .map(([name, sql]) => `${sha256(sql)}  ${name}\n`)
    .join('');
}

/** The names of released migrations that are missing or have other content. @param checksums see `checksumsFile`. */
export function changedSince(checksums: string, migrations: Migrations): readonly string[] {
  const released = checksums.split('\n').filter(Boolean);
  const changed = released
    .map((line) => line.split(/\s+/))
    .filter(([sum, name = '']) => sha256(migrations[name]) !== sum)
    .map(([, name = '']) => name);
  return [...new Set(changed)];
}

function sha256(sql: string | undefined): string | undefined {
  return sql === undefined ? undefined : createHash('sha256').update(sql).digest('hex');
}
