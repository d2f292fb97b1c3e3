import type { QualifiedName } from '../catalog/catalog.ts';
import type { PlannedField, PlannedLogic } from '../plan/read-plan.ts';
import type { WritePlan } from '../plan/plan-write.ts';
import { bodySql } from './body-sql.ts';
import { logicSql } from './filter-sql.ts';
import { EMPTY, columnOf, identifier, join, qualified, raw, sql } from './fragment.ts';
import type { SqlFragment } from './fragment.ts';

const BODY: QualifiedName = { schema: '', name: 'pgrst_body' };

/** The statement of a write; returns the written rows. */
export function writeSql(plan: WritePlan): SqlFragment {
  switch (plan.type) {
    case 'insert':
      return insertSql(plan);
    case 'update':
      return updateSql(plan);
    case 'delete': {
      const where = whereSql(plan.from, plan.where);
      return sql`DELETE FROM ${qualified(plan.from)} ${where} ${returningSql(plan.from, plan.returning)}`;
    }
  }
}

function insertSql(plan: Extract<WritePlan, { type: 'insert' }>): SqlFragment {
  const { into, columns, body, onConflict, conditions, returning, appliesDefaults } = plan;
  const merges = onConflict?.resolution === 'merge-duplicates';
  const names =
    columns.length === 0
      ? EMPTY
      : sql`(${join(
          columns.map(({ name }) => identifier(name)),
          ', ',
        )}) `;
  const checks = [
    ...(merges ? [countInserted(1)] : []),
    ...conditions.map((condition) => logicSql(BODY, condition)),
  ];
  const where = checks.length === 0 ? EMPTY : sql`WHERE ${join(checks, ' AND ')}`;
  const conflict = onConflict && onConflict.columns.length > 0 ? conflictSql(columns, onConflict) : EMPTY;
  const rows = bodySql(body, columns, { selects: true, appliesDefaults });
  return sql`INSERT INTO ${qualified(into)} ${names}${rows}${where}${conflict} ${returningSql(into, returning)}`;
}

function conflictSql(
  columns: readonly PlannedField[],
  { resolution, columns: target }: { readonly resolution: string; readonly columns: readonly string[] },
): SqlFragment {
  const head = sql` ON CONFLICT(${join(target.map(identifier), ', ')}) `;
  if (resolution === 'ignore-duplicates' || columns.length === 0) return sql`${head}DO NOTHING`;
  const changes = columns.map(({ name }) => sql`${identifier(name)} = EXCLUDED.${identifier(name)}`);
  return sql`${head}DO UPDATE SET ${join(changes, ', ')} WHERE ${countInserted(-1)}`;
}

/**
 * A condition that is always true and counts the inserted rows in `pgrst.inserted`: adds one per attempted row, and
 * subtracts one per row that updates another.
 */
function countInserted(step: 1 | -1): SqlFragment {
  const [sign, never] = step === 1 ? ['+', '0'] : ['-', '-1'];
  const current = `coalesce(nullif(current_setting('pgrst.inserted', true), '')::int, 0)`;
  return raw(`set_config('pgrst.inserted', (${current} ${sign} 1)::text, true) <> '${never}'`);
}

function updateSql(plan: Extract<WritePlan, { type: 'update' }>): SqlFragment {
  const { table, columns, body, where, returning, appliesDefaults } = plan;
  if (columns.length === 0) {
    const shown = returning.map((column) => columnOf({ schema: '', name: table.name }, column));
    return sql`SELECT ${shown.length === 0 ? raw('NULL') : join(shown, ', ')} FROM ${qualified(table)} WHERE false`;
  }
  const changes = columns.map(({ name }) => sql`${identifier(name)} = ${columnOf(BODY, name)}`);
  const rows = bodySql(body, columns, { appliesDefaults });
  return sql`UPDATE ${qualified(table)} SET ${join(changes, ', ')} ${rows}${whereSql(table, where)} ${returningSql(table, returning)}`;
}

const whereSql = (table: QualifiedName, where: readonly PlannedLogic[]): SqlFragment =>
  where.length === 0
    ? EMPTY
    : sql`WHERE ${join(
        where.map((logic) => logicSql(table, logic)),
        ' AND ',
      )}`;

/** Without columns to return, the rows are only counted. */
const returningSql = (table: QualifiedName, columns: readonly string[]): SqlFragment =>
  columns.length === 0
    ? raw('RETURNING 1')
    : sql`RETURNING ${join(
        columns.map((column) => columnOf(table, column)),
        ', ',
      )}`;
