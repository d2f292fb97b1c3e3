import type { SqlSession } from '../database/postgres-session.ts';
import { becomeProjectUser, discardSession } from '../database/connect.ts';
import { StartError } from '../platform/start-error.ts';
import { wantedExtensions } from '../project/extensions.ts';
import { openDatabase, type DatabaseOptions } from '../project/open-database.ts';
import { readScripts, type Script } from '../project/project-sql.ts';
import { createExtension, createsExtension, lineOf, SchemaError } from '../project/run-script.ts';
import { isPsqlCommand, splitScript } from '../project/sql-statements.ts';
import { PsqlVariables, type TextRows } from './psql-variables.ts';

const allTests = ['tests/**/*.sql', 'tests/**/*.pg'];

export interface TestFileResult {
  readonly path: string;
  readonly passed: number;
  /** Lines that describe the failures; empty if all tests passed. */
  readonly problems: readonly string[];
}

/**
 * Runs the files of `supabase/tests` one after another in a new database with migrations and seed.
 *
 * @param patterns paths relative to `supabase/`.
 */
export async function runDatabaseTests(
  { project, settings, ...options }: DatabaseOptions & { readonly project: URL },
  patterns: readonly string[] = allTests,
): Promise<readonly TestFileResult[]> {
  const scripts = await readScripts(project, patterns);
  const { database } = await open({
    ...options,
    project,
    settings: {
      ...settings,
      loadedExtensions: ['pgtap', ...scripts.flatMap(({ sql }) => wantedExtensions(sql))],
    },
  });
  try {
    await database.session((pglite) =>
      createExtension(pglite, 'create extension if not exists pgtap with schema extensions'),
    );
    const results: TestFileResult[] = [];
    for (const script of scripts)
      results.push(await database.session((pglite) => runEmbedded(pglite, script)));
    return results;
  } finally {
    await database.close();
  }
}

/**
 * Runs the files in the database at `url`, each in a separate session. They see its rows, and what they commit stays.
 *
 * @throws {StartError} if the database is unreachable.
 */
export async function runTestsAt(
  url: string,
  project: URL,
  patterns: readonly string[] = allTests,
): Promise<readonly TestFileResult[]> {
  const { Client } = await import('pg');
  const withClient = async <T>(task: (run: RunStatement) => Promise<T>): Promise<T> => {
    const client = new Client({ connectionString: url });
    await client.connect().catch((problem: unknown) => {
      throw new StartError(`The database at ${url} cannot be reached`, problem);
    });
    try {
      return await task(async (text) => {
        const types = { getTypeParser: () => asText };
        const results = [await client.query<(string | null)[]>({ text, rowMode: 'array', types })].flat();
        return toTextRows(results);
      });
    } finally {
      await client.end();
    }
  };
  const { rows: has } = await withClient((run) => run(`select from pg_extension where extname = 'pgtap'`));
  await withClient((run) => run('create extension if not exists pgtap with schema extensions'));
  const results: TestFileResult[] = [];
  for (const script of await readScripts(project, patterns))
    results.push(await withClient((run) => runFile(script, run)));
  if (has.length === 0) await withClient((run) => run('drop extension if exists pgtap'));
  return results;
}

async function open(options: DatabaseOptions): ReturnType<typeof openDatabase> {
  try {
    return await openDatabase(options);
  } catch (problem) {
    throw problem instanceof SchemaError ? new StartError(problem.message, problem) : problem;
  }
}

async function runEmbedded(pglite: SqlSession, script: Script): Promise<TestFileResult> {
  await becomeProjectUser(pglite);
  const known = await pglite.query<{ oid: number }>('select oid from pg_type');
  const parsers = Object.fromEntries(known.rows.map(({ oid }) => [oid, asText]));
  const result = await runFile(script, async (text) => {
    if (!createsExtension.test(text))
      return toTextRows(await pglite.exec(text, { rowMode: 'array', parsers }));
    await createExtension(pglite, text);
    return noRows;
  });
  await pglite.exec('rollback');
  await discardSession(pglite);
  return result;
}

type RunStatement = (text: string) => Promise<TextRows>;

const noRows: TextRows = { names: [], rows: [] };
const asText = (value: string): string => value;

/** A statement such as an update with rules has several results. */
function toTextRows(
  results: readonly { readonly fields: readonly { readonly name: string }[]; readonly rows: unknown }[],
): TextRows {
  return {
    names: (results.at(-1)?.fields ?? []).map(({ name }) => name),
    rows: results.flatMap(({ rows }) => rows as TextRows['rows']),
  };
}

async function runFile({ path, sql }: Script, run: RunStatement): Promise<TestFileResult> {
  const lines: string[] = [];
  const problems: string[] = [];
  const variables = new PsqlVariables();
  let last = noRows;
  for (const statement of splitScript(sql)) {
    try {
      if (isPsqlCommand(statement.text)) {
        variables.run(statement.text, last);
        continue;
      }
      last = await run(variables.interpolate(statement.text));
      for (const [value] of last.rows) if (typeof value === 'string') lines.push(...value.split('\n'));
    } catch (problem) {
      problems.push(
        `${path}:${lineOf(problem, statement)}: ${problem instanceof Error ? problem.message : String(problem)}`,
      );
      break;
    }
  }
  return { path, ...judge(path, lines, problems) };
}

/** Reads output in the Test Anything Protocol (https://testanything.org). */
function judge(
  path: string,
  lines: readonly string[],
  errors: readonly string[],
): Omit<TestFileResult, 'path'> {
  const tests = lines.filter((line) => /^(?:not )?ok\b/.test(line));
  const isFailure = (line: string) => line.startsWith('not ok') && !/#\s*(?:todo|skip)\b/i.test(line);
  const failures = lines.flatMap((line, index) => {
    if (!isFailure(line)) return [];
    const rest = lines.slice(index + 1);
    const end = rest.findIndex((other) => !other.startsWith('#'));
    return [`${path}: ${line}`, ...rest.slice(0, end === -1 ? undefined : end).map((other) => `  ${other}`)];
  });
  const planned = lines.map((line) => /^1\.\.(\d+)/.exec(line)?.[1]).find((count) => count !== undefined);
  const short =
    errors.length === 0 && planned !== undefined && Number(planned) !== tests.length
      ? [`${path}: planned ${planned} tests, ran ${tests.length}`]
      : [];
  // A plan of no tests skips the file, as in pg_prove.
  const isEmpty = errors.length === 0 && tests.length === 0 && planned !== '0';
  return {
    passed: tests.filter((line) => !isFailure(line)).length,
    problems: [...failures, ...errors, ...short, ...(isEmpty ? [`${path}: ran no test`] : [])],
  };
}
