import type { SqlSession } from '../database/postgres-session.ts';
import { becomeProjectUser, resetSession } from '../database/connect.ts';
import { isDatabaseError } from '../database/database-error.ts';
import type { Script } from './project-sql.ts';
import { splitSql, type Statement } from './sql-statements.ts';

/** PostgreSQL rejected the project's SQL, or other migrations were applied to the database. */
export class SchemaError extends Error {
  override readonly name = 'SchemaError';
}

/** Statements that PostgreSQL only accepts outside of a transaction. */
const withoutTransaction =
  /^(?:create\s+(?:unique\s+)?index\s+concurrently|drop\s+index\s+concurrently|reindex\s.*\bconcurrently|refresh\s+materialized\s+view\s+concurrently|vacuum|alter\s+system)\b/i;
/** Matches statements for {@link createExtension}. */
export const createsExtension = /^create\s+extension\b/i;
const createsEventTrigger = /^create\s+event\s+trigger\b/i;
const opensTransaction = /^(?:begin|start\s+transaction)\b/i;
const endsTransaction = /^(?:commit|end|rollback|abort)\b(?!\s+(?:to|prepared)\b)/i;

/**
 * Runs the statements of a script in a transaction, including the script's own `begin` and `commit`. A statement that
 * cannot run in a transaction runs between two of them.
 *
 * @param available the extension names that an error message lists.
 * @param record runs at the end, in the same transaction.
 * @throws {SchemaError} with the file, the line and PostgreSQL's message; uncommitted statements are rolled back.
 */
export async function runScript(
  pglite: SqlSession,
  script: Script,
  available: readonly string[],
  record: () => Promise<unknown> = () => Promise.resolve(),
): Promise<void> {
  await resetSession(pglite);
  await becomeProjectUser(pglite);
  try {
    await runStatements(pglite, script, available, record);
  } finally {
    await resetSession(pglite);
  }
}

async function runStatements(
  pglite: SqlSession,
  script: Script,
  available: readonly string[],
  record: () => Promise<unknown>,
): Promise<void> {
  await pglite.exec('begin');
  let committedLine = 0;
  for (const statement of splitSql(script.sql)) {
    try {
      if (await runStatement(pglite, statement.text)) committedLine = statement.line;
    } catch (problem) {
      await pglite.exec('rollback');
      throw describeFailure(problem, script, statement, available, committedLine);
    }
  }
  try {
    await record();
  } catch (problem) {
    await pglite.exec('rollback');
    throw problem;
  }
  await pglite.exec('commit');
}

/** @returns whether earlier statements were committed. */
async function runStatement(pglite: SqlSession, text: string): Promise<boolean> {
  if (opensTransaction.test(text)) return false;
  if (endsTransaction.test(text)) {
    await pglite.exec(`${text}; begin`);
    return true;
  }
  if (withoutTransaction.test(text)) {
    await pglite.exec('commit');
    try {
      await pglite.exec(text);
    } finally {
      await pglite.exec('begin');
    }
    return true;
  }
  if (createsExtension.test(text)) await createExtension(pglite, text);
  else if (createsEventTrigger.test(text)) await createEventTrigger(pglite, text);
  else await pglite.exec(text);
  return false;
}

/** A PostgreSQL beside the services has a function for it, because no event trigger can give the privilege. */
async function createEventTrigger(pglite: SqlSession, text: string): Promise<void> {
  const { rows } = await pglite.query<{ call: string | null }>(
    `select to_regproc('local_supabase.create_event_trigger')::text as call where current_user = 'postgres'`,
  );
  if (rows[0]?.call) await pglite.query('select local_supabase.create_event_trigger($1)', [text]);
  else await pglite.exec(text);
}

/**
 * As in a hosted project, extensions belong to `supabase_admin`, so that default privileges of the migrations' role do
 * not apply to their functions. A version in the statement, such as that of a dump, is ignored.
 */
export async function createExtension(pglite: SqlSession, text: string): Promise<void> {
  const { rows } = await pglite.query<{ role: string }>('show role');
  await pglite.exec(
    `select set_config('role', 'supabase_admin', false) from pg_roles where rolname = session_user and rolsuper`,
  );
  await pglite.exec(text.replace(/\s+version\s+(?:'[^']*'|"[^"]*"|[\w.]+)/i, ''));
  await pglite.query(`select set_config('role', $1, false)`, [rows[0]?.role ?? 'none']);
}

function describeFailure(
  problem: unknown,
  { path }: Script,
  statement: Statement,
  available: readonly string[],
  committedLine: number,
): SchemaError {
  const message = problem instanceof Error ? problem.message : String(problem);
  const kept =
    committedLine === 0 ? [] : [`What stands before line ${committedLine} was committed, and stays applied.`];
  const [, missing] = /^extension "(.+)" is not available$/.exec(message) ?? [];
  if (missing !== undefined) {
    const file = path.startsWith('supabase/migrations/') ? `Migration ${path.slice(20)}` : path;
    const need = `${file} needs the extension "${missing}", which is not available here. Available: ${available.join(', ')}.`;
    return new SchemaError([need, ...kept].join('\n'), { cause: problem });
  }
  const { detail, hint } = isDatabaseError(problem) ? problem : {};
  const lines = [
    `${path}:${lineOf(problem, statement)}: ${message}`,
    ...(detail === undefined ? [] : [`  Detail: ${detail}`]),
    ...(hint === undefined ? [] : [`  Hint: ${hint}`]),
    ...kept,
  ];
  return new SchemaError(lines.join('\n'), { cause: problem });
}

/** PostgreSQL counts a statement's characters from 1. */
export function lineOf(problem: unknown, { text, line }: Statement): number {
  const { position } = (problem ?? {}) as { position?: unknown };
  if (typeof position !== 'string') return line;
  const before = Array.from(text).slice(0, Number(position) - 1);
  return line + before.filter((character) => character === '\n').length;
}
