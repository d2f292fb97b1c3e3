import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { StartError } from '../platform/start-error.ts';

const FUNCTION = `Deno.serve(async (request) => {
  const { name = 'world' } = await request.json().catch(() => ({}));
  return Response.json({ message: 'Hello ' + name });
});
`;
const TEST = `begin;
select plan(1);

select ok(true, 'replace this test');

select * from finish();
rollback;
`;

export type NewFile = 'migration' | 'functions' | 'test';

/**
 * Writes an empty migration, function or pgTAP file into `supabase/`, as the vendor's CLI names it.
 *
 * @param nowMs milliseconds since the epoch, for the version of a migration.
 * @param migration the SQL of a migration. Default: nothing.
 * @returns the path, relative to the project.
 * @throws {StartError} if the file exists.
 * @throws {TypeError} without a plain name.
 */
export function createFile(
  project: string,
  kind: NewFile,
  name: string | undefined,
  nowMs: number,
  migration = '',
): string {
  if (name === undefined || !/^[\w-]+$/.test(name))
    throw new TypeError(`Expected: ${kind} new NAME, of letters, digits, - and _`);
  const version = new Date(nowMs).toISOString().replaceAll(/\D/g, '').slice(0, 14);
  const files = {
    migration: [`migrations/${version}_${name}.sql`, migration],
    functions: [`functions/${name}/index.ts`, FUNCTION],
    test: [`tests/${name}_test.sql`, TEST],
  } as const;
  const [path, text] = files[kind];
  const file = join(project, 'supabase', path);
  if (existsSync(file)) throw new StartError(`supabase/${path} exists already`);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  return `supabase/${path}`;
}
