import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { StartError } from '../http/start-error.ts';

/** Commands of the vendor's CLI by the command here; what follows them stays. */
const aliases: readonly (readonly [words: readonly string[], command: string])[] = [
  [['db', 'reset'], 'reset'],
  [['migration', 'up'], 'migrate'],
  [['gen', 'types', 'typescript'], 'types'],
  [['gen', 'types'], 'types'],
  [['test', 'db'], 'test'],
];

/** Replaces the vendor's words for a command with those of this one. */
export function translate(words: readonly string[]): readonly string[] {
  const found = aliases.find(([vendor]) => vendor.every((word, index) => words[index] === word));
  return found ? [found[1], ...words.slice(found[0].length)] : words;
}

/** Commands that the vendor's CLI runs on this database by `--db-url`, without Docker. */
const byDatabaseUrl = /^(?:db (?:push|advisors|query)|migration (?:list|repair|squash|down|fetch)|inspect)\b/;
const ofDocker = /^db (?:diff|dump|pull|lint|start|schema)\b/;
const ofPlatform =
  /^(?:login|logout|link|unlink|projects|orgs|branches|secrets|domains|ssl-enforcement|config|functions (?:deploy|list|delete|download))\b/;

/** A sentence for a command of the vendor's CLI that is not here; undefined for any other. */
export function hintFor(words: readonly string[]): string | undefined {
  const text = words.join(' ');
  if (byDatabaseUrl.test(text))
    return `${text}: the vendor's CLI does it on this database: npx supabase ${text} --db-url URL, with the DB_URL of local-supabase status`;
  if (text.startsWith('db dump'))
    return 'db dump: pg_dump of PostgreSQL 17 or later does it, with the DB_URL that `local-supabase status` prints';
  if (ofDocker.test(text)) return `${text}: not here; the vendor's CLI needs Docker for it`;
  if (ofPlatform.test(text)) return `${text}: a command for hosted projects: npx supabase ${text}`;
  return undefined;
}

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

/**
 * Writes an empty migration, function or pgTAP file into `supabase/`, as the vendor's CLI names it.
 *
 * @param nowMs milliseconds since the epoch, for the version of a migration.
 * @returns the path, relative to the project.
 * @throws {StartError} if the file exists.
 * @throws {TypeError} without a plain name.
 */
export function createFile(
  project: string,
  kind: 'migration' | 'functions' | 'test',
  name: string | undefined,
  nowMs: number,
): string {
  if (name === undefined || !/^[\w-]+$/.test(name))
    throw new TypeError(`Expected: ${kind} new NAME, of letters, digits, - and _`);
  const version = new Date(nowMs).toISOString().replaceAll(/\D/g, '').slice(0, 14);
  const files = {
    migration: [`migrations/${version}_${name}.sql`, ''],
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
