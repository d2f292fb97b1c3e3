import { hexToBytes } from '@noble/hashes/utils.js';
import { DatabaseCrash } from '../../database/database-crash.ts';
import { isDatabaseError } from '../../database/database-error.ts';
import type { TextRow } from '../../database/protocol.ts';
import type { PgliteDatabase } from '../../database/pglite-database.ts';
import type { Claims } from '../../keys/keys.ts';
import { fromDatabaseError } from './response/database-errors.ts';
import {
  RestError,
  maxAffectedExceeded,
  notSingular,
  putKeyMismatch,
  unfilteredWrite,
} from './request/errors.ts';
import type { Catalog } from './catalog/catalog.ts';
import { LOGIN_ROLE } from './catalog/routine-queries.ts';
import type { DatabasePlan } from './plan/plan-request.ts';
import type { ApiRequest } from './request/api-request.ts';
import { quote, settingsStatement } from './sql/settings-sql.ts';
import { statementsOf } from './sql/statements.ts';

export interface ResultRow {
  /** The number of rows without the range, if counted. */
  readonly total: bigint | null;
  /** The number of rows in this response. */
  readonly pageTotal: bigint;
  /** The primary key of the inserted row, as filters. */
  readonly location: readonly (readonly [string, string])[];
  readonly body: string | Uint8Array;
  readonly responseHeaders: string | null;
  readonly responseStatus: string | null;
  readonly inserted: number | null;
}

export interface TransactionOptions {
  readonly database: PgliteDatabase;
  readonly catalog: Catalog;
  readonly claims: Claims;
  readonly role: string;
  readonly anonymousRole: string;
  readonly extraSearchPath: readonly string[];
  readonly preRequest: string | null;
  readonly maxRows: bigint | null;
  /** Whether the transaction is rolled back unless the request asks for a commit. */
  readonly rollsBack: boolean;
  readonly refusesUnfilteredWrites: boolean;
}

/**
 * Runs a plan in one transaction with the caller's role, and always ends it; commits only if the response is a success.
 * Uses the session; call it within `database.exclusive`.
 *
 * @throws {RestError}
 */
export async function runTransaction(
  plan: DatabasePlan,
  request: ApiRequest,
  options: TransactionOptions,
): Promise<ResultRow> {
  const { database } = options;
  const { main, explainCount } = statementsOf(plan, request.preferences, options.maxRows);
  const opening = openingStatements(request, options, plan);
  const statements = [...opening, main, ...(explainCount ? [explainCount] : [])];
  const refused = options.refusesUnfilteredWrites ? unfilteredCommand(plan) : undefined;
  return inTransaction(options, async () => {
    await assertAvailableRole(options);
    if (refused) {
      await database.pipeline(opening, { keepsFiles: false });
      throw unfilteredWrite(refused);
    }
    const results = await database.pipeline(statements, { keepsFiles: false });
    const [result, explained] = results.slice(statements.length - (explainCount ? 2 : 1));
    if (plan.mediaType.type === 'plan') return planRow(result?.rows ?? []);
    const row = readRow(result?.rows[0] ?? [], result?.types ?? []);
    assertRowLimits(plan, request, row);
    const estimate = explained && readEstimate(explained.rows[0]?.[0] ?? '');
    return {
      row: { ...row, total: totalOf(request, row.total, estimate, options.maxRows) },
      isKept: (request.preferences.transaction ?? (options.rollsBack ? 'rollback' : 'commit')) === 'commit',
    };
  });
}

/** @returns the statements that begin every transaction of the service. */
export function openingStatements(request: ApiRequest, options: TransactionOptions, plan?: DatabasePlan) {
  const { catalog, claims, role, extraSearchPath, preRequest } = options;
  const routine = plan?.type === 'call' ? plan.routine : undefined;
  const settingsOf = (name: string) => catalog.roleSettings.get(name) ?? [];
  // A session of the login role would have its limit from the start, but this is another role's session.
  const roleSettings = [
    ...settingsOf(LOGIN_ROLE).filter(([name]) => name === 'statement_timeout'),
    ...settingsOf(role),
  ];
  const isolation =
    routine?.isolation ?? roleSettings.find(([name]) => name === 'default_transaction_isolation')?.[1];
  const settings = settingsStatement({
    request,
    claims,
    role,
    roleSettings: roleSettings.filter(([name]) => name !== 'default_transaction_isolation'),
    routine,
    extraSearchPath,
  });
  const access = plan && !plan.isReadOnly ? 'READ WRITE' : 'READ ONLY';
  return [
    { text: `BEGIN ISOLATION LEVEL ${isolationLevel(isolation)} ${access}` },
    settings,
    ...(preRequest === null ? [] : [{ text: `select ${preRequest.split('.').map(quote).join('.')}()` }]),
  ];
}

/**
 * The command that pg_safeupdate rejects (1.6, `safeupdate.c`). It checks analyzed statements, so EXPLAIN is not
 * affected, nor an update without columns, which PostgREST sends as a SELECT.
 */
function unfilteredCommand(plan: DatabasePlan): 'UPDATE' | 'DELETE' | undefined {
  if (plan.type !== 'write' || plan.mediaType.type === 'plan' || plan.write.type === 'insert')
    return undefined;
  if (plan.write.where.length > 0) return undefined;
  if (plan.write.type === 'delete') return 'DELETE';
  return plan.write.columns.length > 0 ? 'UPDATE' : undefined;
}

function isolationLevel(setting: string | null | undefined): string {
  const known = ['serializable', 'repeatable read'].find((level) => level === setting?.toLowerCase());
  return known?.toUpperCase() ?? 'READ COMMITTED';
}

/** Ends the transaction that `task` began. */
export async function inTransaction<T>(
  { database, role, anonymousRole }: TransactionOptions,
  task: () => Promise<{ readonly row: T; readonly isKept: boolean }>,
): Promise<T> {
  try {
    const { row, isKept } = await task();
    const ending = isKept ? 'COMMIT' : 'ROLLBACK';
    await database.pipeline([
      ...(isKept ? [] : [{ text: 'SET CONSTRAINTS ALL IMMEDIATE' }]),
      { text: ending },
    ]);
    return row;
  } catch (problem) {
    // A crashed session accepts no statement, and the crash ended its transaction.
    if (!(problem instanceof DatabaseCrash)) await database.pipeline([{ text: 'ROLLBACK' }]);
    throw isDatabaseError(problem) ? fromDatabaseError(problem, role === anonymousRole) : problem;
  }
}

/**
 * The session's user is a superuser and could assume any role, so check here what PostgreSQL would deny to PostgREST's
 * login role; "none" is that login role. PostgreSQL reports a role that does not exist.
 */
async function assertAvailableRole({ database, catalog, role }: TransactionOptions): Promise<void> {
  if (catalog.roles.has(role)) return;
  const text = `select from pg_roles where rolname = $1 and (rolsuper or not pg_has_role('authenticator', oid, 'MEMBER'))`;
  const [found] = await database.pipeline([{ text, values: [role] }], { keepsFiles: false });
  if (found?.rows.length !== 1 && role !== 'none') return;
  throw new RestError(403, { code: '42501', message: `permission denied to set role "${role}"` });
}

const BYTEA = 17;

function readRow(row: TextRow, types: readonly number[]): ResultRow {
  const [total, pageTotal, location, body, responseHeaders, responseStatus, inserted] = row;
  const text = body ?? '';
  return {
    total: total === null || total === undefined ? null : BigInt(total),
    pageTotal: BigInt(pageTotal ?? 0),
    location: location ? (JSON.parse(location) as [string, string][]) : [],
    body: types[3] === BYTEA ? hexToBytes(text.slice(2)) : text,
    responseHeaders: responseHeaders ?? null,
    responseStatus: responseStatus ?? null,
    inserted: inserted === null || inserted === undefined ? null : Number(inserted),
  };
}

/** The response consists of the lines of the execution plan. */
function planRow(rows: readonly TextRow[]): { readonly row: ResultRow; readonly isKept: boolean } {
  const body = rows.map(([line]) => `${line ?? ''}\n`).join('');
  return {
    row: {
      total: null,
      pageTotal: 0n,
      location: [],
      body,
      responseHeaders: null,
      responseStatus: null,
      inserted: null,
    },
    isKept: true,
  };
}

/** Throws for a result that the request does not allow, so that the transaction is rolled back. */
function assertRowLimits(plan: DatabasePlan, { preferences }: ApiRequest, { pageTotal }: ResultRow): void {
  if (plan.type === 'write' && plan.mutation === 'single-upsert') {
    if (pageTotal !== 1n) throw putKeyMismatch();
    return;
  }
  if (plan.mediaType.type === 'single' && pageTotal !== 1n) throw notSingular(pageTotal);
  const { maxAffected, handling } = preferences;
  const isLimited = plan.type === 'call' || (plan.type === 'write' && plan.mutation !== 'create');
  const isExceeded = maxAffected !== undefined && handling === 'strict' && pageTotal > maxAffected;
  if (isLimited && isExceeded) throw maxAffectedExceeded(pageTotal);
}

function readEstimate(explained: string): bigint | null {
  const [plan] = JSON.parse(explained) as { readonly Plan?: { readonly 'Plan Rows'?: number } }[];
  const rows = plan?.Plan?.['Plan Rows'];
  return rows === undefined ? null : BigInt(rows);
}

/** An estimated count is exact up to the row limit; above it, or without a limit, it is the planner's. */
function totalOf(
  { preferences }: ApiRequest,
  counted: bigint | null,
  estimate: bigint | null | undefined,
  maxRows: bigint | null,
): bigint | null {
  if (preferences.count === 'planned' && estimate !== undefined) return estimate;
  const isBeyond = counted !== null && (maxRows === null || counted > maxRows);
  if (preferences.count !== 'estimated' || !isBeyond || estimate === undefined || estimate === null)
    return counted;
  return estimate > counted ? estimate : counted;
}
